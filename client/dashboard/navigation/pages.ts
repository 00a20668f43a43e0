import {
  type Icon,
  IconChartBar,
  IconCloudUpload,
  IconFileText,
  IconHelpCircle,
  IconHistory,
  IconHome,
  IconInbox,
  IconMessages,
  IconPlayerPlay,
  IconSettings,
} from '@tabler/icons-react';

/** The pages of a workspace, in the order of the navigation. */
export const PAGES = [
  { key: 'overview', path: '', icon: IconHome, editorsOnly: false, letter: 'o' },
  { key: 'articles', path: '/articles', icon: IconFileText, editorsOnly: false, letter: 'a' },
  { key: 'sources', path: '/sources', icon: IconCloudUpload, editorsOnly: false, letter: 'u' },
  { key: 'inbox', path: '/inbox', icon: IconHelpCircle, editorsOnly: false, letter: 'i' },
  { key: 'reviewQueue', path: '/review-queue', icon: IconInbox, editorsOnly: false, letter: 't' },
  { key: 'preview', path: '/preview', icon: IconPlayerPlay, editorsOnly: false, letter: 'p' },
  { key: 'conversations', path: '/conversations', icon: IconMessages, editorsOnly: false, letter: 'c' },
  { key: 'analytics', path: '/analytics', icon: IconChartBar, editorsOnly: false, letter: 'n' },
  { key: 'audit', path: '/audit', icon: IconHistory, editorsOnly: true, letter: 'l' },
  { key: 'settings', path: '/settings', icon: IconSettings, editorsOnly: false, letter: 's' },
] as const satisfies readonly {
  key: string;
  path: string;
  icon: Icon;
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
  { key: 'members', path: '/members', editorsOnly: false },
  { key: 'apiKeys', path: '/api-keys', editorsOnly: true },
  { key: 'automation', path: '/automation', editorsOnly: true },
  { key: 'storage', path: '/storage', editorsOnly: false },
  { key: 'transfer', path: '/transfer', editorsOnly: true },
] as const;
