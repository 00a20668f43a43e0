import { analytics } from './analytics.ts';
import { apiKeys } from './api-keys.ts';
import { archive } from './archive.ts';
import { articles } from './articles.ts';
import { boot, installation } from './boot.ts';
import { chat } from './chat.ts';
import { consent } from './consent.ts';
import { directives } from './consent-policy-preview.ts';
import { exporting } from './export.ts';
import { members } from './members.ts';
import { preview } from './preview.ts';
import { reviewQueue } from './review-queue.ts';
import { session } from './session.ts';
import { translations } from './translations.ts';
import { visitor } from './visitor.ts';
import { voice } from './voice.ts';
import { workspace } from './workspace.ts';

/**
 * Every router, in the order in which Express matches routes: the frequent routes of visitors come
 * first.
 */
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
  analytics,
  installation,
  reviewQueue,
  preview,
  directives,
  archive,
  export: exporting,
};

export type Contract = typeof contract;
