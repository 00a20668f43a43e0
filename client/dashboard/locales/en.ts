import { account, apiKeys, invitation, members, password, setup, signIn, transfer } from './en/account.ts';
import { analytics, audit, conversations, overview } from './en/insights.ts';
import { articles, editor, preview, reviewQueue, statuses, translations } from './en/knowledge.ts';
import { installation, settings } from './en/settings.ts';
import { errors, shell } from './en/shell.ts';

/** Every text of the dashboard in English, which defines the keys of the other catalogs. */
export const en = {
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

/** A catalog of any language: the same keys with other texts. */
export type Messages = TextsOf<typeof en>;

type TextsOf<T> = { readonly [K in keyof T]: T[K] extends string ? string : TextsOf<T[K]> };
