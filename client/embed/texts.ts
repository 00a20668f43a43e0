import { de } from './texts/de.ts';
import { en } from './texts/en.ts';
import { es } from './texts/es.ts';
import { fa } from './texts/fa.ts';
import { fr } from './texts/fr.ts';
import { ja } from './texts/ja.ts';
import { ru } from './texts/ru.ts';
import { zhCn } from './texts/zh-cn.ts';

export type Texts = typeof en;

const LANGUAGES: Readonly<Record<string, Texts>> = { en, de, es, fa, fr, ja, ru, 'zh-CN': zhCn };
const RIGHT_TO_LEFT = ['fa'];

export type Wording = {
  /** The visitor's language, with the region if the browser names one. */
  readonly locale: string;
  readonly direction: 'ltr' | 'rtl';
  readonly texts: Texts;
};

/** The panel's texts in the first of these languages that there are texts for, else in English. */
export function wordingFor(languages: readonly string[]): Wording {
  for (const locale of languages) {
    const texts = LANGUAGES[nameOf(locale)];
    const direction = RIGHT_TO_LEFT.includes(nameOf(locale)) ? 'rtl' : 'ltr';
    // The visitor's own variant of the language tells times of day the way that the visitor does.
    if (texts) return { locale, direction, texts };
  }
  return { locale: 'en', direction: 'ltr', texts: en };
}

/** Chinese in traditional script is another language to its readers than the simplified one that is here. */
function nameOf(locale: string): string {
  try {
    const { language, script } = new Intl.Locale(locale).maximize();
    return language === 'zh' && script === 'Hans' ? 'zh-CN' : language;
  } catch {
    return '';
  }
}

/** Puts values where the braces name them. */
export function fill(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

/** The name of a language in the visitor's own, such as "German" for de; its tag where nobody knows the name. */
export function languageName(locale: string, visitorLocale: string): string {
  try {
    return new Intl.DisplayNames([visitorLocale], { type: 'language' }).of(locale) ?? locale;
  } catch {
    return locale;
  }
}
