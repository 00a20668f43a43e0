import { apiKeys } from '../contract/api-keys.ts';
import { archive } from '../contract/archive.ts';
import { articles } from '../contract/articles.ts';
import { directives } from '../contract/directives.ts';
import { insight } from '../contract/insight.ts';
import { installation } from '../contract/installation.ts';
import { members } from '../contract/members.ts';
import { preview } from '../contract/preview.ts';
import { queue } from '../contract/queue.ts';
import { session } from '../contract/session.ts';
import { translations } from '../contract/translations.ts';
import { workspace } from '../contract/workspace.ts';
import { archiveHandlers } from './archive/archive.ts';
import { installationHandlers } from './boot/installation.ts';
import type { Sightings } from './boot/sightings.ts';
import { previewHandlers } from './chat/preview.ts';
import type { Clock } from './clock.ts';
import { directivesHandlers } from './consent/directives.ts';
import { apiKeyHandlers } from './dashboard/api-keys.ts';
import { memberHandlers } from './dashboard/members.ts';
import { sessionHandlers } from './dashboard/session.ts';
import { usageHandler } from './dashboard/usage.ts';
import { workspaceHandlers } from './dashboard/workspace.ts';
import type { Engine } from './engine/engine.ts';
import type { Door } from './http/corridor.ts';
import type { Draw } from './http/handler.ts';
import { insightHandlers } from './insight/insight.ts';
import { articlesHandlers } from './knowledge/articles.ts';
import type { Indexing } from './knowledge/indexing.ts';
import { queueHandlers } from './knowledge/queue.ts';
import type { Retriever } from './knowledge/retrieve.ts';
import { translationsHandlers } from './knowledge/translations.ts';
import type { Store } from './storage/store.ts';

/** The front doors for those who look after a workspace; service.ts opens them with the rest. */
export function tenantDoors(needs: {
  readonly store: Store;
  readonly clock: Clock;
  readonly engine: Engine;
  readonly retriever: Retriever;
  readonly indexing: Indexing;
  readonly localesOf: (workspaceId: string) => Promise<readonly string[]>;
  readonly sightings: Sightings;
  readonly draw: Draw;
  readonly baseUrl: () => string;
}): Door[] {
  const { store, clock, engine, draw } = needs;
  const usage = usageHandler({ store, clock, engineName: engine.name });
  return [
    { surface: session, handlers: sessionHandlers({ store, clock, draw }) },
    { surface: workspace, handlers: { ...workspaceHandlers({ store, clock }), ...usage } },
    { surface: members, handlers: memberHandlers(needs) },
    { surface: apiKeys, handlers: apiKeyHandlers({ store, clock }) },
    { surface: articles, handlers: articlesHandlers(needs) },
    { surface: translations, handlers: translationsHandlers(needs) },
    { surface: queue, handlers: queueHandlers({ store }) },
    { surface: insight, handlers: insightHandlers({ store, clock }) },
    { surface: preview, handlers: previewHandlers(needs) },
    { surface: installation, handlers: installationHandlers(needs) },
    { surface: directives, handlers: directivesHandlers({ clock }) },
    { surface: archive, handlers: archiveHandlers({ store, clock }) },
  ];
}
