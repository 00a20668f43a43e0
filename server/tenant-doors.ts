import { apiKeys } from '../contract/api-keys.ts';
import { archive } from '../contract/archive.ts';
import { articles } from '../contract/articles.ts';
import { directives } from '../contract/consent-policy-preview.ts';
import { insight } from '../contract/insight.ts';
import { installation } from '../contract/installation.ts';
import { members } from '../contract/members.ts';
import { preview } from '../contract/preview.ts';
import { queue } from '../contract/review-queue.ts';
import { session } from '../contract/session.ts';
import { translations } from '../contract/translations.ts';
import { workspace } from '../contract/workspace.ts';
import { apiKeyHandlers } from './accounts/api-keys.ts';
import { memberHandlers } from './accounts/members.ts';
import { sessionHandlers } from './accounts/session.ts';
import { usageHandler } from './accounts/usage.ts';
import { workspaceHandlers } from './accounts/workspace.ts';
import { insightHandlers } from './analytics/insight.ts';
import { installationHandlers } from './boot/installation.ts';
import type { Installations } from './boot/installation-checks.ts';
import { previewHandlers } from './chat/preview.ts';
import type { Clock } from './clock.ts';
import { consentPolicyPreviewHandlers } from './consent/consent-policy-preview.ts';
import type { Engine } from './engine/engine.ts';
import type { ConsumeRateLimit } from './http/handler.ts';
import type { RouteGroup } from './http/pipeline.ts';
import { articlesHandlers } from './knowledge/articles.ts';
import { reviewQueueHandlers } from './knowledge/review-queue.ts';
import type { Indexing } from './knowledge/search/indexing.ts';
import type { Retriever } from './knowledge/search/retrieve.ts';
import { translationsHandlers } from './knowledge/translations.ts';
import type { Store } from './storage/store.ts';
import { archiveHandlers } from './transfer/archive.ts';

/** The front doors for those who look after a workspace; service.ts opens them with the rest. */
export function tenantDoors(deps: {
  readonly store: Store;
  readonly clock: Clock;
  readonly engine: Engine;
  readonly retriever: Retriever;
  readonly indexing: Indexing;
  readonly getLocales: (workspaceId: string) => Promise<readonly string[]>;
  readonly installations: Installations;
  readonly consumeRateLimit: ConsumeRateLimit;
  readonly baseUrl: () => string;
}): RouteGroup[] {
  const { store, clock, engine, consumeRateLimit } = deps;
  const usage = usageHandler({ store, clock, engineName: engine.name });
  return [
    { router: session, handlers: sessionHandlers({ store, clock, consumeRateLimit }) },
    { router: workspace, handlers: { ...workspaceHandlers({ store, clock }), ...usage } },
    { router: members, handlers: memberHandlers(deps) },
    { router: apiKeys, handlers: apiKeyHandlers({ store, clock }) },
    { router: articles, handlers: articlesHandlers(deps) },
    { router: translations, handlers: translationsHandlers(deps) },
    { router: queue, handlers: reviewQueueHandlers({ store }) },
    { router: insight, handlers: insightHandlers({ store, clock }) },
    { router: preview, handlers: previewHandlers(deps) },
    { router: installation, handlers: installationHandlers(deps) },
    { router: directives, handlers: consentPolicyPreviewHandlers({ clock }) },
    { router: archive, handlers: archiveHandlers({ store, clock }) },
  ];
}
