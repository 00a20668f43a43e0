import { apiKeys } from './api-keys.ts';
import { archive } from './archive.ts';
import { articles } from './articles.ts';
import { boot } from './boot.ts';
import { chat } from './chat.ts';
import { consent } from './consent.ts';
import { exporting } from './export.ts';
import { insight } from './insight.ts';
import { members } from './members.ts';
import { session } from './session.ts';
import { translations } from './translations.ts';
import { visitor } from './visitor.ts';
import { voice } from './voice.ts';
import { workspace } from './workspace.ts';

/** Everything that is promised: one router a surface. */
export const contract = {
  boot,
  chat,
  consent,
  visitor,
  voice,
  session,
  apiKeys,
  members,
  workspace,
  articles,
  translations,
  insight,
  archive,
  export: exporting,
};

export type Contract = typeof contract;
