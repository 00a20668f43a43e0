import type { VisitorHandover } from '@guidepost/client';
import { forwardRef, type ReactNode, type Ref, useContext, useEffect, useRef, useState } from 'react';
import type { HandoverForm } from './controls.ts';
import type { Attributes, Part } from './part.ts';
import { MessageContext, useGuideState, useScope } from './scope.ts';
import { type GuideFailure, isAnswer, toFailure } from './state.ts';

/** The parts with which a visitor asks a person. */

type Opened = Pick<typeof import('./person-form.tsx'), 'PersonForm'> & { form: HandoverForm };

export const AskPerson: Part<'div'> = forwardRef(function AskPerson(
  props: Attributes<'div'>,
  ref: Ref<HTMLDivElement>,
): ReactNode {
  const { store, labels } = useScope();
  const isOffered = useIsOffered();
  const [opened, setOpened] = useState<Opened | 'sent'>();
  const [failure, setFailure] = useState<GuideFailure>();
  const button = useRef<HTMLButtonElement>(null);
  const wasOpen = useRef(false);
  useEffect(() => {
    if (wasOpen.current && !opened) button.current?.focus();
    wasOpen.current = opened !== undefined;
  }, [opened]);
  if (!isOffered && !opened) return null;
  const open = async () => {
    setFailure(undefined);
    try {
      const [{ PersonForm }, form] = await Promise.all([import('./person-form.tsx'), store.openHandover()]);
      setOpened({ PersonForm, form });
    } catch (error) {
      setFailure(toFailure(error));
    }
  };
  return (
    <div ref={ref} data-ask-person={opened === 'sent' ? 'sent' : opened ? 'open' : ''} {...props}>
      {!opened && (
        <button ref={button} type="button" onClick={() => void open()}>
          {labels.askPerson}
        </button>
      )}
      {opened === 'sent' && <Sent />}
      {typeof opened === 'object' && (
        <opened.PersonForm
          form={opened.form}
          onSent={() => setOpened('sent')}
          onCancel={() => setOpened(undefined)}
        />
      )}
      {failure && <p role="alert">{labels.failure(failure)}</p>}
    </div>
  );
});

/** Below an answer: if it did not help, or a person was asked for. Elsewhere: if the workspace always offers one. */
function useIsOffered(): boolean {
  const message = useContext(MessageContext)?.message;
  const mode = useGuideState(({ boot }) => boot?.config.handover?.mode);
  if (!mode || !message) return mode === 'always';
  if (!isAnswer(message) || message.state !== 'done') return false;
  const { finishReason, offersPerson, rating } = message;
  return mode === 'always' || finishReason === 'no_knowledge' || offersPerson === true || rating === 'down';
}

function Sent(): ReactNode {
  const { labels } = useScope();
  const note = useRef<HTMLParagraphElement>(null);
  useEffect(() => note.current?.focus(), []);
  return (
    <p ref={note} role="status" tabIndex={-1}>
      {labels.messageSent}
    </p>
  );
}

/** What the visitor asked the team after the message with this key, with the replies. */
export function Handovers({ above }: { above: string }): ReactNode {
  const handovers = useGuideState((state) => state.handovers);
  return handovers
    .filter((sent) => sent.above === above)
    .map(({ handover }) => <Thread key={handover.handover_id} handover={handover} />);
}

function Thread({ handover: { message, replies } }: { handover: VisitorHandover }): ReactNode {
  const { labels } = useScope();
  const time = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
  return (
    <article aria-label={labels.yourMessage} data-handover="">
      <p dir="auto" style={{ whiteSpace: 'pre-line' }}>
        {message}
      </p>
      {replies.map(({ reply_id, text, at }) => (
        <div key={reply_id} data-reply="">
          <h3>{labels.teamAnswered}</h3>
          <p dir="auto" style={{ whiteSpace: 'pre-line' }}>
            {text}
          </p>
          <time dateTime={new Date(at * 1000).toISOString()}>{time.format(at * 1000)}</time>
        </div>
      ))}
    </article>
  );
}
