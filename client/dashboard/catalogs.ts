import type english from '../../languages/dashboard/en.json';

/** A catalog of any language: the keys of the English one. */
export type Messages = typeof english;

/**
 * The interface languages, in the order of the menu. To add one, write its catalog and its line here. The browser loads
 * only the catalog of its language, which the build splits in two: the texts of the first page, and those of further pages.
 */
export const CATALOGS = {
  en: {
    first: () => import('../../languages/dashboard/en.json?first'),
    further: () => import('../../languages/dashboard/en.json?further'),
  },
  de: {
    first: () => import('../../languages/dashboard/de.json?first'),
    further: () => import('../../languages/dashboard/de.json?further'),
  },
  fr: {
    first: () => import('../../languages/dashboard/fr.json?first'),
    further: () => import('../../languages/dashboard/fr.json?further'),
  },
  es: {
    first: () => import('../../languages/dashboard/es.json?first'),
    further: () => import('../../languages/dashboard/es.json?further'),
  },
  pt: {
    first: () => import('../../languages/dashboard/pt.json?first'),
    further: () => import('../../languages/dashboard/pt.json?further'),
  },
  ja: {
    first: () => import('../../languages/dashboard/ja.json?first'),
    further: () => import('../../languages/dashboard/ja.json?further'),
  },
} satisfies Record<string, Record<'first' | 'further', () => Promise<{ default: Messages }>>>;

export type Language = keyof typeof CATALOGS;
export const LANGUAGES = Object.keys(CATALOGS) as Language[];

/** The texts that neither the overview nor the pages without a session show. */
export const FURTHER_TEXTS: readonly string[] = [
  'account',
  'answerTests',
  'apiKeys',
  'audit',
  'automation',
  'conversations',
  'customers',
  'editor',
  'handovers',
  'installation',
  'members',
  'palette.words',
  'preview',
  'replace',
  'schedule',
  'settings.appearance',
  'settings.consent',
  'settings.general',
  'settings.guidance',
  'settings.guide',
  'settings.helpCentre',
  'settings.helpDomain',
  'settings.model',
  'settings.paths',
  'settings.signIn',
  'settings.voice',
  'siteCheck',
  'sources',
  'start',
  'transfer',
  'translations',
  'verify',
  'webhooks',
];
