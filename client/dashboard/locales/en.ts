import { account } from './en/account.ts';
import { analytics } from './en/analytics.ts';
import { apiKeys } from './en/api-keys.ts';
import { articles } from './en/articles.ts';
import { audit } from './en/audit.ts';
import { conversations } from './en/conversations.ts';
import { data } from './en/data.ts';
import { editing } from './en/editing.ts';
import { overview } from './en/overview.ts';
import { people } from './en/people.ts';
import { settings } from './en/settings.ts';
import { shell } from './en/shell.ts';
import { signIn } from './en/sign-in.ts';
import { statuses } from './en/statuses.ts';
import { translations } from './en/translations.ts';
import { trouble } from './en/trouble.ts';
import { tryIt } from './en/try-it.ts';
import { waiting } from './en/waiting.ts';
import { welcome } from './en/welcome.ts';

/** Every text of the dashboard in English; the other catalogues have exactly its form. */
export const en = {
  account,
  analytics,
  apiKeys,
  articles,
  audit,
  conversations,
  data,
  overview,
  people,
  settings,
  shell,
  signIn,
  translations,
  trouble,
  statuses,
  editing,
  tryIt,
  waiting,
  welcome,
};

/** A catalogue of any language: the same keys, with other texts. */
export type Messages = TextsOf<typeof en>;

type TextsOf<T> = { readonly [K in keyof T]: T[K] extends string ? string : TextsOf<T[K]> };
