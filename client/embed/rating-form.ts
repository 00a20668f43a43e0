import type { RatingDetails } from '../sdk/guide.ts';
import type { FeedbackReason } from '../sdk/index.ts';
import { button, element } from './element.ts';
import type { Localization, TextsOf } from './language.ts';

/** Asks what was wrong with an answer. Loaded with the first bad rating. */

export type RatingFormDeps = {
  localization: Localization;
  texts: TextsOf<'rating-form'>;
  onSend: (details: RatingDetails) => Promise<boolean>;
};

export const STYLE = `
.rating-form { display: grid; gap: 0.4rem; margin-block-start: 0.3rem; }
.rating-form textarea { min-block-size: 2.4rem; }
.reason[aria-pressed='true'] { background: var(--accent); color: var(--on-accent); border-color: var(--accent); }
@media (forced-colors: active) { .reason[aria-pressed='true'] { outline: 3px solid Highlight; } }
`;

const COMMENT_CHARS_MAX = 1000;

/** Creates a form with reasons to choose from, and an optional comment. */
export function createRatingForm({ localization, texts, onSend }: RatingFormDeps): HTMLElement {
  const labels = { incorrect: texts.incorrect, outdated: texts.outdated, off_topic: texts.offTopic };
  const choices = Object.entries(labels).map(([reason, text]) => {
    const choice = button(text, { class: 'suggestion reason' }, () =>
      choice.setAttribute('aria-pressed', String(choice.ariaPressed !== 'true')),
    );
    choice.value = reason;
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
    const chosen = choices.filter(({ ariaPressed }) => ariaPressed === 'true');
    const reasons = chosen.map(({ value }) => value as FeedbackReason);
    const isSent = await onSend({
      comment: comment.value.trim(),
      reasons: reasons.length > 0 ? reasons : undefined,
    });
    if (!isSent) return;
    const log = form.closest<HTMLElement>('.log');
    form.remove();
    log?.focus({ preventScroll: true });
  });
  const form = element(
    'div',
    { class: 'rating-form', role: 'group', 'aria-label': texts.whatWrong },
    element('h3', {}, texts.whatWrong),
    element('div', { class: 'choices' }, ...choices),
    comment,
    send,
  );
  return form;
}
