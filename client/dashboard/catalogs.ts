import type { Messages } from './locales/en.ts';

/**
 * The interface languages, in the order of the menu. To add one, write its catalog and its line
 * here. The browser loads only the catalog of its language.
 */
export const CATALOGS = {
  en: async () => (await import('./locales/en.ts')).en,
  de: async () => (await import('./locales/de.ts')).de,
  fr: async () => (await import('./locales/fr.ts')).fr,
  es: async () => (await import('./locales/es.ts')).es,
  pt: async () => (await import('./locales/pt.ts')).pt,
  ja: async () => (await import('./locales/ja.ts')).ja,
} satisfies Record<string, () => Promise<Messages>>;

export type Language = keyof typeof CATALOGS;
export const LANGUAGES = Object.keys(CATALOGS) as Language[];
