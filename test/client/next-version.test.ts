import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type Account,
  type ChatEvent,
  createAccount,
  createExporter,
  createGuide,
  type Guide,
  type GuideMessage,
  isGuideError,
  snapshots,
} from '../../client/sdk/index.ts';
import { openapiDocument } from '../../scripts/openapi/openapi.ts';
import { LATER, type NextVersion, openNextVersion } from '../release/clients/next-version.ts';
import { ORIGIN, USER_AGENT } from '../support/harness.ts';
import { openTeam, type Team } from '../support/team.ts';
import { catchError, collect, invite, PASSWORD } from './colleagues.ts';

let team: Team;
let next: NextVersion;
let guide: Guide;
let account: Account;
beforeAll(async () => {
  team = await openTeam();
  next = await openNextVersion(team.harness.baseUrl, openapiDocument());
  const { baseUrl } = next;
  const headers = { origin: ORIGIN, 'user-agent': USER_AGENT };
  guide = createGuide({ baseUrl, appId: team.harness.appId, origin: ORIGIN, path: '/', headers });
  account = createAccount({ baseUrl, headers: { origin: baseUrl } });
  await account.invitations.accept(await invite(team, 'owner', 'next@shop.example'), PASSWORD);
});
afterAll(async () => {
  await next.close();
  await team.close();
});

const question = {
  message: 'How do I reset my password?',
  domDigest: 'main > h1 Account',
  url: `${ORIGIN}/account`,
};

async function* recorded(events: AsyncIterable<ChatEvent>, seen: string[]): AsyncGenerator<ChatEvent> {
  for await (const event of events) {
    seen.push(event.type);
    yield event;
  }
}

test('a visitor of a later version of the service boots, consents and reads an answer with events of an unknown type', async () => {
  const booted = await guide.boot();
  expect(booted).toMatchObject({ added_later: 'text', config: { consent: { added_later: 'text' } } });
  expect(await guide.consent('accepted')).toMatchObject({ ok: true, recorded: true });

  const seen: string[] = [];
  let message: GuideMessage | undefined;
  for await (const snapshot of snapshots(recorded(guide.chat(question), seen))) message = snapshot;
  expect(seen.filter((type) => type === `event${LATER}`).length).toBe(seen.length / 2);
  expect(message).toMatchObject({ state: 'done', finishReason: expect.stringMatching(/^stop/) });
  expect(message?.text).toContain(message?.citations[0]?.quote);
});

test('an owner at a later version of the service publishes a translation and meets an unknown error code', async () => {
  const tenant = account.tenant(team.workspace.id);
  const draft = await tenant.articles.create({
    title: 'Gift wrapping',
    answer: 'Choose gift wrapping at the checkout. It costs two euros.',
  });
  const article = await tenant.articles.publish(draft);
  expect(article).toMatchObject({ status: expect.stringMatching(/^published/), live: { addedLater: {} } });
  const german = { locale: 'de', title: 'Geschenkverpackung', answer: 'Wählen Sie sie an der Kasse.' };
  const created = await tenant.translations.create(article.id, german);
  const submitted = await tenant.translations.submit(created);
  const approved = await tenant.translations.review(submitted, 'approve');
  const live = await tenant.translations.publish(approved);
  expect(live.live?.revision).toBe(live.revision);

  const error = await catchError(tenant.articles.read('art_01kakv2fxse7wtg6x5r0h8rjbm'));
  expect(isGuideError(error)).toBe(true);
  expect(error).toMatchObject({ status: 404, code: expect.stringMatching(/^article.not_found/) });
});

test('a program reads the pages of an export of a later version of the service', async () => {
  const { json } = await team
    .as('owner')
    .post<{ key: string }>('/api-keys', { name: 'Next', scopes: ['events:read'] });
  const exporter = createExporter({ baseUrl: next.baseUrl, apiKey: json.key });
  const rows = await collect(exporter.conversations());
  expect(rows).toEqual([expect.objectContaining({ added_later: 'text' })]);
});
