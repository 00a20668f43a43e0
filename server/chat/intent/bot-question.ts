/** Detects the question whether the guide is a person. Engines and owners cannot override the reply. */
import { once } from '../../base/cache.ts';
import { CHAT_LANGUAGES, type ChatLanguage } from '../../base/guide-languages.ts';
import { hasUnspacedLetters } from '../../base/text.ts';

const listPatterns = once(() =>
  Array.from(CHAT_LANGUAGES, ([language, { botQuestion }]) => ({
    language,
    patterns: botQuestion ? buildPatterns(botQuestion) : [],
  })),
);

function buildPatterns({ being = '', patterns }: NonNullable<ChatLanguage['botQuestion']>): RegExp[] {
  return patterns.map((pattern) => {
    const phrase = pattern.replaceAll('{being}', being);
    return new RegExp(hasUnspacedLetters(phrase) ? phrase : toWholeWords(phrase), 'iu');
  });
}

/** A blank matches blanks, commas and hyphens; ` ?` also matches nothing. */
function toWholeWords(phrase: string): string {
  const words = phrase.replaceAll(' ?', '[\\s,-]*').replaceAll(' ', '[\\s,-]+');
  return `(?<![\\p{L}\\p{N}])(?:${words})(?![\\p{L}\\p{N}])`;
}

const CHARS_READ_MAX = 2000;

/** Returns the language of the question, and the rest of the text; undefined for other questions. */
export function findBotQuestion(text: string): { language: string; rest: string } | undefined {
  const normalized = text
    .slice(0, CHARS_READ_MAX)
    .normalize('NFKC')
    .replaceAll(/[’‘`´]/g, "'");
  for (const { language, patterns } of listPatterns()) {
    if (!patterns.some((pattern) => pattern.test(normalized))) continue;
    let rest = normalized;
    for (const pattern of patterns) rest = rest.replaceAll(new RegExp(pattern, 'giu'), ' ');
    return { language, rest: rest.trim() };
  }
  return undefined;
}
