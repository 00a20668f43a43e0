import type { Engine } from '../../server/engine/engine.ts';
import { createExtractiveEngine } from '../../server/engine/extractive.ts';
import { officeIn, PASSWORD } from '../accounts/office.ts';
import { ORIGIN, openHarness, USER_AGENT } from '../harness.ts';

/** A real server with articles, an owner and an API key, for one walk of one generated client. */
export type Site = {
  /** What a walk has to know, as environment variables. */
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
};

/** Between two events of an answer: whoever reads them as they come sees them apart. */
const PAUSE_MILLIS = 60;

export async function openSite(): Promise<Site> {
  const harness = await openHarness({ engine: unhurried(createExtractiveEngine()) });
  const office = await officeIn(harness);
  const owner = office.as('owner');
  const scopes = ['analytics:read', 'events:read'];
  const { status, json, text } = await owner.post<{ key: string }>('/api-keys', { name: 'Walk', scopes });
  if (status !== 201) throw new Error(`no API key for the walk: ${status} ${text}`);
  return {
    env: {
      GUIDEPOST_URL: harness.baseUrl,
      GUIDEPOST_APP_ID: harness.appId,
      GUIDEPOST_ORIGIN: ORIGIN,
      GUIDEPOST_USER_AGENT: USER_AGENT,
      GUIDEPOST_TENANT_ID: office.workspace.id,
      GUIDEPOST_EMAIL: owner.email,
      GUIDEPOST_PASSWORD: PASSWORD,
      GUIDEPOST_API_KEY: json.key,
    },
    close: () => office.close(),
  };
}

function unhurried(engine: Engine): Engine {
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
