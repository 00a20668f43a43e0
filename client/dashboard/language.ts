import type { Messages } from './locales/en.ts';

/** The languages of the interface: a catalogue each, fetched when it is the reader's. */
const CATALOGUES = {
  en: async () => (await import('./locales/en.ts')).en,
  de: async () => (await import('./locales/de.ts')).de,
} satisfies Record<string, () => Promise<Messages>>;

export type Language = keyof typeof CATALOGUES;
export const LANGUAGES = Object.keys(CATALOGUES) as Language[];

const CHOSEN = 'guidepost-language';

export type Wording = {
  readonly language: Language;
  /** The reader's language with the region that the browser names, for dates and numbers. */
  readonly locale: string;
  readonly direction: 'ltr' | 'rtl';
  readonly messages: Messages;
};

/** The texts that the person chose, else in the first language of the browser that there are texts for. */
export async function wording(): Promise<Wording> {
  const wanted = [localStorage.getItem(CHOSEN), ...navigator.languages].filter((each) => each !== null);
  const locale = wanted.find((each) => languageOf(each) !== undefined) ?? 'en';
  const language = languageOf(locale) ?? 'en';
  // A person who chose a language gets the form of it that the browser names, if it names one.
  const regional = navigator.languages.find((each) => languageOf(each) === language) ?? locale;
  return {
    language,
    locale: regional,
    direction: directionOf(language),
    messages: await CATALOGUES[language](),
  };
}

export function chooseLanguage(language: Language): void {
  localStorage.setItem(CHOSEN, language);
  location.reload();
}

function languageOf(locale: string): Language | undefined {
  const [base = ''] = locale.toLowerCase().split('-');
  return LANGUAGES.find((each) => each === base);
}

const RIGHT_TO_LEFT = new Set(['ar', 'fa', 'he', 'ur', 'yi', 'ps', 'sd', 'ug', 'ckb', 'dv']);

/** How text of a language runs: for the interface as for what is written in it. */
export function directionOf(locale: string): 'ltr' | 'rtl' {
  return RIGHT_TO_LEFT.has(locale.toLowerCase().split('-')[0] ?? '') ? 'rtl' : 'ltr';
}

/** Languages by their names in the reader's language. */
export function languageNames(locale: string): (tag: string) => string {
  const names = new Intl.DisplayNames([locale], { type: 'language', languageDisplay: 'standard' });
  return (tag) => {
    try {
      return names.of(tag) ?? tag;
    } catch {
      return tag;
    }
  };
}
