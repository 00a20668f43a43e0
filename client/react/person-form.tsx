import { type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import type { HandoverForm } from './controls.ts';
import { FORM_LABELS } from './form-labels.ts';
import { useGuideState, useScope } from './scope.ts';
import { type GuideFailure, toFailure } from './state.ts';

/** The form of a question to the team. Loaded when it is opened. */

export { openHandoverForm } from './handover-form.ts';

const NAME_CHARS_MAX = 200;

type FormProps = { form: HandoverForm; onSent: () => void; onCancel: () => void };

export function PersonForm({ form, onSent, onCancel }: FormProps): ReactNode {
  const scope = useScope();
  const labels = { ...FORM_LABELS, ...scope.labels };
  const boot = useGuideState((state) => state.boot);
  const [sendsTurns, setSendsTurns] = useState(false);
  const [isSending, setSending] = useState(false);
  const [failure, setFailure] = useState<GuideFailure>();
  const message = useRef<HTMLTextAreaElement>(null);
  const id = useId();
  useEffect(() => message.current?.focus(), []);
  const { turns } = form;
  const { name, email } = boot?.customer ?? {};
  const time = boot?.config.handover?.answer_time;
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const entered = new FormData(event.currentTarget);
    const read = (field: string) => String(entered.get(field) ?? '').trim() || undefined;
    setSending(true);
    setFailure(undefined);
    try {
      const fields = { message: read('message') ?? '', name: read('name'), email: read('email') };
      await form.send({ ...fields, website: read('website') }, sendsTurns);
      onSent();
    } catch (error) {
      setFailure(toFailure(error));
      setSending(false);
    }
  };
  return (
    <form aria-labelledby={id} onSubmit={submit}>
      <h3 id={id}>{labels.askPerson}</h3>
      {time && <p>{labels.expectedAnswer(time)}</p>}
      <label>
        {labels.yourMessage}
        <textarea
          ref={message}
          name="message"
          required
          rows={4}
          dir="auto"
          maxLength={boot?.config.message_chars_max}
          defaultValue={turns.at(-1)?.question}
        />
      </label>
      {name === undefined && (
        <label>
          {labels.yourName}
          <input name="name" autoComplete="name" maxLength={NAME_CHARS_MAX} dir="auto" />
        </label>
      )}
      {email === undefined && (
        <label>
          {labels.yourEmail}
          <input name="email" type="email" autoComplete="email" required dir="ltr" />
        </label>
      )}
      {/* People neither see nor reach this field; programs fill it in. */}
      <div aria-hidden="true" style={{ position: 'absolute', insetInlineStart: '-100vmax' }}>
        <input name="website" tabIndex={-1} autoComplete="off" />
      </div>
      {turns.length > 0 && (
        <label data-choice="">
          <input
            type="checkbox"
            checked={sendsTurns}
            onChange={(event) => setSendsTurns(event.currentTarget.checked)}
          />
          {labels.sendConversation}
        </label>
      )}
      <details>
        <summary>{labels.whatIsSent}</summary>
        {[name, email].map(
          (known) =>
            known && (
              <p key={known} dir="auto">
                {known}
              </p>
            ),
        )}
        <p dir="ltr">{form.pageUrl}</p>
        <p>{form.locale}</p>
        {sendsTurns &&
          turns.map(({ messageId, question, answer }) => (
            <div key={messageId} data-turn="">
              <p dir="auto">
                <strong>{question}</strong>
              </p>
              <p dir="auto" style={{ whiteSpace: 'pre-line' }}>
                {answer}
              </p>
            </div>
          ))}
      </details>
      <div role="alert">{failure && labels.failure(failure)}</div>
      <div data-choices="">
        <button type="submit" disabled={isSending}>
          {labels.send}
        </button>
        <button type="button" onClick={onCancel}>
          {labels.cancel}
        </button>
      </div>
    </form>
  );
}
