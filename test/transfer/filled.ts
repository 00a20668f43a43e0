import { newId } from '../../server/ids.ts';
import { type Desk, joinAs, type Office, openOffice } from '../accounts/office.ts';
import { type Harness, type HarnessOptions, ORIGIN } from '../harness.ts';

/** A workspace with data of every kind, each text with a word that appears nowhere else. */

export type Made = { readonly id: string; readonly revision: number };

async function made<T = Made>(answer: Promise<{ status: number; json: unknown; text: string }>): Promise<T> {
  const { status, json, text } = await answer;
  if (status >= 300) throw new Error(`could not be made: ${status} ${text}`);
  return json as T;
}

export type Filled = { readonly article: Made; readonly translationPath: string; readonly visitorId: string };

/** Fills the workspace of the desk's owner; every stored text contains `word`. */
export async function fill(harness: Harness, desk: Desk, word: string): Promise<Filled> {
  const settings = {
    name: `${word} the shop`,
    suggestions: [`${word} where is my order?`],
    allowedOrigins: [ORIGIN, `https://${word}.example`],
    voice: {
      voiceId: `${word}-voice`,
      tokenProvider: 'provider_b',
      transcribeProvider: 'provider_a',
      speechProvider: 'mock',
    },
  };
  await made(desk.patch('', settings));
  const article = await publishedArticle(desk, word);
  const translationPath = await reviewedTranslation(desk, article.id, word);
  await made(desk.post('/knowledge/articles', { title: `${word} draft`, answer: `${word} not yet.` }));
  await made(desk.post('/invitations', { email: `${word}-guest@shop.example`, role: 'member' }));
  await made(desk.post('/api-keys', { name: `${word} report`, scopes: ['events:read'] }));
  const visitorId = await useGuide(harness, word);
  await speakUp(harness, visitorId);
  return { article, translationPath, visitorId };
}

async function publishedArticle(desk: Desk, word: string): Promise<Made> {
  const text = {
    title: `${word} lanterns`,
    answer: `${word} lanterns are lit at night. ${`${word} lanterns have a switch below. `.repeat(60)}`,
    aliases: [`${word} lamps`],
    url: `https://shop.example.com/${word}`,
  };
  const { id, revision } = await made(desk.post('/knowledge/articles', text));
  const live = await made(desk.post(`/knowledge/articles/${id}/publish`, { baseRevision: revision }));
  const changed = { ...text, title: `${word} lanterns and candles`, baseRevision: live.revision };
  return made(desk.put(`/knowledge/articles/${id}`, changed));
}

async function reviewedTranslation(desk: Desk, articleId: string, word: string): Promise<string> {
  const base = `/knowledge/articles/${articleId}/translations`;
  const german = {
    title: `${word} Laternen`,
    answer: `${word} Laternen leuchten nachts.`,
    searchAliases: [`${word} Lampen`],
  };
  let { id, revision } = await made(desk.post(base, { locale: 'de', ...german }));
  const step = async (name: string, body: Record<string, unknown> = {}) => {
    ({ revision } = await made(desk.post(`${base}/${id}/${name}`, { baseRevision: revision, ...body })));
  };
  await step('submit-review');
  await step('review', { decision: 'request_changes', reviewNote: `${word} please be formal` });
  ({ revision } = await made(
    desk.put(`${base}/${id}`, { baseRevision: revision, ...german, title: `${word} Die Laternen` }),
  ));
  await step('submit-review');
  await step('review', { decision: 'approve', reviewNote: `${word} well done` });
  await step('publish');
  return `${base}/${id}`;
}

/** A visitor who accepts, asks twice, rates and comments. */
async function useGuide(harness: Harness, word: string): Promise<string> {
  const { jwt, visitor_id } = await visit(harness, 'accepted');
  const headers = { authorization: `Bearer ${jwt}` };
  const conversation_id = `conv-${word}`;
  const message = `${word} how do I return an order? ${`${word} `.repeat(100)}`;
  const turn = { conversation_id, message };
  const [start] = await harness.ask(jwt, turn, { 'idempotency-key': `${word}-key` });
  await harness.ask(jwt, { conversation_id, turn_idx: 1, message: `${word} lanterns` });
  const message_id = start?.type === 'message_start' ? start.message_id : '';
  const rating = { message_id, rating: 'up', comment: `${word} thank you` };
  const rated = await harness.fetch('/feedback', { json: rating, headers });
  if (rated.status !== 200) throw new Error(await rated.text());
  return visitor_id;
}

/** A visitor with a transcription under way. */
async function speakUp({ service, workspace, clock }: Harness, visitorId: string): Promise<void> {
  const now = clock.now();
  await service.store.in(workspace.id).tokenMonths.reserve('2026-11', () => 1);
  await service.store.in(workspace.id).voiceReservations.reserve(
    {
      id: newId('hold'),
      visitorId,
      kind: 'realtime',
      provider: 'provider_a',
      period: '2026-11',
      openedAt: now,
      counted: true,
    },
    () => ({ seconds: 120, defaultChargeSeconds: 0, closesAt: now + 60_000, purgeAt: now + 3_600_000 }),
  );
}

/** A visitor of the harness's workspace who has decided on consent. */
export async function visit(harness: Harness, decision: 'accepted' | 'denied') {
  harness.clock.advance(1000);
  const visitor = await harness.boot();
  const json = {
    visitor_id: visitor.visitor_id,
    url: `${ORIGIN}/canary-path`,
    copy_version: '2026-11-01',
    at: harness.clock.now(),
    decision,
  };
  const answer = await harness.fetch('/consent', {
    json,
    headers: { authorization: `Bearer ${visitor.jwt}` },
  });
  const { recorded } = (await answer.json()) as { recorded: boolean };
  if (!recorded) throw new Error('the decision was not recorded');
  return visitor;
}

export type FilledOffice = Office & Filled & { readonly word: string; readonly owner: Desk };

/** An office whose workspace was filled by an owner with the word in their email. */
export async function openFilled(word: string, options: HarnessOptions = {}): Promise<FilledOffice> {
  const office = await openOffice(options);
  const owner = await joinAs(office.harness, office.workspace, 'owner', `${word}-owner@shop.example`);
  return { ...office, ...(await fill(office.harness, owner, word)), word, owner };
}

export const lineTexts = (text: string): string[] => text.trimEnd().split('\n');
