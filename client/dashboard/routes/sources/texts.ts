import type { Language } from '../../catalogs.ts';
import type { SourceTexts } from '../../locales/en.ts';

/** Texts of pages that few users open, which are loaded with those pages. */
export const SOURCE_TEXTS = {
  en: async () => (await import('../../locales/en/sources.ts')).sources,
  de: async () => (await import('../../locales/de/sources.ts')).sources,
  fr: async () => (await import('../../locales/fr/sources.ts')).sources,
  es: async () => (await import('../../locales/es/sources.ts')).sources,
  pt: async () => (await import('../../locales/pt/sources.ts')).sources,
  ja: async () => (await import('../../locales/ja/sources.ts')).sources,
} satisfies Record<Language, () => Promise<SourceTexts>>;
