/** Writes raised and lowered text so that 10³ does not become 103. */

const SUPERSCRIPTS = createLetters(
  '0123456789+-−=()niabcdefghjklmoprstuvwxyz',
  '⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱᵃᵇᶜᵈᵉᶠᵍʰʲᵏˡᵐᵒᵖʳˢᵗᵘᵛʷˣʸᶻ',
);
const SUBSCRIPTS = createLetters('0123456789+-−=()aehijklmnoprstuvx', '₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ');

function createLetters(from: string, to: string): ReadonlyMap<string, string> {
  const letters = [...to];
  return new Map([...from].map((letter, at) => [letter, letters[at]!]));
}

/** Ordinals and trademarks read the same without being raised. */
const PLAIN = /^(?:st|nd|rd|th|er|re|e|o|a|os|as|ème|™|®|©|TM|SM|R)$/;
const FOOTNOTE_SIGN = /^\[?[*†‡§]+\]?$|^\[\w+\]$|^\d{1,3}\)$/;
const NUMBERS = /^\d{1,3}(?:[,;–-]\d{1,3})*$/;
/** What a number may be the exponent of: a number, a unit, a variable, a bracket. */
const BASE =
  /(?:^|[^\p{L}])(?:\d|\p{L}|[mcdkµμn]m|ft|yd|mi|in|rad|km|cm|mm|dm|ha|sq|sec|min|px|log|sin|cos|tan)$|[\d)\]}]$/u;

export type Place = 'sup' | 'sub';

/** Whether raised text leads to a footnote. */
const isFootnoteMark = (words: string, before: string): boolean =>
  FOOTNOTE_SIGN.test(words) ||
  (NUMBERS.test(words) && before.trimEnd() !== '' && !BASE.test(before.trimEnd().slice(-8)));

/** @param before the text before it */
export function formatRaised(words: string, place: Place, before: string): string {
  if (words === '' || PLAIN.test(words)) return words;
  if (place === 'sup' && before.trim() === '' && NUMBERS.test(words)) return `[${words}] `;
  if (place === 'sup' && isFootnoteMark(words, before)) return '';
  const letters = place === 'sup' ? SUPERSCRIPTS : SUBSCRIPTS;
  if ([...words].every((letter) => letters.has(letter)))
    return [...words].map((letter) => letters.get(letter)!).join('');
  return `${place === 'sup' ? '^' : '_'}${words.length > 1 ? `(${words})` : words}`;
}
