import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { LINK_HEADER } from '../../contract/fields.ts';
import type { HelpAddress } from '../../contract/help-domains.ts';
import type { SignInSettings } from '../../contract/identity-providers.ts';
import type { contract } from '../../contract/index.ts';
import { newId } from '../../server/base/ids.ts';
import { toPageSnapshot } from '../../server/sources/snapshot.ts';
import type { RunState } from '../../server/storage/source-rows.ts';
import { openKeyRing } from '../../server/tokens/key-ring.ts';
import { createSecretBox } from '../../server/tokens/sealed-text.ts';
import { hashToken, makeSessionToken } from '../../server/tokens/session-cookie.ts';
import { factorSamples } from './factor-samples.ts';
import { type Harness, ORIGIN, question, txtRecords } from './harness.ts';
import { CLIENT, type LyingProvider, openLyingProvider } from './identity-provider.ts';
import { GIF_IMAGE, toForm } from './image-files.ts';
import { readResponse } from './response.ts';
import { joinAs, joinUnproved, type MemberClient, PASSWORD } from './team.ts';
import { waveFile } from './voice-service.ts';

/** Valid requests for the routes of the contract. Their prerequisites are created first, as a user would. */

export type Sample = {
  path?: string;
  body?: Record<string, unknown>;
  headers?: Readonly<Record<string, string>>;
  /** The uploaded file of a form, as ASCII text. */
  file?: string;
};
type SignedIn = { harness: Harness; memberClient: MemberClient };

export type Visitor = { jwt: string; visitorId: string };

export type Fixtures = SignedIn & {
  /** A key with every scope. */
  apiKey: string;
  visitor: Visitor;
};

type Made = { id: string; revision: number };

const ARTICLE = {
  title: 'Gift wrapping',
  answer: 'Choose gift wrapping at the checkout. It costs two euros.',
};
const GERMAN = { title: 'Geschenkverpackung', answer: 'Wählen Sie die Geschenkverpackung an der Kasse.' };

async function expectCreated<T = Made>(
  answer: Promise<{ status: number; json: unknown; text: string }>,
): Promise<T> {
  const { status, json, text } = await answer;
  if (status >= 300) throw new Error(`what a request needs could not be made: ${status} ${text}`);
  return json as T;
}

const article = ({ memberClient }: SignedIn) =>
  expectCreated(memberClient.post('/knowledge/articles', ARTICLE));

async function publishedArticle(signed: SignedIn): Promise<Made> {
  const { id, revision } = await article(signed);
  return expectCreated(
    signed.memberClient.post(`/knowledge/articles/${id}/publish`, { baseRevision: revision }),
  );
}

type Translated = Made & { path: string };

async function translation(signed: SignedIn): Promise<Translated> {
  const { id } = await publishedArticle(signed);
  const base = `/knowledge/articles/${id}/translations`;
  const draft = await expectCreated(signed.memberClient.post(base, { locale: 'de', ...GERMAN }));
  return { ...draft, path: `${base}/${draft.id}` };
}

async function takeStep(
  signed: SignedIn,
  { path, revision }: Translated,
  step: string,
  body: Record<string, unknown> = {},
): Promise<Translated> {
  const next = await expectCreated(
    signed.memberClient.post(`${path}/${step}`, { baseRevision: revision, ...body }),
  );
  return { ...next, path };
}

const submitted = async (signed: SignedIn) => takeStep(signed, await translation(signed), 'submit-review');
const approved = async (signed: SignedIn) =>
  takeStep(signed, await submitted(signed), 'review', { decision: 'approve' });
const archived = async (signed: SignedIn) => takeStep(signed, await translation(signed), 'archive');

const inWorkspace = (path: string): Sample => ({ path: `/api/tenants/:tenantId${path}` });

/** Returns a sample that creates an article or translation and requests a step of it. */
function stepOf(
  make: (signed: SignedIn) => Promise<Translated>,
  step: string,
  body: Record<string, unknown> = {},
) {
  return async (signed: SignedIn): Promise<Sample> => {
    const { path, revision } = await make(signed);
    return { ...inWorkspace(`${path}${step}`), body: { baseRevision: revision, ...body } };
  };
}

const tomorrow = ({ harness }: SignedIn) => new Date(harness.clock.now() + 86_400_000).toISOString();

const collection = ({ memberClient }: SignedIn) =>
  expectCreated(memberClient.post('/knowledge/collections', { name: `Orders ${newId('col')}` }));

const note = { text: 'Called back.' };

const answerTests = { tests: [{ question: 'Is there a lamp?', locale: 'en', article: null }] };

async function answerTestId({ memberClient }: SignedIn): Promise<string> {
  const { json } = await memberClient.put<{ data: { id: string }[] }>('/answer-tests', answerTests);
  return json.data[0]!.id;
}

const ofArticle = (make: typeof article, rest: string) => async (signed: SignedIn) =>
  inWorkspace(`/knowledge/articles/${(await make(signed)).id}${rest}`);

/** Makes a link for a new password of somebody who is not signed in. */
async function passwordResetToken({ harness }: SignedIn): Promise<string> {
  const { service, workspace, clock } = harness;
  const { email } = await joinUnproved(harness, workspace, `${newId('usr')}@shop.example`);
  const token = makeSessionToken();
  const link = { tokenHash: hashToken(token), email, expiresAt: clock.now() + 3_600_000 };
  await service.store.passwordResets.add(link, undefined);
  return token;
}

/** Makes a link that gives an account the address that it has, so that its other tests find it. */
async function emailChangeToken({ harness, memberClient }: SignedIn): Promise<string> {
  const { service, workspace, clock, dataDir } = harness;
  const { userId, email } = (await service.store.in(workspace.id).members.find(memberClient.memberId))!;
  const change = { from: email, to: email, expiresAt: clock.now() + 3_600_000 };
  const secrets = createSecretBox(openKeyRing(dataDir, [], clock.now()).visitorIdKey);
  return secrets.seal(JSON.stringify(change), `email change of ${userId}`);
}

async function invitationToken({ memberClient }: SignedIn): Promise<string> {
  const email = `${newId('usr')}@shop.example`;
  const { link } = await expectCreated<{ link: string }>(
    memberClient.post('/invitations', { email, role: 'member' }),
  );
  return link.split('token=')[1]!;
}

async function conversationOf({ harness }: SignedIn): Promise<string> {
  const { jwt, visitor_id, config } = await harness.boot();
  // Only conversations of visitors who consented are listed.
  const decision = {
    visitor_id,
    url: `${ORIGIN}/`,
    copy_version: config.consent.copy.version,
    decision: 'accepted',
  };
  const headers = { authorization: `Bearer ${jwt}` };
  await harness.fetch('/consent', { json: { ...decision, at: harness.clock.now() }, headers });
  const id = `conv-${newId('conv')}`;
  await harness.ask(jwt, { conversation_id: id });
  return id;
}

const WEBSITE = {
  name: 'Help center',
  mode: 'review',
  website: { startUrls: ['https://shop.example.com/help'] },
};
const PAGE = '# Gift wrapping\n\nChoose gift wrapping at the checkout.\n';

async function source(signed: SignedIn, body: Record<string, unknown>): Promise<string> {
  await makeRoomForSources(signed);
  return (await expectCreated(signed.memberClient.post('/knowledge/sources', body))).id;
}
/** Deletes sources: a workspace may have fifty, and the test files that share this one create more. */
async function makeRoomForSources({ harness: { service, workspace, clock } }: SignedIn): Promise<void> {
  const { sources } = service.store.in(workspace.id);
  for (const { id } of (await sources.list()).slice(20)) {
    const audit = {
      ...{ id: newId('aud'), atMillis: clock.now(), actor: 'operator' },
      ...{ action: 'source.deleted', subject: id, details: {} },
    };
    while ((await sources.remove(id, audit)) === 'more');
  }
}
const website = (signed: SignedIn) => source(signed, { ...WEBSITE, type: 'website' });
const files = (signed: SignedIn) => source(signed, { name: 'Files', mode: 'review', type: 'files' });

const ofSource = (make: (signed: SignedIn) => Promise<string>, step: string) => async (signed: SignedIn) =>
  inWorkspace(`/knowledge/sources/${await make(signed)}${step}`);

/** Returns a sample that previews a run of an uploaded file, ready to apply, and requests a step of the run. */
const ofRun = (step: string) => async (signed: SignedIn) => {
  const { memberClient } = signed;
  const path = `/knowledge/sources/${await files(signed)}`;
  const form = new FormData();
  form.append('file', new Blob([PAGE]));
  await expectCreated(memberClient.upload(`${path}/files?name=wrapping.md`, form));
  const { id } = await expectCreated(memberClient.post(`${path}/runs`, { preview: true }));
  return inWorkspace(`${path}/runs/${id}${step}`);
};

/** The place that the published document has as its example. */
const EXAMPLE_PLACE = 'https://shop.example.com/help/returns';

/** Stores a run that waits to be applied, with a text at the example's place; returns its id. */
async function previewPage({ harness }: SignedIn, sourceId: string): Promise<string> {
  const { sources } = harness.service.store.in(harness.workspace.id);
  const { runs } = sources;
  const [id, now] = [newId('run'), harness.clock.now()];
  const run = { id, sourceId, preview: true, scheduled: false, createdAt: now, createdBy: 'operator' };
  await sources.startRun(run, 20);
  await runs.begin(id, now);
  const [place, title] = [EXAMPLE_PLACE, 'Returning an order'];
  const document = { place, title, answer: 'Within 30 days.', locale: 'en', aliases: [] };
  const snapshot = toPageSnapshot({ kind: 'document', url: place, document, validators: {} });
  await runs.storeSnapshot(id, place, snapshot);
  await runs.addItems(id, [{ place, root: place, outcome: 'added', locale: 'en', title, applied: false }]);
  const counts = { added: 1, changed: 0, unchanged: 0, removed: 0, refused: 0, conflicts: 0 };
  await runs.finishPlan(id, counts, 1);
  return id;
}

/** Creates a conflict: a file that states the slug of an article with another text. */
async function conflict(signed: SignedIn): Promise<{ id: string; place: string }> {
  const { harness, memberClient } = signed;
  const slug = newId('art');
  await expectCreated(memberClient.post('/knowledge/articles', { ...ARTICLE, slug }));
  const id = await files(signed);
  const form = new FormData();
  form.append('file', new Blob([JSON.stringify({ ...ARTICLE, slug, locale: 'en', answer: 'It is free.' })]));
  await expectCreated(memberClient.upload(`/knowledge/sources/${id}/files?name=all.jsonl`, form));
  await expectCreated(memberClient.post(`/knowledge/sources/${id}/runs`, {}));
  await runUntil(harness, id, 'done');
  const { sources } = harness.service.store.in(harness.workspace.id);
  const [found] = await sources.listConflicts(id, 1, '');
  if (!found) throw new Error('the run found no conflict');
  return { id, place: found.place };
}

/** Runs background jobs until the source's last run reaches a state; throws when it ends in another one. */
async function runUntil({ service, workspace }: Harness, sourceId: string, state: RunState): Promise<void> {
  const { sources } = service.store.in(workspace.id);
  for (;;) {
    const run = (await sources.find(sourceId))?.lastRun;
    if (run?.state === state) return;
    if (!run || ['done', 'failed', 'cancelled'].includes(run.state))
      throw new Error(`expected the run to be ${state}: ${JSON.stringify(run)}`);
    await service.tick();
    // Reading SQLite never yields to the timers and sockets that another run waits for.
    await yieldToEventLoop();
  }
}

/** Stores a question of a visitor to a person, whether the workspace takes any now or not. */
async function handoverOf({ harness }: SignedIn): Promise<string> {
  const { service, workspace, clock } = harness;
  const id = newId('ho');
  const { message, email, locale, url: pageUrl } = HANDOVER;
  const visitorId = harness.pseudonym(await harness.boot());
  await service.store
    .in(workspace.id)
    .handovers.create(
      { id, visitorId, state: 'open', message, email, locale, pageUrl, createdAt: clock.now() },
      { mail: undefined, payload: undefined as never },
    );
  return id;
}

const HANDOVER = {
  message: 'My parcel is lost.',
  email: 'ada@shop.example',
  url: `${ORIGIN}/`,
  locale: 'en',
  shown_seconds: 20,
};

/** Creates an inbox group with a question of a visitor. */
async function inboxGroupOf(signed: SignedIn): Promise<string> {
  const { service, workspace, clock } = signed.harness;
  const { conversations, inbox } = service.store.in(workspace.id);
  const [turn] = await conversations.turns(await conversationOf(signed), 1);
  const { messageId, askedAt } = turn!;
  const groupId = newId('ibx');
  const progress = { turnAt: clock.now(), messageId, ratedAt: clock.now() };
  await inbox.add([{ messageId, askedAt, groupId, kinds: 1 }], progress);
  return groupId;
}

/** No name server knows it. */
const MODEL = {
  provider: 'openai',
  baseUrl: 'https://models.example/v1',
  model: 'a-model',
  key: 'sk-of-a-test',
};

/** No name server knows it. */
const WEBHOOK = { name: 'Desk', url: 'https://desk.example/hooks', events: ['article.published'] };

/** Creates a webhook, and deletes older ones: a workspace may have ten, and the test files that share this one create more. */
async function webhook(signed: SignedIn): Promise<string> {
  const { memberClient } = signed;
  await makeRoomForWebhooks(signed);
  return (await expectCreated(memberClient.post('/webhooks', WEBHOOK))).id;
}
let opened: Promise<LyingProvider> | undefined;

const DOMAIN = 'example.com';

/** Sets a provider with a domain that is proved if wanted. All workspaces of a process share the provider. */
async function identityProvider({ memberClient }: SignedIn, isProved = true) {
  opened ??= openLyingProvider({ sub: 'ada', email: `ada@${DOMAIN}` });
  const provider = await opened;
  const settings = {
    ...{ ...CLIENT, issuer: provider.issuer, mode: 'optional', defaultRole: 'member', groupsClaim: 'groups' },
    ...{ groupRoles: [], domains: [DOMAIN] },
  };
  const set = await expectCreated<SignInSettings>(memberClient.put('/identity-provider', settings));
  const { record } = set.domains[0]!;
  txtRecords.set(record.name, record.value);
  if (isProved)
    await expectCreated(memberClient.post('/identity-provider/domains/proofs', { domain: DOMAIN }));
  return { provider, settings };
}

const HELP_DOMAIN = 'help.example.com';

/** Sets the domain of the help centre, so that it can be proved. */
async function helpDomain({ memberClient }: SignedIn): Promise<void> {
  const { domain } = await expectCreated<HelpAddress>(
    memberClient.put('/help-domain', { domain: HELP_DOMAIN }),
  );
  txtRecords.set(domain!.record.name, domain!.record.value);
}

/** Comes back from the page of the provider. */
async function providerReturn(signed: SignedIn): Promise<Sample> {
  const { provider } = await identityProvider(signed);
  const started = await signed.memberClient.post<{ url: string }>('/api/session/provider', {
    email: `ada@${DOMAIN}`,
  });
  const { searchParams } = new URL(started.json.url);
  provider.lie.claims = { nonce: searchParams.get('nonce') };
  const cookie = started.headers.getSetCookie()[0]!.split(';')[0]!;
  return { body: { query: `?code=a-code&state=${searchParams.get('state')}` }, headers: { cookie } };
}

const makeRoomForWebhooks = (signed: SignedIn) => keepFew(signed, '/webhooks', 5);
const makeRoomForCustomerKeys = (signed: SignedIn) => keepFew(signed, '/customer-keys', 2);

/** Deletes all but a few, because a workspace may have a limited number. */
async function keepFew({ memberClient }: SignedIn, path: string, kept: number): Promise<void> {
  const { data } = await expectCreated<{ data: { id: string }[] }>(memberClient.get(path));
  for (const { id } of data.slice(0, -kept)) await expectCreated(memberClient.delete(`${path}/${id}`));
}

const ofWebhook = (step: string, body?: Record<string, unknown>) => async (signed: SignedIn) => ({
  ...inWorkspace(`/webhooks/${await webhook(signed)}${step}`),
  ...(body && { body }),
});

const tenantSamples = {
  signIn: ({ memberClient }: SignedIn) => ({ body: { email: memberClient.email, password: PASSWORD } }),
  confirmPassword: () => ({ body: { password: PASSWORD } }),
  revokeSession: async ({ memberClient }: SignedIn) => {
    const { data } = await expectCreated<{ data: { id: string }[] }>(memberClient.get('/api/sessions'));
    return { path: `/api/sessions/${data[0]!.id}` };
  },
  changePassword: () => ({
    body: { currentPassword: PASSWORD, newPassword: 'eleven green lamps at dusk' },
  }),
  setUp: () => ({
    body: {
      token: 'a-link-that-nobody-made-in-the-first-place-',
      email: 'ada@shop.example',
      password: PASSWORD,
      workspaceName: 'Shop',
      allowedOrigins: ['https://shop.example.com'],
    },
  }),

  ...factorSamples,
  requestPasswordReset: () => ({ body: { email: 'ada@example.com' } }),
  readPasswordResetLink: async (signed: SignedIn) => ({
    headers: { [LINK_HEADER]: await passwordResetToken(signed) },
  }),
  resetPassword: async (signed: SignedIn) => ({
    body: { token: await passwordResetToken(signed), newPassword: PASSWORD },
  }),
  requestEmailChange: () => ({ body: { email: 'ada.byron@example.com' } }),
  changeEmail: async (signed: SignedIn) => ({ body: { token: await emailChangeToken(signed) } }),
  readSetupLink: () => ({ headers: { [LINK_HEADER]: 'a-link-that-nobody-made' } }),

  readHandover: async (signed: SignedIn) => inWorkspace(`/handovers/${await handoverOf(signed)}`),
  changeDigest: () => ({ ...inWorkspace('/digest'), body: { isOn: false } }),
  changeHandover: async (signed: SignedIn) => ({
    ...inWorkspace(`/handovers/${await handoverOf(signed)}`),
    body: { state: 'closed' },
  }),
  replyToHandover: async (signed: SignedIn) => ({
    ...inWorkspace(`/handovers/${await handoverOf(signed)}/replies`),
    body: { text: 'It arrives tomorrow.' },
  }),
  addHandoverNote: async (signed: SignedIn) => ({
    ...inWorkspace(`/handovers/${await handoverOf(signed)}/notes`),
    body: note,
  }),
  deleteHandoverNote: async (signed: SignedIn) => {
    const path = `/handovers/${await handoverOf(signed)}/notes`;
    const { id } = await expectCreated(signed.memberClient.post(path, note));
    return inWorkspace(`${path}/${id}`);
  },

  readInboxGroup: async (signed: SignedIn) => inWorkspace(`/inbox/${await inboxGroupOf(signed)}`),
  changeInboxGroup: async (signed: SignedIn) => ({
    ...inWorkspace(`/inbox/${await inboxGroupOf(signed)}`),
    body: { state: 'resolved' },
  }),
  askAgain: async (signed: SignedIn) => inWorkspace(`/inbox/${await inboxGroupOf(signed)}/ask-again`),
  listConsentDirectives: () => inWorkspace('/consent-directives?region=DE'),
  findText: () => inWorkspace('/knowledge/text-matches?words=password'),
  previewBoot: () => inWorkspace('/preview/boot?region=DE&locale=de'),
  previewAnswer: () => ({ body: { message: 'How do I reset my password?', locale: 'de', region: 'DE' } }),
  changeTenant: () => ({ body: { name: `Shop ${newId('ws')}` } }),
  setModel: () => ({ body: MODEL }),
  testModel: async ({ harness, memberClient }: SignedIn) => {
    const path = `/api/tenants/${harness.workspace.id}/model`;
    await expectCreated(memberClient.put(path, MODEL));
    return { ...inWorkspace('/model/test'), body: {} };
  },
  // A new workspace, because other requests use this one; deletion has tests of its own.
  deleteTenant: () => inWorkspace('?confirmName=another'),

  changeMemberRole: async ({ harness }: SignedIn) => {
    const other = await joinAs(harness, harness.workspace, 'member');
    return { ...inWorkspace(`/members/${other.memberId}`), body: { role: 'admin' } };
  },
  removeMember: ({ memberClient }: SignedIn) => inWorkspace(`/members/${memberClient.memberId}`),
  createInvitation: () => ({ body: { email: `${newId('usr')}@shop.example`, role: 'member' } }),
  withdrawInvitation: async ({ memberClient }: SignedIn) => {
    const email = `${newId('usr')}@shop.example`;
    const { id } = await expectCreated(memberClient.post('/invitations', { email, role: 'member' }));
    return inWorkspace(`/invitations/${id}`);
  },
  readInvitation: async (signed: SignedIn) => ({ body: { token: await invitationToken(signed) } }),
  readInvitationLink: async (signed: SignedIn) => ({
    headers: { [LINK_HEADER]: await invitationToken(signed) },
  }),
  acceptInvitation: async (signed: SignedIn) => ({
    body: { token: await invitationToken(signed), password: PASSWORD },
  }),

  createAutomationSession: ({ harness }: SignedIn) => ({
    body: {
      name: 'Docs pipeline',
      role: 'admin',
      areas: ['articles'],
      expiresAt: new Date(harness.clock.now() + 86_400_000).toISOString(),
    },
  }),

  createApiKey: () => ({ body: { name: 'Nightly report', scopes: ['events:read'] } }),
  rotateApiKey: async ({ memberClient }: SignedIn) => {
    const { id } = await expectCreated(
      memberClient.post('/api-keys', { name: 'Report', scopes: ['analytics:read'] }),
    );
    return { ...inWorkspace(`/api-keys/${id}/rotate`), body: { overlapSeconds: 3600 } };
  },
  revokeApiKey: async ({ memberClient }: SignedIn) => {
    const { id } = await expectCreated(
      memberClient.post('/api-keys', { name: 'Report', scopes: ['analytics:read'] }),
    );
    return inWorkspace(`/api-keys/${id}`);
  },

  createArticle: () => ({ body: ARTICLE }),
  readArticle: ofArticle(article, ''),
  editArticle: async (signed: SignedIn) => {
    const { id, revision } = await article(signed);
    const body = { baseRevision: revision, ...ARTICLE, title: 'Wrapping a present' };
    return { ...inWorkspace(`/knowledge/articles/${id}`), body };
  },
  deleteArticle: ofArticle(article, ''),
  publishArticle: async (signed: SignedIn) => {
    const { id, revision } = await article(signed);
    return { ...inWorkspace(`/knowledge/articles/${id}/publish`), body: { baseRevision: revision } };
  },
  unpublishArticle: async (signed: SignedIn) => {
    const { id, revision } = await publishedArticle(signed);
    return { ...inWorkspace(`/knowledge/articles/${id}/unpublish`), body: { baseRevision: revision } };
  },
  scheduleArticle: async (signed: SignedIn) => {
    const { id, revision } = await article(signed);
    const body = { baseRevision: revision, publishAt: tomorrow(signed) };
    return { ...inWorkspace(`/knowledge/articles/${id}/schedule`), body };
  },
  verifyArticle: async (signed: SignedIn) => ({
    ...inWorkspace(`/knowledge/articles/${(await article(signed)).id}/verification`),
    body: { verifyAfter: tomorrow(signed) },
  }),
  listAliasSuggestions: ofArticle(article, '/alias-suggestions'),
  dismissAliasSuggestion: async (signed: SignedIn) => {
    const { id } = await article(signed);
    const body = { alias: 'password', locale: 'en' };
    return { ...inWorkspace(`/knowledge/articles/${id}/alias-suggestions/dismiss`), body };
  },
  listArticleRevisions: ofArticle(article, '/revisions'),
  readArticleRevision: ofArticle(article, '/revisions/1'),
  searchKnowledge: () => inWorkspace('/knowledge/search?q=password&locale=de'),

  createSource: async (signed: SignedIn) => {
    await makeRoomForSources(signed);
    return { body: { ...WEBSITE, type: 'website' } };
  },
  readSource: ofSource(website, ''),
  changeSource: async (signed: SignedIn) => ({
    ...inWorkspace(`/knowledge/sources/${await website(signed)}`),
    body: { ...WEBSITE, name: 'Help' },
  }),
  deleteSource: ofSource(website, ''),
  uploadSourceFile: async (signed: SignedIn) => ({
    ...inWorkspace(`/knowledge/sources/${await files(signed)}/files?name=wrapping.md`),
    file: PAGE,
  }),
  listSourceRuns: ofSource(website, '/runs'),
  startSourceRun: async (signed: SignedIn) => ({
    ...inWorkspace(`/knowledge/sources/${await website(signed)}/runs`),
    body: { preview: true },
  }),
  readSourceRun: ofRun(''),
  cancelSourceRun: ofRun('/cancel'),
  applySourceRun: async (signed: SignedIn) => {
    const sample = await ofRun('/apply')(signed);
    const { sources } = signed.harness.service.store.in(signed.harness.workspace.id);
    await runUntil(signed.harness, (await sources.list())[0]!.id, 'ready');
    return sample;
  },
  listSourceRunItems: ofRun('/items'),
  listSourceRunReasons: ofRun('/refusals'),
  readSourceRunText: async (signed: SignedIn) => {
    const sourceId = await website(signed);
    const runId = await previewPage(signed, sourceId);
    const place = encodeURIComponent(EXAMPLE_PLACE);
    return inWorkspace(`/knowledge/sources/${sourceId}/runs/${runId}/text?place=${place}`);
  },
  listSourceConflicts: ofSource(website, '/conflicts'),
  resolveSourceConflicts: async (signed: SignedIn) => {
    const { id, place } = await conflict(signed);
    return {
      ...inWorkspace(`/knowledge/sources/${id}/conflicts/resolve`),
      body: { places: [place], choice: 'keep' },
    };
  },

  putAnswerTests: () => ({ body: answerTests }),
  deleteAnswerTest: async (signed: SignedIn) => inWorkspace(`/answer-tests/${await answerTestId(signed)}`),
  checkAnswerTests: async (signed: SignedIn) => ({ body: { articleId: (await article(signed)).id } }),

  startProviderSignIn: async (signed: SignedIn) => {
    await identityProvider(signed);
    return { body: { email: `ada@${DOMAIN}` } };
  },
  finishProviderSignIn: providerReturn,
  setIdentityProvider: async (signed: SignedIn) => ({ body: (await identityProvider(signed)).settings }),
  removeIdentityProvider: async (signed: SignedIn) => {
    await identityProvider(signed);
    return {};
  },
  tryIdentityProvider: () => ({ body: { issuer: 'http://127.0.0.1:9' } }),
  setHelpDomain: () => ({ body: { domain: HELP_DOMAIN } }),
  removeHelpDomain: async (signed: SignedIn) => {
    await helpDomain(signed);
    return {};
  },
  proveHelpDomain: async (signed: SignedIn) => {
    await helpDomain(signed);
    return { body: { domain: HELP_DOMAIN } };
  },
  proveSignInDomain: async (signed: SignedIn) => {
    await identityProvider(signed, false);
    return { body: { domain: DOMAIN } };
  },

  createCustomerKey: async (signed: SignedIn) => {
    await makeRoomForCustomerKeys(signed);
    return { body: { kind: 'secret' } };
  },
  deleteCustomerKey: async (signed: SignedIn) => {
    await makeRoomForCustomerKeys(signed);
    const { id } = await expectCreated(signed.memberClient.post('/customer-keys', { kind: 'secret' }));
    return inWorkspace(`/customer-keys/${id}`);
  },
  checkUserToken: () => ({ body: { token: 'not.a.token' } }),
  findCustomer: () => ({ body: { sub: '48151623' } }),
  eraseCustomer: () => ({ body: { sub: '48151623' } }),

  createWebhook: async (signed: SignedIn) => {
    await makeRoomForWebhooks(signed);
    return { body: WEBHOOK };
  },
  changeWebhook: ofWebhook('', { name: 'Help desk' }),
  deleteWebhook: ofWebhook(''),
  rotateWebhookSecret: ofWebhook('/rotate', { overlapSeconds: 3600 }),
  testWebhook: ofWebhook('/test'),
  listWebhookDeliveries: ofWebhook('/deliveries'),
  resendWebhookDelivery: async (signed: SignedIn) => {
    const path = `/webhooks/${await webhook(signed)}`;
    const { id } = await expectCreated(signed.memberClient.post(`${path}/test`));
    return inWorkspace(`${path}/deliveries/${id}/resend`);
  },

  uploadImage: () => ({ file: GIF_IMAGE }),
  deleteImage: async ({ memberClient }: SignedIn) => {
    const { id } = await expectCreated(memberClient.upload('/images', toForm(GIF_IMAGE)));
    return inWorkspace(`/images/${id}`);
  },
  createCollection: () => ({ body: { name: `Orders ${newId('col')}` } }),
  renameCollection: async (signed: SignedIn) => {
    const { id } = await collection(signed);
    return { ...inWorkspace(`/knowledge/collections/${id}`), body: { name: `Returns ${newId('col')}` } };
  },
  deleteCollection: async (signed: SignedIn) =>
    inWorkspace(`/knowledge/collections/${(await collection(signed)).id}`),
  changeArticles: async (signed: SignedIn) => ({
    body: { action: 'publish', articleIds: [(await article(signed)).id] },
  }),
  exportArticles: async (signed: SignedIn) => ({ body: { articleIds: [(await article(signed)).id] } }),

  listTranslations: ofArticle(article, '/translations'),
  createTranslation: async (signed: SignedIn) => {
    const { id } = await article(signed);
    return { ...inWorkspace(`/knowledge/articles/${id}/translations`), body: { locale: 'de', ...GERMAN } };
  },
  readTranslation: async (signed: SignedIn) => inWorkspace((await translation(signed)).path),
  editTranslation: stepOf(translation, '', { ...GERMAN, title: 'Als Geschenk verpackt' }),
  deleteTranslation: async (signed: SignedIn) =>
    inWorkspace(`${(await translation(signed)).path}?baseRevision=1`),
  submitTranslation: stepOf(translation, '/submit-review'),
  reviewTranslation: stepOf(submitted, '/review', { decision: 'approve' }),
  publishTranslation: stepOf(approved, '/publish'),
  scheduleTranslation: async (signed: SignedIn) =>
    stepOf(approved, '/schedule', { publishAt: tomorrow(signed) })(signed),
  archiveTranslation: stepOf(translation, '/archive'),
  restoreTranslation: stepOf(archived, '/restore'),

  readTenantConversation: async (signed: SignedIn) =>
    inWorkspace(`/conversations/${await conversationOf(signed)}`),
  checkSite: () => ({ body: { url: `${ORIGIN}/` } }),
  addConversationNote: async (signed: SignedIn) => ({
    ...inWorkspace(`/conversations/${await conversationOf(signed)}/notes`),
    body: note,
  }),
  deleteConversationNote: async (signed: SignedIn) => {
    const path = `/conversations/${await conversationOf(signed)}/notes`;
    const { id } = await expectCreated(signed.memberClient.post(path, note));
    return inWorkspace(`${path}/${id}`);
  },
};

type OperationIdOf<S> = {
  [K in keyof S]: S[K] extends { metadata: { operationId: infer I extends string } } ? I : never;
}[keyof S];
export type OperationId = {
  [S in keyof typeof contract]: OperationIdOf<(typeof contract)[S]>;
}[keyof typeof contract];

/**
 * Query, headers and body of a request that the route accepts from a visitor or from a signed-in owner. Routes without required input are not listed.
 */
const samples: Partial<Record<OperationId, (fixtures: Fixtures) => Sample | Promise<Sample>>> = {
  bootGuide: ({ harness }) => ({ body: { app_id: harness.appId, origin: ORIGIN, path: '/' } }),
  sendMessage: () => ({ body: question() }),
  createHandover: () => ({ body: HANDOVER }),
  listOwnHandovers: () => ({}),
  listHelpArticles: () => ({}),
  searchHelpArticles: () => ({ path: '/articles/search?q=gift+wrapping' }),
  readHelpArticle: async (signed) => ({ path: `/articles/${(await publishedArticle(signed)).id}` }),
  listOwnConversations: () => ({}),
  getConversation: async ({ harness, visitor }) => {
    const id = `conv-${visitor.visitorId}`;
    await harness.ask(visitor.jwt, { conversation_id: id });
    return { path: `/conversations/${id}` };
  },
  rateMessage: async ({ harness, visitor }) => {
    const [start] = await harness.ask(visitor.jwt);
    return { body: { message_id: start?.type === 'message_start' && start.message_id, rating: 'up' } };
  },
  recordConsent: ({ visitor, harness }) => ({
    body: {
      visitor_id: visitor.visitorId,
      url: `${ORIGIN}/`,
      copy_version: '2026-11-01',
      at: harness.clock.now(),
      decision: 'accepted',
    },
  }),
  transcribeAudio: () => ({ file: waveFile().toString('latin1') }),
  speakText: () => ({ body: { text: 'Good morning.' } }),
  reportVoiceUsage: async ({ harness, visitor }) => {
    const { json } = await readResponse<{ token: string }>(
      harness.fetch('/transcribe-token', bearer(visitor)),
    );
    return { body: { token: json.token, elapsed_seconds: 5 } };
  },
  exportConversations: withConversation,
  streamConversations: withConversation,
  tabulateConversations: withConversation,
  exportTranscripts: withConversation,
  streamTranscripts: withConversation,
  tabulateTranscripts: withConversation,
  sendMcpMessage: () => ({
    body: {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'search_articles', arguments: { query: 'How do I reset my password?' } },
    },
  }),
  ...tenantSamples,
};

export async function getSample(fixtures: Fixtures, id: OperationId): Promise<Sample> {
  return (await samples[id]?.(fixtures)) ?? {};
}

/** Creates a conversation of a visitor who consented to storage. */
async function withConversation(fixtures: Fixtures): Promise<Sample> {
  await conversationOf(fixtures);
  return {};
}

export function bearer({ jwt }: Visitor): { headers: Record<string, string> } {
  return { headers: { authorization: `Bearer ${jwt}` } };
}
