import { canonicalLocale } from '../locale.ts';

/** What the path of a Markdown file says about it. */
export type MarkdownName = { readonly slug: string; readonly locale?: string };

/** `<slug>.<locale>.md`, `<locale>/<slug>.md` or `<slug>.md`; a slug may have folders of its own. */
export function nameOf(path: string): MarkdownName {
  const stem = path.replace(/\.(?:md|markdown)$/i, '');
  const inName = /^(.+)\.([^./]+)$/.exec(stem);
  const named = inName && knownLocale(inName[2]!);
  if (named) return { slug: inName[1]!, locale: named };
  const inFolder = /^([^/]+)\/(.+)$/.exec(stem);
  const folder = inFolder && knownLocale(inFolder[1]!);
  if (folder) return { slug: inFolder[2]!, locale: folder };
  return { slug: stem };
}

const languages = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });

/** Many words have the form of a language tag; a part of a path counts as one only when the language is a known one. */
function knownLocale(part: string): string | undefined {
  if (!/^[a-z]{2,3}(?:[-_][a-z0-9]{2,8})*$/i.test(part)) return undefined;
  const locale = canonicalLocale(part.replaceAll('_', '-'));
  if (locale === undefined) return undefined;
  return languages.of(new Intl.Locale(locale).language) === undefined ? undefined : locale;
}
