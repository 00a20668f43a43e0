import { account, apiKeys, invitation, members, password, setup, signIn, transfer } from './de/account.ts';
import { analytics, audit, conversations, overview } from './de/insights.ts';
import { articles, editor, preview, reviewQueue, statuses, translations } from './de/knowledge.ts';
import { installation, settings } from './de/settings.ts';
import { errors, shell } from './de/shell.ts';
import type { Messages } from './en.ts';

/** Every text of the dashboard in German. */
export const de: Messages = {
  account,
  analytics,
  apiKeys,
  articles,
  audit,
  conversations,
  editor,
  errors,
  installation,
  invitation,
  members,
  overview,
  password,
  preview,
  reviewQueue,
  settings,
  setup,
  shell,
  signIn,
  statuses,
  transfer,
  translations,
};
