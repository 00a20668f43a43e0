/** Detects the language of a text by its script, or by common short words. */

const WORDS: Readonly<Record<string, readonly string[]>> = {
  en: ['the', 'and', 'to', 'you', 'is', 'of', 'in', 'a', 'on', 'your', 'this', 'for', 'it', 'or', 'can'],
  de: [
    'der',
    'die',
    'das',
    'und',
    'sie',
    'ist',
    'den',
    'auf',
    'ein',
    'eine',
    'zu',
    'im',
    'mit',
    'nicht',
    'dazu',
    'ich',
    'oder',
  ],
  es: [
    'el',
    'la',
    'los',
    'las',
    'de',
    'y',
    'en',
    'su',
    'un',
    'una',
    'para',
    'que',
    'no',
    'con',
    'sobre',
    'se',
    'o',
  ],
  fr: [
    'le',
    'la',
    'les',
    'de',
    'et',
    'vous',
    'est',
    'un',
    'une',
    'pour',
    'dans',
    'des',
    'rien',
    'sur',
    'votre',
    'du',
    'ou',
    'en',
    'ne',
    'pas',
    'l',
    'd',
  ],
  pt: ['o', 'a', 'os', 'as', 'de', 'e', 'em', 'um', 'uma', 'para', 'que', 'não', 'por', 'seu', 'do', 'da'],
};

export function detectLanguage(text: string): string {
  const count = (script: RegExp) => text.match(script)?.length ?? 0;
  if (count(/[\p{Script=Hiragana}\p{Script=Katakana}]/gu) > 0) return 'ja';
  if (count(/\p{Script=Han}/gu) > 0) return 'zh';
  if (count(/\p{Script=Cyrillic}/gu) > count(/\p{Script=Latin}/gu)) return 'ru';
  if (count(/\p{Script=Arabic}/gu) > count(/\p{Script=Latin}/gu)) return 'fa';
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  const matches = Object.entries(WORDS).map(
    ([language, small]) => [language, words.filter((word) => small.includes(word)).length] as const,
  );
  return matches.reduce((best, one) => (one[1] > best[1] ? one : best), ['', 0] as readonly [
    string,
    number,
  ])[0];
}
