import type { ActionEvent, CitationEvent } from '@guidepost/client';
import { forwardRef, type ReactNode, type Ref, useContext, useId } from 'react';
import { buildPassageUrl } from '../passage-url.ts';
import type { Attributes, Part, WithChildren } from './part.ts';
import {
  MessageContext,
  type MessageScope,
  useAnswer,
  useGuideState,
  useMessage,
  useScope,
} from './scope.ts';

/** The parts of a message that only answers have. */

export type CitationProps = WithChildren<'a'> & { citation: CitationEvent };

export const Citation: Part<'a', CitationProps> = forwardRef(function Citation(
  { citation, children, onClick, ...rest }: CitationProps,
  ref: Ref<HTMLAnchorElement>,
): ReactNode {
  const { labels } = useScope();
  const scope = useContext(MessageContext);
  const source = scope && getSourceId(scope, citation);
  const url = buildPassageUrl(citation);
  return (
    <a
      ref={ref}
      href={url ?? `#${source}`}
      target={url && '_blank'}
      rel="noopener noreferrer"
      aria-label={labels.source(citation)}
      data-citation={citation.index}
      {...rest}
      onClick={(event) => {
        onClick?.(event);
        const hasModifier = event.metaKey || event.ctrlKey || event.shiftKey;
        if (event.defaultPrevented || hasModifier || !source || !showSource(source)) return;
        event.preventDefault();
      }}
    >
      {children ?? citation.index}
    </a>
  );
});

const getSourceId = ({ id }: MessageScope, citation: CitationEvent) => `${id}-${citation.citation_id}`;

/** Opens a source and moves the focus to it. Returns false when the message does not show its sources with quotes. */
function showSource(id: string): boolean {
  const source = document.getElementById(id);
  const details = source?.querySelector('details');
  if (!source || !details) return false;
  details.open = true;
  source.scrollIntoView({ block: 'nearest' });
  source.querySelector('summary')?.focus({ preventScroll: true });
  return true;
}

export const Sources: Part<'ol'> = forwardRef(function Sources(
  props: Attributes<'ol'>,
  ref: Ref<HTMLOListElement>,
): ReactNode {
  const scope = useMessage();
  const { labels } = useScope();
  const answer = useAnswer();
  if (!answer || answer.citations.length === 0) return null;
  return (
    <ol ref={ref} aria-label={labels.sources} data-sources="" {...props}>
      {answer.citations.map((citation) => (
        <li
          key={citation.citation_id}
          id={getSourceId(scope, citation)}
          value={citation.index}
          data-stale={citation.stale || undefined}
        >
          <Source citation={citation} isQuoted={answer.text.includes(citation.quote.trim())} />
        </li>
      ))}
    </ol>
  );
});

type SourceProps = { citation: CitationEvent; isQuoted: boolean };

/** Omits the quote when the answer already contains it. */
function Source({ citation, isQuoted }: SourceProps): ReactNode {
  const { labels } = useScope();
  const { content_locale: lang, quote, title } = citation;
  const href = buildPassageUrl(citation);
  const renderLink = (content: ReactNode) => (
    <a href={href} target="_blank" rel="noopener noreferrer" dir="auto">
      {content}
    </a>
  );
  const name = (
    <span lang={lang} dir="auto">
      {title}
    </span>
  );
  if (isQuoted) return href ? renderLink(name) : name;
  return (
    <details>
      <summary>{name}</summary>
      <blockquote lang={lang} dir="auto">
        {quote}
      </blockquote>
      {href && renderLink(labels.readArticle)}
    </details>
  );
}

export const Actions: Part<'ul'> = forwardRef(function Actions(
  props: Attributes<'ul'>,
  ref: Ref<HTMLUListElement>,
): ReactNode {
  const answer = useAnswer();
  const { store, labels } = useScope();
  if (!answer || answer.actions.length === 0) return null;
  const renderChoices = (action: ActionEvent) => (
    <>
      <button type="button" dir="auto" onClick={() => void store.perform(action)}>
        {action.label}
      </button>
      {action.requires_confirmation && !answer.outcomes[action.action_id] && (
        <button type="button" onClick={() => store.decline(action)}>
          {labels.notNow}
        </button>
      )}
    </>
  );
  return (
    <ul ref={ref} data-actions="" {...props}>
      {answer.actions.map((action) => {
        const outcome = answer.outcomes[action.action_id];
        return (
          <li key={action.action_id} data-outcome={outcome}>
            {outcome !== 'declined' && renderChoices(action)}
            {outcome && <span role="status">{labels.outcome(outcome)}</span>}
          </li>
        );
      })}
    </ul>
  );
});

export const Feedback: Part<'div'> = forwardRef(function Feedback(
  props: Attributes<'div'>,
  ref: Ref<HTMLDivElement>,
): ReactNode {
  const answer = useAnswer();
  const { store, labels } = useScope();
  const isOn = useGuideState(({ boot }) => boot?.features.feedback);
  const id = useId();
  if (!isOn || answer?.state !== 'done') return null;
  const renderChoice = (rating: 'up' | 'down', label: string) => (
    <button
      type="button"
      aria-pressed={answer.rating === rating}
      onClick={() => void store.feedback(answer.id, rating)}
    >
      {label}
    </button>
  );
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out like this.
    <div ref={ref} role="group" aria-labelledby={id} data-feedback={answer.rating ?? ''} {...props}>
      <span id={id}>{labels.helpful}</span>
      {renderChoice('up', labels.yes)}
      {renderChoice('down', labels.no)}
      <span role="status">{answer.rating && labels.thanks}</span>
    </div>
  );
});
