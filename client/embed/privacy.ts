import { type ConsentDeps, createConsentPrompt } from './consent.ts';
import { button } from './element.ts';

export type PrivacyDeps = ConsentDeps & {
  consentArea: HTMLElement;
  /** The button that opens and closes the area. */
  privacy: HTMLElement;
  /** Deletes the visitor's data. Returns false if that failed. */
  erase: () => Promise<boolean>;
  onErased: () => Promise<void>;
};

export function askForConsent(deps: PrivacyDeps, isDetailed = false): void {
  deps.consentArea.replaceChildren(createConsentPrompt(deps, isDetailed));
}

/** Lets visitors change their choice at any time. */
export function togglePrivacy(deps: PrivacyDeps): void {
  const { consentArea, privacy, guide } = deps;
  const isShown = consentArea.querySelector('.erase') !== null;
  consentArea.replaceChildren();
  if (!isShown || guide.state!.consent_directive.ask) askForConsent(deps, !isShown);
  privacy.setAttribute('aria-expanded', String(!isShown));
  if (isShown) return;
  consentArea.append(createEraseButton(deps));
  consentArea.querySelector<HTMLElement>('.consent')?.focus();
}

/** Closes the area when the visitor goes on, which also disarms the button that deletes everything. */
export function leavePrivacy(deps: PrivacyDeps): void {
  if (deps.consentArea.querySelector('.erase')) togglePrivacy(deps);
}

function createEraseButton({ texts, announcer, erase, onErased }: PrivacyDeps): HTMLElement {
  let isConfirming = false;
  const eraseButton = button(texts.erase, { class: 'erase' }, async () => {
    if (!isConfirming) {
      isConfirming = true;
      eraseButton.classList.add('sure');
      eraseButton.textContent = texts.eraseNow;
      return;
    }
    const erased = await erase();
    const sentence = erased ? texts.erased : texts.failed;
    announcer.say(sentence);
    eraseButton.textContent = sentence;
    if (erased) await onErased();
  });
  return eraseButton;
}
