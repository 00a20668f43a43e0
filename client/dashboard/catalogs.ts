import type english from '../../languages/dashboard/en.json';

/** A catalog of any language: the keys of the English one. */
export type Messages = typeof english;

/**
 * The interface languages, in the order of the menu. To add one, write its catalog and its line
 * here. The browser loads only the catalog of its language.
 */
export const CATALOGS = {
  en: async () => (await import('../../languages/dashboard/en.json', { with: { type: 'json' } })).default,
  de: async () => (await import('../../languages/dashboard/de.json', { with: { type: 'json' } })).default,
  fr: async () => (await import('../../languages/dashboard/fr.json', { with: { type: 'json' } })).default,
  es: async () => (await import('../../languages/dashboard/es.json', { with: { type: 'json' } })).default,
  pt: async () => (await import('../../languages/dashboard/pt.json', { with: { type: 'json' } })).default,
  ja: async () => (await import('../../languages/dashboard/ja.json', { with: { type: 'json' } })).default,
} satisfies Record<string, () => Promise<Messages>>;

export type Language = keyof typeof CATALOGS;
export const LANGUAGES = Object.keys(CATALOGS) as Language[];
