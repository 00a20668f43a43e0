import type { Engine } from '../../../server/engine/engine.ts';
import { createExtractiveEngine } from '../../../server/engine/extractive.ts';
import { ORIGIN, openHarness } from '../../support/harness.ts';
import { openTeamOn, PASSWORD } from '../../support/team.ts';
import { documents } from './documents.ts';
import { openNextVersion } from './next-version.ts';

/** Pause between two events of an answer, long enough to distinguish incremental from buffered reading. */
const PAUSE_MILLIS = 60;

/** Starts a server with articles, an owner and an API key; `env` has their ids and credentials for the scenario. */
export async function startServer(version: 'now' | 'next') {
  const harness = await openHarness({ engine: slowDown(createExtractiveEngine()) });
  const team = await openTeamOn(harness);
  const owner = team.as('owner');
  const scopes = ['analytics:read', 'events:read'];
  const { status, json, text } = await owner.post<{ key: string }>('/api-keys', { name: 'Scenario', scopes });
  if (status !== 201) throw new Error(`Could not create an API key: HTTP ${status} ${text}`);
  const next = version === 'next' && (await openNextVersion(harness.baseUrl, documents.released.parsed));
  return {
    env: {
      GUIDEPOST_URL: next ? next.baseUrl : harness.baseUrl,
      GUIDEPOST_APP_ID: harness.appId,
      GUIDEPOST_ORIGIN: ORIGIN,
      GUIDEPOST_TENANT_ID: team.workspace.id,
      GUIDEPOST_EMAIL: owner.email,
      GUIDEPOST_PASSWORD: PASSWORD,
      GUIDEPOST_API_KEY: json.key,
    },
    close: async () => {
      if (next) await next.close();
      await team.close();
    },
  };
}

function slowDown(engine: Engine): Engine {
  return {
    ...engine,
    async *answer(question, signal) {
      for await (const event of engine.answer(question, signal)) {
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MILLIS));
        yield event;
      }
    },
  };
}
