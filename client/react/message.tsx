'use client';
import type { CitationEvent } from '@guidepost/client';
import { type ReactNode, useId, useMemo } from 'react';
import { useOnDemand } from './load-on-demand.ts';
import { Actions, AskPerson, Citation, Feedback, Sources } from './on-demand-stubs.ts';
import type { Attributes, WithChildren } from './part.ts';
import { MessageContext, useAnswer, useGuideState, useMessage, useScope } from './scope.ts';
import { isAnswer, type Message as ShownMessage } from './state.ts';

/** The parts of one message. All pass `className` and other attributes on; none has styles. */

export type MessageProps = WithChildren<'article'> & { message: ShownMessage };

/**
 * A question or an answer, as `<article data-role="visitor | guide" data-state="…">`. Its children replace the default parts:
 * `Text`, `Sources`, `Actions`, `Failure`, `Feedback` and `AskPerson`.
 */
export function Message({ message, children, ...rest }: MessageProps): ReactNode {
  const { labels } = useScope();
  const id = useId();
  const scope = useMemo(() => ({ message, id }), [message, id]);
  const answer = isAnswer(message) ? message : undefined;
  return (
    <MessageContext.Provider value={scope}>
      <article
        aria-label={answer ? labels.guide : labels.you}
        data-role={message.role}
        data-state={answer?.state}
        {...rest}
      >
        {children ?? (
          <>
            <Text />
            <Sources />
            <Actions />
            <Failure />
            <Feedback />
            <AskPerson />
          </>
        )}
      </article>
    </MessageContext.Provider>
  );
}

/**
 * The text: an answer with its Markdown and a `Citation` behind each cited statement. `renderCitation` replaces the
 * citations. Until there is text, shows what the guide is doing, with `data-waiting`.
 */
export function Text({
  renderCitation,
  ...rest
}: Attributes<'div'> & {
  renderCitation?: ((citation: CitationEvent) => ReactNode) | undefined;
}): ReactNode {
  const { message } = useMessage();
  const { labels, store } = useScope();
  const answer = isAnswer(message) ? message : undefined;
  const { text } = message;
  const citations = answer?.citations;
  const onDemand = useOnDemand();
  const content = useMemo(() => {
    if (!onDemand || !citations) return <p dir="auto">{text}</p>;
    const markers = citations.map((citation) => ({
      citation,
      node: renderCitation?.(citation) ?? <Citation citation={citation} />,
    }));
    return text && onDemand.renderText(text, markers, store.baseUrl);
  }, [onDemand, text, citations, renderCitation, store]);
  const waitingText =
    answer?.state === 'waiting' || answer?.state === 'retrieving' ? labels.searching : labels.writing;
  const isWaiting = answer && text === '' && /^(waiting|retrieving|generating)$/.test(answer.state);
  return (
    <div dir="auto" lang={citations?.[0]?.content_locale} data-waiting={isWaiting ? '' : undefined} {...rest}>
      {isWaiting ? <p>{waitingText}</p> : content}
    </div>
  );
}

/** Why an answer has failed or stopped, with a button to try again under the last one. */
export function Failure(props: Attributes<'div'>): ReactNode {
  const answer = useAnswer();
  const { store, labels } = useScope();
  const isLast = useGuideState(({ messages }) => messages.at(-1) === answer);
  if (answer?.state !== 'failed' && answer?.state !== 'stopped') return null;
  const { failure } = answer;
  return (
    <div data-failure={failure?.code ?? 'stopped'} {...props}>
      <span>{failure ? labels.failure(failure) : labels.stopped}</span>
      {isLast && failure?.retryable !== false && (
        <button type="button" onClick={store.retry}>
          {labels.retry}
        </button>
      )}
    </div>
  );
}
