import type { BootReply, VisitorDecision as ConsentDecision } from '../../generated/types.ts';
import { startsWithoutPrompt } from '../consent-defaults.ts';
import type { Denial } from '../denial.ts';
import type { Guide } from '../sdk/guide.ts';
import { getAddress } from './address.ts';
import type { Emit } from './conversation.ts';
import { type Announcer, button, element, prose } from './element.ts';
import type { Texts, Wording } from './language.ts';
import { segment } from './segment.ts';

export type ConsentDeps = {
  guide: Guide;
  denial: Denial;
  texts: Texts;
  announcer: Announcer;
  emit: Emit;
  /** Called when a decision was recorded. */
  onDecided: () => void;
};

/** Adds the wording to the reply of the launcher's boot, which leaves it empty. */
export function addWording(reply: BootReply, { copy, disclosure }: Wording): BootReply {
  const { config, consent_directive } = reply;
  return {
    ...reply,
    config: { ...config, consent: { ...config.consent, copy } },
    consent_directive: { ...consent_directive, ai_disclosure: disclosure },
  };
}

/** Creates the AI disclosure below the field. Where consent is not asked for, it names the processing that is on. */
export function createDisclosure(deps: ConsentDeps): HTMLElement {
  const { consent_directive: directive, config } = deps.guide.state!;
  const { ai_disclosure: disclosure, gpc } = directive;
  const { copy } = config.consent;
  return element(
    'div',
    { class: 'disclosure' },
    disclosure.required ? foldAfterSentence(disclosure.text, disclosure.locale) : undefined,
    gpc.honored ? prose(copy.gpc_notice, copy.locale) : undefined,
    startsWithoutPrompt(directive) ? createNotice(deps) : undefined,
  );
}

/** Shows the first sentence, and the others on demand. */
function foldAfterSentence(text: string, locale: string): HTMLElement {
  const [first = '', ...others] = segment(text, 'sentence', locale);
  if (others.length === 0) return prose(first, locale);
  const summary = element('summary', {}, first.trim());
  return element('details', { dir: 'auto', lang: locale }, summary, others.join(''));
}

/** Says what is on, beside a way to decline with one click. */
function createNotice(deps: ConsentDeps): HTMLElement {
  const { copy } = deps.guide.state!.config.consent;
  const status = element('p', { class: 'note' });
  const deny = button(copy.deny, { class: 'choice' }, async () => {
    deny.disabled = true;
    if (await recordDecision(deps, 'denied')) return;
    deny.disabled = false;
    status.textContent = deps.texts.notSaved;
  });
  return element('div', { class: 'notice', lang: copy.locale }, prose(copy.notice), deny, status);
}

/** Records a decision and announces whether that worked. */
async function recordDecision(deps: ConsentDeps, decision: ConsentDecision): Promise<boolean> {
  const { guide, denial, texts, announcer, emit, onDecided } = deps;
  denial.keep(decision !== 'accepted');
  const recorded = await guide
    .consent(decision, { url: getAddress().href })
    .then((reply) => reply.recorded)
    .catch(() => false);
  emit('consent', { decision, recorded });
  announcer.say(recorded ? texts.saved : texts.notSaved);
  if (recorded) onDecided();
  return recorded;
}

/**
 * Asks for consent in one line, with the text of the directive on demand. Both choices look the same and take one click. After
 * a decision it shows the decision, which can be withdrawn with one click as well.
 */
export function createConsentPrompt(
  deps: ConsentDeps,
  /** Whether the text of the directive is shown from the start; a visitor can show it in any case. */
  isDetailed: boolean,
): HTMLElement {
  const { guide, texts } = deps;
  const { config, consent_directive: directive } = guide.state!;
  const { copy } = config.consent;
  const status = element('p', { class: 'note' });
  const hasDecided = directive.reason === 'prior_decision' && !directive.ask;
  const hasAgreed = directive.purposes.retention === 'granted';
  const decided = hasAgreed ? texts.agreed : texts.declined;
  const title = element('h3', { id: 'consent-title', dir: 'auto' }, hasDecided ? decided : copy.title);
  const details = prose(directive.gpc.honored ? copy.gpc_notice : copy.text);
  details.id = 'consent-details';

  async function decide(decision: ConsentDecision): Promise<void> {
    for (const choice of choices) choice.disabled = true;
    if (await recordDecision(deps, decision)) return;
    for (const choice of choices) choice.disabled = false;
    status.textContent = texts.notSaved;
  }

  const deny = button(
    hasDecided ? texts.withdraw : copy.deny,
    { class: 'choice' },
    () => void decide('denied'),
  );
  const accept = button(copy.accept, { class: 'choice' }, () => void decide('accepted'));
  // The browser's privacy signal applies in any case, so there is nothing to choose.
  const choices = directive.gpc.honored
    ? []
    : [deny, accept].filter((choice) => !hasDecided || (choice === deny) === hasAgreed);
  const detailsButton = button(texts.details, { class: 'quiet more' }, () =>
    showDetails(details.hidden === true),
  );
  detailsButton.setAttribute('aria-controls', details.id);
  function showDetails(shown: boolean): void {
    details.hidden = !shown;
    detailsButton.setAttribute('aria-expanded', String(shown));
  }
  showDetails(isDetailed);
  const prompt = element(
    'div',
    {
      class: 'consent',
      role: 'group',
      'aria-labelledby': title.id,
      'aria-describedby': details.id,
      tabindex: -1,
      lang: copy.locale,
    },
    element(
      'div',
      { class: 'consent-line' },
      element('div', {}, title, ' ', detailsButton),
      element('div', { class: 'choices' }, ...choices),
    ),
    details,
    status,
  );
  return prompt;
}

/** Logs that the browser's privacy signal was taken as an opt-out, which has applied since the boot. */
export async function recordSignal({ guide, emit }: Pick<ConsentDeps, 'guide' | 'emit'>): Promise<void> {
  if (guide.state?.consent_directive.reason !== 'gpc') return;
  const decision = 'gpc_auto_optout';
  const reply = await guide
    .consent(decision, { url: getAddress().href, overrideSource: 'gpc' })
    .catch(() => undefined);
  emit('consent', { decision, recorded: reply?.recorded ?? false });
}
