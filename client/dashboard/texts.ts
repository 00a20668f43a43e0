import { de } from './texts/de.ts';
import { en } from './texts/en.ts';
import { es } from './texts/es.ts';
import { fr } from './texts/fr.ts';

export type Texts = typeof en;

export type Wording = {
  /** The reader's language, with the region if the browser names one. */
  readonly locale: string;
  readonly texts: Texts;
};

const LANGUAGES: Readonly<Record<string, Texts>> = { en, de, es, fr };

/** The texts in the first of these languages that there are texts for, else in English. */
export function wordingFor(languages: readonly string[]): Wording {
  for (const locale of languages) {
    const texts = LANGUAGES[locale.split('-')[0]!.toLowerCase()];
    if (texts) return { locale, texts };
  }
  return { locale: 'en', texts: en };
}
