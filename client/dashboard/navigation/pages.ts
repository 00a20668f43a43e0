import type { IconName } from '../components/icon.tsx';

/** The pages of a workspace, in the order of the navigation. */
export const PAGES = [
  { key: 'overview', path: '', icon: 'home', editorsOnly: false, letter: 'o' },
  { key: 'articles', path: '/articles', icon: 'file-text', editorsOnly: false, letter: 'a' },
  { key: 'sources', path: '/sources', icon: 'cloud-upload', editorsOnly: false, letter: 'u' },
  { key: 'inbox', path: '/inbox', icon: 'help-circle', editorsOnly: false, letter: 'i' },
  { key: 'reviewQueue', path: '/review-queue', icon: 'inbox', editorsOnly: false, letter: 't' },
  { key: 'preview', path: '/preview', icon: 'player-play', editorsOnly: false, letter: 'p' },
  { key: 'answerTests', path: '/answer-tests', icon: 'checklist', editorsOnly: false, letter: 'e' },
  { key: 'conversations', path: '/conversations', icon: 'messages', editorsOnly: false, letter: 'c' },
  { key: 'analytics', path: '/analytics', icon: 'chart-bar', editorsOnly: false, letter: 'n' },
  { key: 'audit', path: '/audit', icon: 'history', editorsOnly: true, letter: 'l' },
  { key: 'settings', path: '/settings', icon: 'settings', editorsOnly: false, letter: 's' },
] as const satisfies readonly {
  key: string;
  path: string;
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
  { key: 'members', path: '/members', editorsOnly: false },
  { key: 'apiKeys', path: '/api-keys', editorsOnly: true },
  { key: 'automation', path: '/automation', editorsOnly: true },
  { key: 'storage', path: '/storage', editorsOnly: false },
  { key: 'transfer', path: '/transfer', editorsOnly: true },
] as const;
