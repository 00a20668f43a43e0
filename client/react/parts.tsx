'use client';
import {
  Fragment,
  forwardRef,
  type KeyboardEvent,
  memo,
  type ReactNode,
  type Ref,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
} from 'react';
import { type GuideLabels, LABELS } from './labels.ts';
import { useOnDemand } from './load-on-demand.ts';
import { Message } from './message.tsx';
import { Handovers } from './on-demand-stubs.ts';
import type { Attributes, Part, WithChildren } from './part.ts';
import { ScopeContext, useGuideState, useScope } from './scope.ts';
import type { Message as ShownMessage } from './state.ts';
import type { GuideSettings } from './store.ts';
import { type GuideHandle, useStore } from './use-guide.ts';

/** The parts of a chat. All pass `className`, other attributes and `ref` on; none has styles. */

export { Failure, Message, type MessageProps, Text } from './message.tsx';
export {
  Actions,
  AskPerson,
  Citation,
  type CitationProps,
  Consent,
  type ConsentProps,
  Disclosure,
  Feedback,
  Sources,
  Suggestions,
} from './on-demand-stubs.ts';

export type RootProps = {
  children?: ReactNode;
  /** Replaces some of the English texts. Keep the object outside of the component. */
  labels?: Partial<GuideLabels> | undefined;
} & (GuideSettings | { guide: GuideHandle });

/**
 * Provides a guide to the components in it: a new one, from `baseUrl` and `appId`, or `guide`, which `useGuide()`
 * returned.
 */
export function Root({ children, labels, ...rest }: RootProps): ReactNode {
  const sharedStore = 'guide' in rest ? rest.guide.store : undefined;
  const ownStore = useStore('guide' in rest ? undefined : rest);
  const store = sharedStore ?? ownStore;
  const scope = useMemo(() => store && { store, labels: { ...LABELS, ...labels } }, [store, labels]);
  return <ScopeContext.Provider value={scope}>{children}</ScopeContext.Provider>;
}

/** On a server there is no layout; React 18 warns about the effect. */
const useLayout = typeof document === 'undefined' ? useEffect : useLayoutEffect;

/** New text scrolls into view when the visitor is within this distance of the end, in pixels. */
const NEAR_THE_END_PIXELS = 80;

export type MessagesProps = Attributes<'div'> & {
  /** Renders one message; by default `<Guide.Message message={message} />`. */
  children?: ((message: ShownMessage) => ReactNode) | undefined;
};

const ShownByDefault = memo(Message);

/** The conversation and what was asked of the team, as a log that screen readers follow. The end stays in view. */
export const Messages: Part<'div', MessagesProps> = forwardRef(function Messages(
  { children, onScroll, ...rest }: MessagesProps,
  ref: Ref<HTMLDivElement>,
): ReactNode {
  const { labels } = useScope();
  const messages = useGuideState((state) => state.messages);
  const handovers = useGuideState((state) => state.handovers);
  const isAnswering = useGuideState((state) => state.isAnswering);
  const onDemand = useOnDemand();
  const end = useRef<HTMLSpanElement>(null);
  const isAtEnd = useRef(true);
  const count = useRef(0);
  useLayout(() => {
    // A new question always comes into view.
    if (messages.length > count.current) isAtEnd.current = true;
    count.current = messages.length;
    const log = end.current?.parentElement;
    if (log && isAtEnd.current) log.scrollTop = log.scrollHeight;
    // Scroll also when suggestions take up room below, and when the formatting of answers has loaded.
  }, [messages, handovers, isAnswering, onDemand]);
  return (
    // biome-ignore-start lint/a11y/noNoninteractiveTabindex: a log that scrolls must be reachable by keyboard.
    <div
      ref={ref}
      role="log"
      aria-live="polite"
      aria-busy={isAnswering}
      aria-label={labels.conversation}
      tabIndex={0}
      {...rest}
      onScroll={(event) => {
        const { scrollHeight, scrollTop, clientHeight } = event.currentTarget;
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < NEAR_THE_END_PIXELS;
        onScroll?.(event);
      }}
    >
      <Handovers above="" />
      {messages.map((message) => (
        <Fragment key={message.key}>
          {children ? children(message) : <ShownByDefault message={message} />}
          <Handovers above={message.key} />
        </Fragment>
      ))}
      <span ref={end} hidden />
    </div>
    // biome-ignore-end lint/a11y/noNoninteractiveTabindex: see above.
  );
});

/** Says that the guide is connecting, or why it cannot, with a button to try again. Empty otherwise. */
export const Status: Part<'div'> = forwardRef(function Status(
  props: Attributes<'div'>,
  ref: Ref<HTMLDivElement>,
): ReactNode {
  const { store, labels } = useScope();
  const status = useGuideState((state) => state.status);
  const failure = useGuideState((state) => state.failure ?? state.voice.failure);
  return (
    <div ref={ref} role="status" data-status={status} {...props}>
      {status === 'booting' ? labels.connecting : failure && <span>{labels.failure(failure)}</span>}
      {status === 'unavailable' && failure?.retryable && (
        <button type="button" onClick={store.retry}>
          {labels.retry}
        </button>
      )}
    </div>
  );
});

/** A form that asks the question in `Input`. Its children replace the default `Input` and `Send`. */
export const Composer: Part<'form', WithChildren<'form'>> = forwardRef(function Composer(
  { children, onSubmit, ...rest }: WithChildren<'form'>,
  ref: Ref<HTMLFormElement>,
): ReactNode {
  const { store } = useScope();
  const isAnswering = useGuideState((state) => state.isAnswering);
  const submit: Attributes<'form'>['onSubmit'] = (event) => {
    onSubmit?.(event);
    if (event.defaultPrevented) return;
    event.preventDefault();
    const { draft } = store.getState();
    if (store.getState().isAnswering || draft.trim() === '') return;
    store.voice.close();
    store.setDraft('');
    store.send(draft);
  };
  return (
    <form ref={ref} data-answering={isAnswering || undefined} {...rest} onSubmit={submit}>
      {children ?? (
        <>
          <Input />
          <Send />
        </>
      )}
    </form>
  );
});

/** Its value is `draft` of the guide; `setDraft()` changes it. */
export type InputProps = Omit<Attributes<'textarea'>, 'value' | 'defaultValue'>;

/** The question. Enter sends it, unless an input method is composing; Shift+Enter starts a new line. */
export const Input: Part<'textarea', InputProps> = forwardRef(function Input(
  { onKeyDown, onChange, ...rest }: InputProps,
  ref: Ref<HTMLTextAreaElement>,
): ReactNode {
  const { store, labels } = useScope();
  const draft = useGuideState((state) => state.draft);
  const charsMax = useGuideState(({ boot }) => boot?.config.message_chars_max);
  const isListening = useGuideState(({ voice }) => voice.listening !== 'off');
  const handleKey = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    onKeyDown?.(event);
    if (event.defaultPrevented || event.key !== 'Enter' || event.shiftKey) return;
    // Safari ends the composition before it reports the key, which then has the code 229.
    if (event.nativeEvent.isComposing || event.keyCode === 229) return;
    event.preventDefault();
    event.currentTarget.form?.requestSubmit();
  };
  return (
    <textarea
      ref={ref}
      name="question"
      rows={1}
      dir="auto"
      aria-label={labels.question}
      placeholder={labels.placeholder}
      maxLength={charsMax}
      readOnly={isListening}
      {...rest}
      value={draft}
      onKeyDown={handleKey}
      onChange={(event) => {
        onChange?.(event);
        store.setDraft(event.currentTarget.value);
      }}
    />
  );
});

/** Sends the question, and while it is being answered stops the answer. */
export const Send: Part<'button', WithChildren<'button'>> = forwardRef(function Send(
  { children, onClick, ...rest }: WithChildren<'button'>,
  ref: Ref<HTMLButtonElement>,
): ReactNode {
  const { store, labels } = useScope();
  const isAnswering = useGuideState((state) => state.isAnswering);
  return (
    <button
      ref={ref}
      data-send={isAnswering ? 'stop' : 'send'}
      {...rest}
      // Always a submit button, so that it keeps the focus; submitting does nothing while answering.
      type="submit"
      onClick={(event) => {
        onClick?.(event);
        if (!isAnswering || event.defaultPrevented) return;
        event.preventDefault();
        store.stop();
      }}
    >
      {children ?? (isAnswering ? labels.stop : labels.send)}
    </button>
  );
});
