import type { LIMITS } from '../../contract/limits.ts';
import { button, element } from '../embed/element.ts';
import { fill } from '../embed/texts.ts';
import { type Field, fieldAround, textInput } from './field.ts';
import type { Page } from './page.ts';

const CHARS_MIN: (typeof LIMITS)['passwordCharsMin'] = 15;

/** A new password, with what it needs, or the one of an account. Both can be looked at. */
export function passwordField(kind: 'new-password' | 'current-password', label: string, page: Page): Field {
  const { texts } = page;
  const input = textInput({ type: 'password', autocomplete: kind });
  const toggle = button(texts.show, { class: 'quiet' }, () => {
    const shows = input.type === 'password';
    input.type = shows ? 'text' : 'password';
    toggle.textContent = shows ? texts.hide : texts.show;
    page.announce(shows ? texts.shown : texts.hidden);
  });
  toggle.setAttribute('aria-controls', 'password');
  const isNew = kind === 'new-password';
  const aside = element('p', { id: 'password-length', class: 'hint' });
  if (isNew) {
    input.addEventListener('input', () => {
      aside.textContent = lengthText(input.value, page);
    });
    // Each key would be too much to listen to.
    input.addEventListener('change', () => page.announce(lengthText(input.value, page)));
  }
  return fieldAround(input, {
    id: 'password',
    label,
    action: toggle,
    ...(isNew ? { hint: fill(texts.passwordHint, { min: CHARS_MIN }), aside } : {}),
  });
}

/** Counts as the service does. */
function lengthText(password: string, { texts }: Page): string {
  if (password === '') return '';
  const count = CHARS_MIN - [...password.normalize('NFKC')].length;
  return count > 0 ? fill(texts.passwordLeft, { count }) : texts.passwordLongEnough;
}

/** What the service has against a password, by the code that it gives. */
export function passwordProblemText(issue: { code: string; message: string }, { texts }: Page): string {
  const text = texts.passwordProblems[issue.code];
  return text ? fill(text, { min: CHARS_MIN }) : issue.message;
}
