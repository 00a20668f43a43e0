import { forwardRef, type ReactNode, type Ref, useId } from 'react';
import { startsWithoutPrompt } from '../consent-defaults.ts';
import type { Attributes, Part } from './part.ts';
import { useGuideState, useScope } from './scope.ts';
import type { GuideState } from './state.ts';

/** Parts whose content comes from the reply to a boot. */

export const Disclosure: Part<'div'> = forwardRef(function Disclosure(
  props: Attributes<'div'>,
  ref: Ref<HTMLDivElement>,
): ReactNode {
  const { store, labels } = useScope();
  const boot = useGuideState((state) => state.boot);
  const { isSaving, hasFailed } = useGuideState(({ consent }) => consent);
  if (!boot) return null;
  const { ai_disclosure: ai, gpc } = boot.consent_directive;
  const { copy } = boot.config.consent;
  const isWithoutPrompt = startsWithoutPrompt(boot.consent_directive);
  if (!ai.required && !gpc.honored && !isWithoutPrompt) return null;
  return (
    <div ref={ref} data-disclosure="" {...props}>
      {ai.required && <p lang={ai.locale}>{ai.text}</p>}
      {gpc.honored && <p lang={copy.locale}>{copy.gpc_notice}</p>}
      {isWithoutPrompt && (
        <div lang={copy.locale} data-notice="">
          <p>{copy.notice}</p>
          <button type="button" disabled={isSaving} onClick={() => void store.deny()}>
            {copy.deny}
          </button>
          <p role="status">{hasFailed && labels.consent.failed}</p>
        </div>
      )}
    </div>
  );
});

export type ConsentProps = Attributes<'section'> & {
  /** Also shows the decision, and a button to change it. */
  always?: boolean | undefined;
};

export const Consent: Part<'section', ConsentProps> = forwardRef(function Consent(
  { always = false, ...rest }: ConsentProps,
  ref: Ref<HTMLElement>,
): ReactNode {
  const { store, labels } = useScope();
  const copy = useGuideState(({ boot }) => boot?.config.consent.copy);
  const { state, isByBrowser, isSaving, hasFailed } = useGuideState(({ consent }) => consent);
  const id = useId();
  if (!copy || state === 'unknown' || (state !== 'needed' && !always)) return null;
  const renderChoice = (label: string, decide: () => Promise<void>) => (
    <button type="button" disabled={isSaving} onClick={() => void decide()}>
      {label}
    </button>
  );
  return (
    <section ref={ref} aria-labelledby={id} lang={copy.locale} data-consent={state} {...rest}>
      <h2 id={id}>{copy.title}</h2>
      <p>{isByBrowser ? copy.gpc_notice : copy.text}</p>
      {state !== 'needed' && !isByBrowser && <p>{labels.consent[state]}</p>}
      {!isByBrowser && (
        <div data-choices="">
          {state !== 'denied' && renderChoice(copy.deny, store.deny)}
          {state !== 'granted' && renderChoice(copy.accept, store.accept)}
        </div>
      )}
      <p role="status">{hasFailed && labels.consent.failed}</p>
    </section>
  );
});

export const Suggestions: Part<'div'> = forwardRef(function Suggestions(
  props: Attributes<'div'>,
  ref: Ref<HTMLDivElement>,
): ReactNode {
  const { store, labels } = useScope();
  const suggestions = useGuideState((state) => (state.isAnswering ? NONE : state.suggestions));
  if (suggestions.length === 0) return null;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out like this.
    <div ref={ref} role="group" aria-label={labels.suggestions} data-suggestions="" {...props}>
      {suggestions.map(({ suggestion_id, title, message }) => (
        <button key={suggestion_id} type="button" dir="auto" onClick={() => store.send(message)}>
          {title}
        </button>
      ))}
    </div>
  );
});
const NONE: GuideState['suggestions'] = [];
