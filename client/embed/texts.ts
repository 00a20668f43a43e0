import type { en } from './locales/en.ts';

export type Texts = typeof en;

export type Wording = {
  /** The visitor's language, with the region if the browser names one. */
  readonly locale: string;
  readonly direction: 'ltr' | 'rtl';
  readonly texts: Texts;
};

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
