import { button, element } from './element.ts';
import type { Localization, TextsOf } from './language.ts';

/** Asks what was wrong with an answer. Loaded with the first bad rating. */

export type ReasonsDeps = {
  readonly localization: Localization;
  readonly texts: TextsOf<'reasons'>;
  readonly onSend: (comment: string) => Promise<boolean>;
};

export const STYLE = `
.reasons { display: grid; gap: 0.4rem; margin-block-start: 0.3rem; }
.reasons textarea { min-block-size: 2.4rem; }
.reason[aria-pressed='true'] { background: var(--accent); color: var(--on-accent); border-color: var(--accent); }
@media (forced-colors: active) { .reason[aria-pressed='true'] { outline: 3px solid Highlight; } }
`;

const COMMENT_CHARS_MAX = 1000;

/** Reasons to choose from, and an optional comment. Both are sent as one comment. */
export function createReasons({ localization, texts, onSend }: ReasonsDeps): HTMLElement {
  const reasons = [texts.incorrect, texts.outdated, texts.offTopic].map((reason) => {
    const choice = button(reason, { class: 'suggestion reason' }, () =>
      choice.setAttribute('aria-pressed', String(choice.ariaPressed !== 'true')),
    );
    choice.setAttribute('aria-pressed', 'false');
    return choice;
  });
  const comment = element('textarea', {
    'aria-label': texts.comment,
    placeholder: texts.comment,
    maxlength: COMMENT_CHARS_MAX,
    rows: 1,
  });
  const send = button(localization.texts.send, { class: 'action' }, async () => {
    const chosen = reasons.filter(({ ariaPressed }) => ariaPressed === 'true');
    const words = [chosen.map(({ textContent }) => textContent).join(', '), comment.value.trim()];
    const isSent = await onSend(words.filter(Boolean).join(': '));
    if (!isSent) return;
    const log = form.closest<HTMLElement>('.log');
    form.remove();
    log?.focus({ preventScroll: true });
  });
  const form = element(
    'div',
    { class: 'reasons', role: 'group', 'aria-label': texts.whatWrong },
    element('h3', {}, texts.whatWrong),
    element('div', { class: 'choices' }, ...reasons),
    comment,
    send,
  );
  return form;
}
