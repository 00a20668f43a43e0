import { readdirSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import english from '../../languages/mail/en.json' with { type: 'json' };
import { once } from '../base/cache.ts';
import { PACKAGE_ROOT } from '../base/package-root.ts';

/** The texts of mails, as `languages/mail/<tag>.json` holds them; languages/README.md says what each part means. */

const text = z.string().min(1);

const block = z.union([
  text,
  z.strictObject({ button: text, to: text }),
  z.strictObject({ link: text, to: text }),
  z.strictObject({ heading: text, list: text }),
  z.strictObject({ quote: text }),
]);
const template = z.strictObject({ subject: text, body: z.array(block).min(1) });

function likeEnglish<Key extends string, Value extends z.ZodType>(
  section: Record<Key, unknown>,
  value: Value,
) {
  return z.record(z.enum(Object.keys(section) as Key[]), value);
}

export const MailLanguage = z.strictObject({
  templates: likeEnglish(english.templates, template),
  footer: likeEnglish(english.footer, text),
  unsubscribe: likeEnglish(english.unsubscribe, text),
});
export type MailLanguage = z.infer<typeof MailLanguage>;
export type MailBlock = z.infer<typeof block>;
export type MailTemplate = keyof typeof english.templates;

const FOLDER = new URL('languages/mail/', PACKAGE_ROOT);

/** The languages by tag. A test checks the files, so that no start has to. */
const getLanguages = once(
  (): ReadonlyMap<string, MailLanguage> =>
    new Map(
      readdirSync(FOLDER).map((name) => [
        name.slice(0, -'.json'.length),
        JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8')),
      ]),
    ),
);

/** Returns the tag of the first of these locales in whose language mails can be written; English otherwise. */
export function toMailLocale(locales: readonly string[]): string {
  const languages = locales.map((locale) => locale.split('-', 1)[0]!.toLowerCase());
  return languages.find((language) => getLanguages().has(language)) ?? 'en';
}

export const getMailLanguage = (tag: string): MailLanguage => getLanguages().get(tag) ?? english;
