import { account } from './de/account.ts';
import { analytics } from './de/analytics.ts';
import { apiKeys } from './de/api-keys.ts';
import { articles } from './de/articles.ts';
import { audit } from './de/audit.ts';
import { conversations } from './de/conversations.ts';
import { data } from './de/data.ts';
import { editing } from './de/editing.ts';
import { overview } from './de/overview.ts';
import { people } from './de/people.ts';
import { settings } from './de/settings.ts';
import { shell } from './de/shell.ts';
import { signIn } from './de/sign-in.ts';
import { statuses } from './de/statuses.ts';
import { translations } from './de/translations.ts';
import { trouble } from './de/trouble.ts';
import { tryIt } from './de/try-it.ts';
import { waiting } from './de/waiting.ts';
import { welcome } from './de/welcome.ts';
import type { Messages } from './en.ts';

/** Jeder Text der Oberfläche auf Deutsch. */
export const de: Messages = {
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
