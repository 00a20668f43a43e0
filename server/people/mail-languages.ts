import { readdirSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import english from '../../languages/mail/en.json' with { type: 'json' };
import { once } from '../base/cache.ts';
import { findPanelTag } from '../base/guide-languages.ts';
import { PACKAGE_ROOT } from '../base/package-root.ts';
import { getLanguage } from '../base/text.ts';

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

/** A language that visitors read and members do not. */
export const VisitorMailLanguage = z.strictObject({
  templates: z.strictObject({ handover_reply_to_visitor: template }),
  footer: MailLanguage.shape.footer,
});
type AnyMailLanguage = MailLanguage | z.infer<typeof VisitorMailLanguage>;
export type MailBlock = z.infer<typeof block>;
export type MailTemplate = keyof typeof english.templates;

const FOLDER = new URL('languages/mail/', PACKAGE_ROOT);

/** The languages by tag. A test checks the files, so that no start has to. */
const getLanguages = once(
  (): ReadonlyMap<string, AnyMailLanguage> =>
    new Map(
      readdirSync(FOLDER).map((name) => [
        name.slice(0, -'.json'.length),
        JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8')),
      ]),
    ),
);

/** Returns the tag of the first of these locales in whose language the mail can be written; English otherwise. */
export function toMailLocale(locales: readonly string[], template: MailTemplate): string {
  const tags = locales.flatMap((locale) => [findPanelTag(locale) ?? '', getLanguage(locale)]);
  return tags.find((tag) => template in (getLanguages().get(tag)?.templates ?? {})) ?? 'en';
}

export function getMailLanguage(tag: string): MailLanguage {
  const language = getLanguages().get(tag);
  return { ...english, ...language, templates: { ...english.templates, ...language?.templates } };
}
