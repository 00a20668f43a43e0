import type { IconName } from '../components/icon.tsx';

/** The headings of the navigation, in its order. */
export const PAGE_GROUPS = ['home', 'content', 'visitors', 'workspace'] as const;

/** The pages of a workspace, in the order of the navigation. */
export const PAGES = [
  { key: 'overview', path: '', group: 'home', icon: 'home', editorsOnly: false, letter: 'o' },
  {
    key: 'articles',
    path: '/articles',
    group: 'content',
    icon: 'file-text',
    editorsOnly: false,
    letter: 'a',
  },
  {
    key: 'sources',
    path: '/sources',
    group: 'content',
    icon: 'cloud-upload',
    editorsOnly: false,
    letter: 'u',
  },
  {
    key: 'reviewQueue',
    path: '/review-queue',
    group: 'content',
    icon: 'inbox',
    editorsOnly: false,
    letter: 't',
  },
  {
    key: 'answerTests',
    path: '/answer-tests',
    group: 'content',
    icon: 'checklist',
    editorsOnly: false,
    letter: 'e',
  },
  {
    key: 'preview',
    path: '/preview',
    group: 'content',
    icon: 'player-play',
    editorsOnly: false,
    letter: 'p',
  },
  { key: 'inbox', path: '/inbox', group: 'visitors', icon: 'help-circle', editorsOnly: false, letter: 'i' },
  {
    key: 'handovers',
    path: '/handovers',
    group: 'visitors',
    icon: 'message-report',
    editorsOnly: false,
    letter: 'h',
  },
  {
    key: 'conversations',
    path: '/conversations',
    group: 'visitors',
    icon: 'messages',
    editorsOnly: false,
    letter: 'c',
  },
  {
    key: 'analytics',
    path: '/analytics',
    group: 'visitors',
    icon: 'chart-bar',
    editorsOnly: false,
    letter: 'n',
  },
  { key: 'audit', path: '/audit', group: 'workspace', icon: 'history', editorsOnly: true, letter: 'l' },
  {
    key: 'settings',
    path: '/settings',
    group: 'workspace',
    icon: 'settings',
    editorsOnly: false,
    letter: 's',
  },
] as const satisfies readonly {
  key: string;
  path: string;
  group: (typeof PAGE_GROUPS)[number];
  icon: IconName;
  /** Members may not see it. */
  editorsOnly: boolean;
  /** Pressed after `g`, it opens the page. */
  letter: string;
}[];

export const SETTINGS_PAGES = [
  { key: 'general', path: '', editorsOnly: false },
  { key: 'appearance', path: '/appearance', editorsOnly: false },
  { key: 'consent', path: '/consent', editorsOnly: false },
  { key: 'voice', path: '/voice', editorsOnly: false },
  { key: 'guide', path: '/guide', editorsOnly: false },
  { key: 'guidance', path: '/guidance', editorsOnly: false },
  { key: 'helpCentre', path: '/help-centre', editorsOnly: false },
  { key: 'members', path: '/members', editorsOnly: false },
  { key: 'signIn', path: '/sign-in', editorsOnly: true },
  { key: 'customers', path: '/customers', editorsOnly: true },
  { key: 'apiKeys', path: '/api-keys', editorsOnly: true },
  { key: 'automation', path: '/automation', editorsOnly: true },
  { key: 'webhooks', path: '/webhooks', editorsOnly: true },
  { key: 'storage', path: '/storage', editorsOnly: false },
  { key: 'transfer', path: '/transfer', editorsOnly: true },
] as const;

/** What the settings hold: the page, the section of texts, and the names of the fields, which are those of their texts. */
export const SETTINGS = [
  [
    'general',
    'general',
    [
      'name',
      'sourceLocale',
      'suggestions',
      'origins',
      'email',
      'url',
      'phone',
      'handoverMode',
      'answerTime',
      'deskEmail',
    ],
  ],
  ['general', 'paths', ['title']],
  [
    'appearance',
    'appearance',
    ['features', 'brandTitle', 'color', 'launcher', 'logo', 'icon', 'label', 'showBranding'],
  ],
  ['consent', 'consent', ['everywhere', 'byRegion']],
  ['voice', 'voice', ['enabled', 'cap', 'timeZone', 'providers']],
  ['guide', 'model', ['title']],
  ['guide', 'guide', ['generalAnswers', 'monthly', 'turn']],
  [
    'helpCentre',
    'helpCentre',
    ['enabled', 'title', 'tagline', 'showGuide', 'searchEngines', 'aiCrawlers', 'headerLinks', 'footerLinks'],
  ],
  ['storage', 'storage', ['conversationDays', 'eventDays', 'anonymousQuestions']],
] as const;

/** The path of a field in its form, where it has another name than its text. */
export const FIELD_PATHS: Readonly<Record<string, string>> = {
  'paths.title': 'rules',
  'appearance.features': 'pageActions',
  'consent.byRegion': 'rules',
  'model.title': 'provider',
  'voice.providers': 'tokenProvider',
};

export const COLOR_SCHEMES = [
  ['auto', 'themeAuto'],
  ['light', 'themeLight'],
  ['dark', 'themeDark'],
] as const;
