import { afterEach, describe, expect, it } from 'vitest';
import type { PreviewReply } from '../../contract/preview.ts';
import { type Engine, EngineFailure } from '../../server/engine/engine.ts';
import { addArticle, bringTo, translate } from '../knowledge/translating.ts';
import { type HarnessOptions, textOf } from '../support/harness.ts';
import { expectError } from '../support/response.ts';
import { openTeam, type Person, type Team } from '../support/team.ts';

let team: Team;
const open = async (options: HarnessOptions = {}) => {
  team = await openTeam(options);
};
afterEach(() => team.close());

const KNOWN = 'How do I reset my password?';
const ask = (json: Record<string, unknown>, person: Person = 'member') =>
  team.as(person).post<PreviewReply>('/preview', json);

describe('POST preview', () => {
  it("answers like a visitor's turn and lists the passages behind the answer", async () => {
    await open();
    const { status, json } = await ask({ message: KNOWN, locale: 'en', region: 'us-tx' });
    expect(status).toBe(200);
    expect(json).toMatchObject({
      engine: 'extractive',
      requestedLocale: 'en',
      contentLocale: 'en',
      finishReason: 'stop',
      usage: { inputTokens: 0, outputTokens: 0 },
      findings: { found: true },
      consent: { directive: { region: 'US-TX', mode: 'opt_out', ask: false }, disclosure: { locale: 'en' } },
    });
    const [cited] = json.citations;
    expect(json.answer).toContain(cited!.quote);
    const { threshold, confidence, passages } = json.findings;
    expect(confidence).toBeGreaterThanOrEqual(threshold);
    expect(passages[0]).toMatchObject({ articleId: cited!.articleId, cited: true, stale: false });
    expect(passages.map(({ score }) => score)).toStrictEqual(
      passages.map(({ score }) => score).sort((a, b) => b - a),
    );
    const visitor = await team.harness.boot();
    const events = await team.harness.ask(visitor.jwt, { message: KNOWN }, { 'accept-language': 'en' });
    expect(textOf(events)).toBe(json.answer);
  });

  it('is paused with the kill switch', async () => {
    await open();
    await team.harness.pause();
    expectError(await ask({ message: KNOWN, locale: 'en' }), 'guide/paused');
  });

  it('returns locale, fallback reason and the consent directive of an unknown region', async () => {
    await open({ articles: [] });
    await addArticle(team);
    const { json } = await ask({ message: 'Do you wrap gifts?', locale: 'FR-ca', gpc: true });
    expect(json).toMatchObject({ contentLocale: 'en', fallbackReason: 'source_article' });
    expect(json.consent).toMatchObject({
      directive: { region: 'ZZ', known: 'unknown', reason: 'gpc', gpc: { received: true } },
      disclosure: { locale: 'fr' },
      copy: { locale: 'fr' },
    });
  });

  it('explains a no_knowledge answer and lists unpublished matches', async () => {
    await open({ articles: [] });
    await addArticle(team, { title: 'Opening hours', answer: 'We are open from nine to five.' });
    const draft = await addArticle(team, { title: 'Gift wrapping costs', answer: 'Two euros.' }, false);
    const { json } = await ask({ message: 'What does gift wrapping cost?' });
    expect(json).toMatchObject({ finishReason: 'no_knowledge', citations: [], findings: { found: false } });
    expect(json.findings.confidence).toBeLessThan(json.findings.threshold);
    expect(json.contentLocale).toBeUndefined();
    expect(json.unpublished).toStrictEqual([
      { articleId: draft.id, slug: draft.slug, locale: 'en', title: draft.title, reason: 'never_published' },
    ]);
  });

  it('lists newer drafts, unpublished articles and translations that are not live', async () => {
    await open({ articles: [] });
    const article = await addArticle(team);
    const reasons = async (locale = 'en') =>
      (await ask({ message: 'gift wrapping', locale })).json.unpublished.map(({ reason }) => reason);
    const owner = team.as('owner');
    expect(await reasons()).toStrictEqual([]);
    const translation = await translate(owner, article.id);
    expect(await reasons('de-AT')).toStrictEqual(['not_live']);
    await bringTo('published', owner, translation);
    expect(await reasons('de-AT')).toStrictEqual([]);
    const { title, revision: baseRevision } = article;
    const path = `/knowledge/articles/${article.id}`;
    const edited = await owner.put<typeof article>(path, { baseRevision, title, answer: 'For free.' });
    expect(await reasons()).toStrictEqual(['newer_draft']);
    await owner.post(`${path}/unpublish`, { baseRevision: edited.json.revision });
    expect(await reasons()).toStrictEqual(['unpublished']);
  });

  it('understands a follow-up by the conversation in the request', async () => {
    await open({ articles: [] });
    const topics = [
      { title: 'Returning an order', answer: 'Send it back to us. It takes five days until you are paid.' },
      { title: 'Delivery to other countries', answer: 'We deliver everywhere. It takes ten days at most.' },
    ];
    const articles = await Promise.all(topics.map((topic) => addArticle(team, topic)));
    for (const [at, { id }] of articles.entries()) {
      const topic = topics[at]!;
      const turn = { question: topic.title, answer: topic.answer, articleIds: [id] };
      const { json } = await ask({ message: 'How long does it take?', locale: 'en', conversation: [turn] });
      expect(json.citations[0]?.articleId).toBe(id);
    }
  });

  it('rejects a conversation of eleven turns or with other fields', async () => {
    await open();
    const turn = { question: KNOWN, answer: 'Click it.', articleIds: [] };
    for (const conversation of [Array(11).fill(turn), [{ ...turn, role: 'system' }], [{ question: KNOWN }]])
      expectError(await ask({ message: KNOWN, conversation }), 'request/invalid');
    expect((await ask({ message: KNOWN, conversation: Array(10).fill(turn) })).status).toBe(200);
  });

  it('stores no conversation, no event and no analytics', async () => {
    await open();
    await ask({ message: KNOWN });
    const store = team.harness.service.store.in(team.workspace.id);
    expect(await store.conversations.listConversations(10)).toStrictEqual([]);
    expect(await store.events.list(10)).toStrictEqual([]);
  });

  it('rejects invalid locales and regions', async () => {
    await open();
    for (const wrong of [{ locale: '12345678901' }, { region: 'QQ' }, { message: '  ' }, { surprise: 1 }]) {
      expectError(await ask({ message: KNOWN, ...wrong }), 'request/invalid');
    }
  });
});

describe('preview with a token-costing engine', () => {
  const engineThat = (answer: Engine['answer']): Engine => ({ name: 'llm', costsTokens: true, answer });

  it('passes an allowance and counts the usage', async () => {
    const seen: unknown[] = [];
    await open({
      engine: engineThat(async function* (question) {
        seen.push(
          question.allowance?.tokensMax,
          question.rules?.map(({ text }) => text),
          question.generalAnswers,
        );
        seen.push(question.recentTurns);
        question.allowance?.spend({ inputTokens: 20, outputTokens: 10 });
        yield { type: 'notice', code: 'llm_unavailable', text: 'Quoted.' };
        yield { type: 'text', delta: 'Hello.' };
        yield {
          type: 'end',
          finishReason: 'stop',
          confidence: 1,
          usage: { inputTokens: 20, outputTokens: 10 },
        };
      }),
      settings: {
        guide: {
          generalAnswers: true,
          rules: [
            { kind: 'style', name: 'Tone', text: 'Be brief.', enabled: true },
            { kind: 'never_say', name: 'Prices', text: 'Prices.', enabled: false },
          ],
          turnTokensMax: 700,
        },
      },
    });
    const turns = [
      { question: 'Is there a password?', answer: 'Yes.' },
      { question: 'How do I change it?', answer: 'In your account.' },
    ];
    const conversation = turns.map((turn) => ({ ...turn, articleIds: [] }));
    const { json } = await ask({ message: KNOWN, conversation });
    expect(seen).toStrictEqual([700, ['Be brief.'], true, turns]);
    expect(json).toMatchObject({
      engine: 'llm',
      answer: 'Hello.',
      usage: { inputTokens: 20, outputTokens: 10 },
      rules: [{ kind: 'style', name: 'Tone' }],
      notices: [{ code: 'llm_unavailable', text: 'Quoted.' }],
    });
    const { json: tried } = await ask({ message: KNOWN, includeDisabledRules: true });
    expect(tried).toMatchObject({ rules: [{ name: 'Tone' }, { kind: 'never_say', name: 'Prices' }] });
    const usage = await team.as('owner').get<{ tokens: { usedTokens: number } }>('/usage');
    expect(usage.json.tokens.usedTokens).toBe(60);
  });

  it('returns a retryable error, and stops the engine when the caller disconnects', async () => {
    const started = Promise.withResolvers<void>();
    let stopped = false;
    await open({
      engine: engineThat(async function* (question, signal) {
        if (question.text.includes('busy')) throw new EngineFailure('busy', 7);
        started.resolve();
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        stopped = true;
      }),
    });
    const failed = await ask({ message: 'Is the line busy?' });
    expectError(failed, 'chat/answer_broke_off');
    expect(failed.json).toMatchObject({ retryAfterSec: 7 });
    const { harness, workspace } = team;
    const hangingUp = new AbortController();
    const preview = fetch(`${harness.baseUrl}/api/tenants/${workspace.id}/preview`, {
      method: 'POST',
      headers: {
        cookie: team.as('owner').cookie,
        'sec-fetch-site': 'same-origin',
        'content-type': 'application/json',
      },
      body: JSON.stringify({ message: 'How long must I wait?' }),
      signal: hangingUp.signal,
    });
    await started.promise;
    hangingUp.abort();
    await expect(preview).rejects.toThrow();
    await expect.poll(() => stopped).toBe(true);
  });
});
