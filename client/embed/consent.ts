import type { BootReply, VisitorDecision as ConsentDecision } from '../../generated/types.ts';
import type { Guide } from '../sdk/guide.ts';
import type { Announcer } from './announcer.ts';
import { button, element, prose } from './element.ts';
import type { GuidepostEvents } from './public-api.ts';
import type { Texts } from './texts.ts';

export type ConsentDeps = {
  readonly guide: Guide;
  readonly texts: Texts;
  readonly announcer: Announcer;
  readonly tell: (decision: GuidepostEvents['consent']) => void;
  /** Called once the prompt is gone. */
  readonly onDecided: () => void;
};

/** The disclosure that this is a machine, and what became of the browser's privacy signal. Stays above the conversation. */
export function disclosureOf({ consent_directive: directive, config }: BootReply): HTMLElement {
  const { ai_disclosure: disclosure, gpc } = directive;
  const { copy } = config.consent;
  const notice = gpc.honored ? prose(copy.gpc_notice, copy.locale) : undefined;
  return element(
    'div',
    { class: 'disclosure' },
    disclosure.required ? prose(disclosure.text, disclosure.locale) : undefined,
    notice,
  );
}

/**
 * Asks for a decision in the words of the directive. Both answers look alike, weigh alike and are one click away. Who has
 * decided is told what, and can take it back with the one click that it took to give.
 */
export function consentPrompt(deps: ConsentDeps): HTMLElement {
  const { guide, texts, announcer, onDecided } = deps;
  const { config, consent_directive: directive } = guide.state!;
  const { copy } = config.consent;
  const status = element('p', { class: 'note' });
  const title = element('h3', { id: 'consent-title', dir: 'auto' }, copy.title);

  async function decide(decision: ConsentDecision): Promise<void> {
    for (const choice of choices) choice.disabled = true;
    const recorded = await guide
      .consent(decision, { url: location.href })
      .then((reply) => reply.recorded)
      .catch(() => false);
    deps.tell({ decision, recorded });
    if (recorded) {
      announcer.say(texts.saved);
      prompt.remove();
      onDecided();
      return;
    }
    for (const choice of choices) choice.disabled = false;
    status.textContent = texts.notSaved;
    announcer.say(texts.notSaved);
  }

  const hasDecided = directive.reason === 'prior_decision' && !directive.ask;
  const hasAgreed = directive.purposes.retention === 'granted';
  const deny = button(
    hasDecided ? texts.withdraw : copy.deny,
    { class: 'choice' },
    () => void decide('denied'),
  );
  const accept = button(copy.accept, { class: 'choice' }, () => void decide('accepted'));
  // The signal of the browser holds whatever is clicked, so that there is nothing to choose.
  const choices = directive.gpc.honored
    ? []
    : [deny, accept].filter((choice) => !hasDecided || (choice === deny) === hasAgreed);
  const decided = hasDecided ? element('p', {}, hasAgreed ? texts.agreed : texts.declined) : undefined;
  const prompt = element(
    'div',
    { class: 'consent', role: 'group', 'aria-labelledby': title.id, tabindex: -1, lang: copy.locale },
    title,
    prose(directive.gpc.honored ? copy.gpc_notice : copy.text),
    decided,
    element('div', { class: 'choices' }, ...choices),
    status,
  );
  return prompt;
}

/** Leaves evidence that the signal of the browser was taken as an opt-out. The opt-out itself holds since the boot. */
export async function recordSignal({ guide, tell }: Pick<ConsentDeps, 'guide' | 'tell'>): Promise<void> {
  if (guide.state?.consent_directive.reason !== 'gpc') return;
  const decision = 'gpc_auto_optout';
  const reply = await guide
    .consent(decision, { url: location.href, overrideSource: 'gpc' })
    .catch(() => undefined);
  tell({ decision, recorded: reply?.recorded ?? false });
}
