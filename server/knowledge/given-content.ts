import { LIMITS } from '../../contract/limits.ts';
import { hasAtMost } from '../characters.ts';
import { type Problem, refuseInvalid } from '../http/errors.ts';
import type { ArticleContent } from '../storage/articles.ts';
import { tidyLine, tidyText } from './import/tidy-text.ts';
import { canonicalLocale, tagCharactersMax } from './locale.ts';

/** What an owner or admin sends. */
export type GivenContent = {
  readonly title: string;
  readonly answer: string;
  readonly aliases?: readonly string[] | undefined;
  readonly url?: string | undefined;
};

/** The content in the form in which it is kept, the same as after an import; refuses what is empty or too long in it. */
export function keptContent(
  { title, answer, aliases = [], url }: GivenContent,
  aliasesAt = 'body.aliases',
): ArticleContent {
  const kept = {
    title: tidyLine(title),
    answer: tidyText(answer),
    aliases: [...new Set(aliases.map(tidyLine))],
    ...(url === undefined ? {} : { url }),
  };
  const problems = [
    ...problemsOf('body.title', kept.title, LIMITS.titleCharsMax),
    ...problemsOf('body.answer', kept.answer, LIMITS.answerCharsMax),
    ...kept.aliases.flatMap((alias, at) => problemsOf(`${aliasesAt}.${at}`, alias, LIMITS.aliasCharsMax)),
  ];
  if (url !== undefined && !URL.canParse(url)) {
    problems.push({ path: 'body.url', code: 'invalid_url', message: 'This is not an address.' });
  }
  if (problems.length > 0) refuseInvalid(...problems);
  return kept;
}

/** Normalising may leave nothing of a text, and a few scripts grow by it. */
function problemsOf(path: string, text: string, charsMax: number): Problem[] {
  if (text === '') {
    return [
      { path, code: 'blank', message: 'There must be something besides blanks and control characters.' },
    ];
  }
  if (!hasAtMost(charsMax, text)) {
    return [
      { path, code: 'too_long', message: `In its composed form (NFC) it may have ${charsMax} characters.` },
    ];
  }
  return [];
}

/** The canonical form of a locale that somebody names; refuses what is no BCP 47 tag. */
export function keptLocale(tag: string, path: string): string {
  const canonical = canonicalLocale(tag);
  if (canonical !== undefined && canonical.length <= tagCharactersMax) return canonical;
  return refuseInvalid({
    path,
    code: 'invalid_locale',
    message: 'Expected a BCP 47 language tag such as de or pt-BR.',
  });
}
