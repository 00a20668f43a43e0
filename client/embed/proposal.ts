import type { Announcer } from './announcer.ts';
import { button, element } from './element.ts';
import type { Action, ActionOutcome } from './highlight.ts';
import { fill, type Wording } from './texts.ts';

export type ProposalDeps = {
  readonly wording: Wording;
  readonly announcer: Announcer;
  readonly onAction: (action: Action, arrivedAtMillis: number) => ActionOutcome;
  readonly onDecline: (action: Action) => void;
};

/** Something that the guide could do on the page, for the visitor to agree to. Nothing happens before that. */
export function proposalOf(action: Action, deps: ProposalDeps): HTMLElement {
  const { announcer, wording } = deps;
  const { texts } = wording;
  const arrivedAtMillis = Date.now();
  const name = action.target?.label ?? '';
  // A label that only repeats the name of the target does not say what the button does.
  const label = action.label === name ? fill(texts.show, { label: name }) : action.label;
  const result = element('p', { class: 'note', tabindex: -1 });

  function tell(outcome: ActionOutcome): void {
    const sentence = {
      done: texts.shown,
      target_missing: texts.missing,
      failed: texts.failed,
      expired: texts.expired,
      declined: texts.notDone,
    }[outcome];
    result.textContent = fill(sentence, { label: name || action.label });
    announcer.say(result.textContent);
  }

  const act = button(label, { class: 'action' }, () => tell(deps.onAction(action, arrivedAtMillis)));
  act.dir = 'auto';
  const choices = element('div', { class: 'choices' }, act);
  if (action.requires_confirmation)
    choices.append(
      button(texts.notNow, { class: 'quiet' }, () => {
        deps.onDecline(action);
        choices.remove();
        tell('declined');
        // The button with the focus is gone.
        result.focus();
      }),
    );
  const reason = [name, action.label].includes(action.reason) ? '' : action.reason;
  return element(
    'div',
    { class: 'proposal' },
    choices,
    element('p', { class: 'note', dir: 'auto' }, reason),
    element('p', { class: 'note', dir: 'ltr' }, destinationOf(action)),
    result,
  );
}

/** Who agrees to go somewhere has to see where that is. */
function destinationOf({ url }: Action): string {
  if (url === undefined || !URL.canParse(url, location.href)) return '';
  const { pathname, search, hash } = new URL(url, location.href);
  return pathname + search + hash;
}
