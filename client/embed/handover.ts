import type { ConversationTurn, VisitorHandover } from '../../generated/types.ts';
import { openHandover, type SentTurn, toSentTurns } from '../handover.ts';
import type { Guide } from '../sdk/guide.ts';
import { type Announcer, element, prose } from './element.ts';
import { createTrouble, toErrorMessage } from './error-message.ts';
import { fillIn, type Localization, type TextsOf } from './language.ts';
import { createView } from './views.ts';

/** Asks a person: the form, and the messages of the visitor with the replies. Loaded when one of them is seen. */

export type HandoverDeps = {
  guide: Guide;
  localization: Localization;
  texts: TextsOf<'handover'>;
  announcer: Announcer;
  /** The turns of the conversation, oldest first. */
  conversation: readonly ConversationTurn[];
  onBack: () => void;
  onSent: (handover: VisitorHandover) => void;
};

/** One form at a time: the field for questions would be a second one with a button to send. */
export const STYLE = `
.view:has(.handover-form) ~ form { display: none; }
.handover-form.handover-form { display: grid; gap: 0.7rem; padding: 0; border: 0; }
.handover-form label { display: grid; gap: 0.25rem; font-weight: 600; }
.handover-form .tick { grid-template-columns: auto 1fr; gap: 0.5rem; align-items: start; font-weight: 400; }
.handover-form .tick input { inline-size: 1.25rem; block-size: 1.25rem; margin: 0.1rem 0 0; accent-color: var(--accent); }
.handover-form :is(textarea, input:not([type='checkbox'])) { inline-size: 100%; font: inherit; font-weight: 400; color: inherit; }
.handover-form input:not([type='checkbox']) { min-block-size: 2.75rem; padding: 0.4rem 0.7rem; border: 1px solid var(--edge); border-radius: 10px; background: var(--paper); box-sizing: border-box; }
.handover-form :is(input, textarea):focus-visible { outline: 2px solid var(--accent); outline-offset: -1px; }
.handover-form textarea { min-block-size: 5rem; max-block-size: 12rem; box-sizing: border-box; }
.handover-form > .action { border-color: transparent; background: var(--gp-brand, var(--accent)); color: var(--gp-on-brand, var(--on-accent)); }
.handover-form .website { position: absolute; inset-inline-start: -100vmax; }
.handover-form summary { cursor: pointer; min-block-size: 1.6rem; }
.sent { display: grid; gap: 0.5rem; margin-block-start: 0.4rem; padding-inline-start: 0.8rem; border-inline-start: 3px solid var(--line); font-size: 0.875rem; overflow-wrap: anywhere; }
.sent p { white-space: pre-wrap; text-align: -webkit-match-parent; text-align: match-parent; }
.reply { padding: 0.6rem 0.8rem; border: 1px solid var(--line); border-radius: 10px; white-space: pre-wrap; overflow-wrap: anywhere; }
`;

const NAME_CHARS_MAX = 200;

/** Creates the view with the form. */
export function createHandoverView(deps: HandoverDeps): HTMLElement {
  const { localization, texts, guide, onBack, conversation } = deps;
  const settings = guide.state!.config.handover!;
  const { answer_time } = settings;
  const expected = answer_time
    ? element('p', {}, fillIn(texts.expectedAnswer, { time: answer_time }))
    : undefined;
  const view = createView(
    element('h3', {}, localization.texts.askPerson),
    localization.texts,
    onBack,
    expected,
    createForm({ ...deps, turns: toSentTurns(conversation, settings) }, (handover) => {
      const done = element('p', { tabindex: -1 }, texts.messageSent);
      view.querySelector('form')!.replaceWith(done);
      done.focus();
      deps.announcer.say(texts.messageSent);
      deps.onSent(handover);
    }),
  );
  return view;
}

type FormDeps = HandoverDeps & { turns: readonly SentTurn[] };

function createForm(deps: FormDeps, onSent: (handover: VisitorHandover) => void): HTMLElement {
  const { localization, guide, turns } = deps;
  const { locale, texts } = localization;
  const secondsMin = guide.state!.config.handover!.form_seconds_min;
  const sendQuestion = openHandover(guide, turns, { locale, secondsMin });
  const fields = createFields(deps);
  const trouble = element('div', { role: 'alert' });
  const send = element('button', { type: 'submit', class: 'action' }, texts.send);
  const form = element(
    'form',
    { class: 'handover-form' },
    ...fields.parts,
    createPreview(deps, fields.tick),
    trouble,
    send,
  );
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    send.disabled = true;
    trouble.replaceChildren();
    try {
      onSent(await sendQuestion(fields.read(), fields.tick?.checked ?? false));
    } catch (error) {
      send.disabled = false;
      trouble.replaceChildren(createTrouble(toErrorMessage(error, localization), texts));
    }
  });
  return form;
}

function createFields({ texts, turns, guide }: FormDeps) {
  const message = element('textarea', {
    required: true,
    rows: 4,
    maxlength: guide.state!.config.message_chars_max,
    dir: 'auto',
  });
  message.value = turns.at(-1)?.question ?? '';
  // What the site says of its customer is sent without being asked for.
  const { name: knownName, email: knownEmail } = guide.state!.customer ?? {};
  const name = element('input', { autocomplete: 'name', maxlength: NAME_CHARS_MAX, dir: 'auto' });
  const email = element('input', { type: 'email', autocomplete: 'email', required: true, dir: 'ltr' });
  // People neither see nor reach this field; programs fill it in.
  const website = element('input', { tabindex: -1, autocomplete: 'off', name: 'website' });
  const tick = turns.length > 0 ? element('input', { type: 'checkbox' }) : undefined;
  return {
    tick,
    parts: [
      element('label', {}, texts.yourMessage, message),
      knownName === undefined ? element('label', {}, texts.yourName, name) : undefined,
      knownEmail === undefined ? element('label', {}, texts.yourEmail, email) : undefined,
      element('div', { class: 'website', 'aria-hidden': 'true' }, website),
      tick && element('label', { class: 'tick' }, tick, texts.sendConversation),
    ],
    read: () => ({
      message: message.value,
      name: name.value.trim() || undefined,
      email: email.value.trim() || undefined,
      website: website.value || undefined,
    }),
  };
}

/** Previews the data that is sent besides the fields: page, language and, if ticked, the conversation. */
function createPreview({ texts, localization, turns, guide }: FormDeps, tick: HTMLInputElement | undefined) {
  const { name, email } = guide.state!.customer ?? {};
  const conversation = element(
    'div',
    { class: 'sent', hidden: true },
    ...turns.flatMap(({ question, answer }) => [
      element('p', { dir: 'auto' }, element('strong', {}, question)),
      prose(answer),
    ]),
  );
  tick?.addEventListener('change', () => (conversation.hidden = !tick.checked));
  return element(
    'details',
    {},
    element('summary', {}, texts.whatIsSent),
    element(
      'div',
      { class: 'sent' },
      ...[name, email].map((each) => (each === undefined ? undefined : element('p', { dir: 'auto' }, each))),
      element('p', { dir: 'ltr' }, location.origin + location.pathname),
      element('p', {}, localization.locale),
    ),
    conversation,
  );
}

/** Shows what the visitor sent, and the replies of the team. */
export function createThread(
  { message, replies }: VisitorHandover,
  { texts, localization }: Pick<HandoverDeps, 'texts' | 'localization'>,
): HTMLElement {
  const when = new Intl.DateTimeFormat(localization.locale, { dateStyle: 'medium', timeStyle: 'short' });
  return element(
    'div',
    { class: 'turn thread' },
    element(
      'div',
      { class: 'question' },
      element('span', { class: 'unseen' }, texts.yourMessage),
      prose(message),
    ),
    element(
      'div',
      { class: 'answer' },
      replies.length > 0 ? undefined : element('p', { class: 'note' }, texts.messageSent),
      ...replies.map(({ text, at }) =>
        element(
          'div',
          {},
          element('h3', {}, texts.teamAnswered),
          element('div', { class: 'reply', dir: 'auto' }, text),
          element('p', { class: 'note' }, when.format(at * 1000)),
        ),
      ),
    ),
  );
}
