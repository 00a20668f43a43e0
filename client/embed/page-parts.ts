import type { LoadChunk } from './chunks.ts';
import { button, element, icon } from './element.ts';
import { SEARCH_NAME } from './host-name.ts';
import { SEARCH } from './icons.ts';
import type { LauncherLanguage, TextsOf } from './language.ts';
import type { GuideElement } from './public-api.ts';
import { addStyle } from './style.ts';

/** What a page can place itself: the open panel inside one of its elements, and buttons that open the search. */

export type PagePartsDeps = {
  host: GuideElement;
  aside: HTMLElement;
  load: LoadChunk;
  language: LauncherLanguage;
  /** Aborts when the guide ends. */
  signal: AbortSignal;
  /** A path rule hides the guide on this page. */
  isHidden: boolean;
  show: () => Promise<void>;
};

const started = new WeakSet<AbortSignal>();

/** Fills the search buttons on the page. From the first call on, follows the element for the panel, and the shortcut. */
export function updateParts(deps: PagePartsDeps): void {
  for (const place of document.querySelectorAll<HTMLElement>(SEARCH_NAME)) void fillSearch(place, deps);
  const { host, aside, signal } = deps;
  if (!started.has(signal)) {
    started.add(signal);
    addEventListener('keydown', (event) => openByShortcut(event, host), { signal });
    if (host.hasAttribute('target')) followTarget(deps);
  }
  aside.hidden = deps.isHidden && host.hasAttribute('inline');
}

const isApple = () => /Mac|iPhone|iPad/.test(navigator.platform);

function openByShortcut(event: KeyboardEvent, host: GuideElement): void {
  const { key, altKey, shiftKey, metaKey, ctrlKey } = event;
  const isShortcut = key.toLowerCase() === 'k' && (isApple() ? metaKey && !ctrlKey : ctrlKey && !metaKey);
  // Editors of the page use it for links.
  if (!isShortcut || altKey || shiftKey || event.defaultPrevented) return;
  if (!document.querySelector(`${SEARCH_NAME}[shortcut]`)) return;
  event.preventDefault();
  host.open('search');
}

async function fillSearch(
  place: HTMLElement,
  { host, load, language, signal }: PagePartsDeps,
): Promise<void> {
  const shadow = place.shadowRoot ?? place.attachShadow({ mode: 'open' });
  const { file, locale, direction } = language;
  if (shadow.firstElementChild?.getAttribute('lang') === locale) return;
  const loaded = await load<{ texts: TextsOf<'help'> }>(`${file}-help`).catch(() => undefined);
  if (!loaded) return;
  const { texts } = loaded;
  const open = button('', {}, () => host.open('search'));
  const key = isApple() ? '⌘ K' : 'Ctrl K';
  const hint = element('kbd', { part: 'key', 'aria-hidden': true.toString() }, key);
  open.append(icon(SEARCH), element('slot', {}, texts.searchArticles), hint);
  const hasShortcut = place.hasAttribute('shortcut');
  hint.hidden = !hasShortcut;
  if (hasShortcut) open.setAttribute('aria-keyshortcuts', isApple() ? 'Meta+K' : 'Control+K');
  for (const [name, value] of Object.entries({ part: 'button', lang: locale, dir: direction }))
    open.setAttribute(name, value);
  open.setAttribute('aria-haspopup', 'dialog');
  shadow.replaceChildren(open);
  shadow.adoptedStyleSheets = [];
  addStyle(shadow, SEARCH_STYLE);
  signal.addEventListener('abort', () => shadow.replaceChildren());
}

/** Keeps the guide inside the element that the page has for it, while there is one. */
function followTarget({ host, aside, signal, show }: PagePartsDeps): void {
  const selector = host.getAttribute('target')!;
  const shadow = aside.getRootNode() as ShadowRoot;
  addStyle(shadow, INLINE_STYLE);
  const place = () => {
    const target = document.querySelector(selector);
    const isInline = host.hasAttribute('inline');
    if (target && (!isInline || host.parentElement !== target)) {
      host.setAttribute('inline', '');
      host.popover = null;
      if (host.parentElement !== target) target.append(host);
      // A landmark for complements would have to stand beside the main one.
      aside.setAttribute('role', 'region');
      void show();
    } else if (!target && isInline) {
      host.removeAttribute('inline');
      aside.removeAttribute('role');
      aside.hidden = false;
      host.close();
      if (host.isConnected) document.documentElement.append(host);
    }
  };
  try {
    place();
  } catch {
    console.error(`Guidepost: “${selector}” in data-gp-target is not a CSS selector.`);
    return;
  }
  const observer = new MutationObserver(place);
  observer.observe(document, { childList: true, subtree: true });
  signal.addEventListener('abort', () => observer.disconnect());
}

const SEARCH_STYLE = `
:host { display: inline-block; color-scheme: var(--guidepost-color-scheme, light dark); }
:host([hidden]) { display: none; }
button { box-sizing: border-box; inline-size: 100%; min-block-size: 2.75em; display: flex; align-items: center; gap: 0.6em; padding: 0.5em 0.9em; border: 1px solid var(--guidepost-edge, light-dark(#7c879a, #8d98ab)); border-radius: 10px; background: var(--guidepost-paper, light-dark(#fff, #161b25)); color: var(--guidepost-faint, light-dark(#545e70, #b3bccb)); font: inherit; cursor: pointer; text-align: start; }
button:hover { background: var(--guidepost-soft, light-dark(#f1f4f9, #232b3a)); }
button:focus-visible { outline: 3px solid var(--guidepost-accent, light-dark(#1f55c4, #a4c0ff)); outline-offset: 2px; }
svg { flex: none; inline-size: 1.125em; block-size: 1.125em; fill: none; stroke: currentcolor; stroke-width: 2; stroke-linecap: round; }
slot { display: block; flex: 1; }
kbd { padding: 0 0.4em; border: 1px solid var(--guidepost-line, light-dark(#e2e7ef, #313b4d)); border-radius: 6px; font: inherit; font-size: 0.8125em; white-space: nowrap; }
[hidden] { display: none; }
@media (hover: none) { kbd { display: none; } }
`;

const INLINE_STYLE = `
:host([inline]) { position: relative !important; display: block !important; z-index: auto !important; inline-size: 100% !important; block-size: 100% !important; min-block-size: 20rem !important; }
:host([inline]) :is(.launcher, .close, .enlarge) { display: none !important; }
:host([inline]) .panel.panel.panel.panel { position: absolute; inset: 0; inline-size: 100%; block-size: 100%; border: 0; border-radius: var(--guidepost-radius, 0); box-shadow: none; transition: none; --gp-modal: false; }
:host([inline]) .panel :is(header, .log, .view, .consent-area, form, footer) { padding-inline: max(1rem, 50% - 22rem); }
`;
