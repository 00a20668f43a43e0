import { addAll, button, element } from './element.ts';
import { type HelpDeps, openHelp } from './help-pages.ts';
import { CLOSE } from './icons.ts';

export { type HelpDeps, openHelp };

/** Opens the articles in a modal dialog. Choosing to ask closes it. */
export function openSearchDialog(deps: HelpDeps, aside: HTMLElement): void {
  const { localization, texts, onAsk, onAskAbout, signal } = deps;
  if (aside.querySelector('.search-dialog[open]')) return;
  const dialog = element('dialog', {
    class: 'search-dialog',
    'aria-label': localization.texts.help,
    lang: localization.locale,
    dir: localization.direction,
  });
  const close = () => dialog.close();
  const leave = button('', { class: 'quiet leave', label: texts.goBack, icon: CLOSE }, close);
  const help = openHelp({
    ...deps,
    onAsk: (question) => {
      close();
      onAsk(question);
    },
    onAskAbout: (title) => {
      close();
      onAskAbout(title);
    },
  });
  addAll(dialog, help.root, leave);
  dialog.addEventListener('close', () => {
    aside.classList.remove('searching');
    dialog.remove();
  });
  dialog.addEventListener('click', ({ target }) => target === dialog && close());
  dialog.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || event.isComposing) return;
    event.preventDefault();
    close();
  });
  signal.addEventListener('abort', close);
  aside.append(dialog);
  aside.classList.add('searching');
  dialog.showModal();
  help.field.focus();
}

/** Chromium may repaint the guide above its dialog, so the launcher and the panel wait. */
export const STYLE = `
.help { flex: 1; min-block-size: 0; display: flex; flex-direction: column; }
.help .view { min-block-size: 0; }
.help h3:focus { outline: none; }
.search { display: grid; grid-template-columns: 100%; gap: 0.6rem; }
.search-line { display: flex; align-items: center; gap: 0.5rem; padding-inline: 0.7rem; border: 1px solid var(--edge); border-radius: 10px; }
.search-line:focus-within { outline: 2px solid var(--accent); outline-offset: -1px; }
.search-line > .icon { flex: none; inline-size: 1.125rem; block-size: 1.125rem; color: var(--faint); }
.leave { position: absolute; z-index: 2; inset-block-start: 1.05rem; inset-inline-end: 1.2rem; display: grid; place-items: center; inline-size: 2.65rem; block-size: 2.65rem; }
.search-dialog .search-line { padding-inline-end: 3.2rem; }
.search input { flex: 1; min-inline-size: 0; min-block-size: 2.75rem; padding: 0; border: 0; outline: 0; background: none; font: inherit; color: inherit; appearance: none; }
.search input::placeholder { color: var(--faint); opacity: 1; }
.search input::-webkit-search-cancel-button { display: none; }
.rows, [role='listbox'] { display: grid; margin-inline: -0.6rem; }
.row.row { inline-size: 100%; display: grid; grid-template-columns: auto 1fr auto; align-items: center; gap: 0.1rem 0.6rem; padding: 0.55rem 0.6rem; border: 0; border-radius: 8px; background: none; cursor: pointer; overflow-wrap: anywhere; }
.row.row:hover, .row[aria-selected='true'] { background: var(--soft); }
.row[aria-selected='true'] { box-shadow: inset 0 0 0 2px var(--accent); }
.row .title { font-weight: 500; }
.row > span { text-align: -webkit-match-parent; text-align: match-parent; }
.row .icon { inline-size: 1.125rem; block-size: 1.125rem; color: var(--faint); }
.row .note { grid-column: 2 / -1; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden; }
.count { min-inline-size: 1.6rem; padding-inline: 0.4rem; border-radius: 1rem; background: var(--soft); color: var(--faint); font-size: 0.8125rem; text-align: center; }
.rows + .action { margin-block-start: 0.5rem; }
.ask.ask, .ask .icon { color: var(--accent); }
.ask.ask { position: sticky; inset-block-end: -1rem; font-weight: 600; }
.ask.ask:not(:hover, [aria-selected='true']) { background: var(--paper); box-shadow: 0 0 0 0.3rem var(--paper); }
.help .view:has(.article) { align-content: start; }
.help .view > h3 { font-size: 1.25rem; line-height: 1.3; overflow-wrap: anywhere; }
.article { display: grid; grid-template-columns: 100%; gap: 0.7rem; }
.article .text > p:first-child { font-size: inherit; }
.article-end { display: flex; flex-wrap: wrap; align-items: center; gap: 0.6rem 1rem; padding-block-start: 0.7rem; border-block-start: 1px solid var(--line); }
.search-dialog { inset-block-start: max(2rem, 10vh); margin-block: 0; inline-size: min(40rem, 100% - 2rem); max-block-size: min(38rem, 100% - 4rem); padding: 0; flex-direction: column; overflow: clip; color: inherit; background: var(--paper); border: 1px solid var(--line); border-radius: var(--guidepost-radius, 16px); box-shadow: var(--shadow); }
.search-dialog[open] { display: flex; }
:host(:not([inline])) .searching > :is(.launcher, .guide) { visibility: hidden; }
.search-dialog::backdrop { background: #0f193266; }
.search-dialog .search-line { position: sticky; inset-block-start: 0; z-index: 1; background: var(--paper); box-shadow: 0 -1rem var(--paper); }
@media (max-width: 30rem) {
  .search-dialog { inset: 0; inline-size: 100%; block-size: 100%; max-inline-size: none; max-block-size: none; border: 0; border-radius: 0; }
}
@media (prefers-reduced-motion: no-preference) {
  .skeleton { animation: shimmer 1.4s linear infinite; }
  .search-dialog[open] { animation: appear 120ms; }
}
@media (forced-colors: active) {
  .row[aria-selected='true'] { outline: 2px solid Highlight; outline-offset: -2px; }
}
`;
