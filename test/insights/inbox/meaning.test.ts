/** Questions in the inbox, compared by the model inside the service. */
import { afterEach, describe, expect, it } from 'vitest';
import type { AliasSuggestion } from '../../../contract/articles.ts';
import type { Seed } from '../../support/seeds.ts';
import type { Team } from '../../support/team.ts';
import { openShop, rate, sendMessage, visit } from '../../support/visitor-actions.ts';

/** Lets visitors name their region. */
const WITH_REGIONS = { TRUSTED_PROXIES: 'loopback', EDGE_PROVIDER: 'cloudflare' };

const ARTICLES: readonly Seed[] = [
  ['returns', 'Returns', 'Send goods back to us within 30 days, and you receive a refund.'],
  ['hours', 'Opening hours', 'The shop opens at nine and closes at six, and is closed on Sundays.'],
  ['bicycle', 'Rent a bicycle', 'Scan the code on the frame and pull the lock.'],
].map(([slug, title, answer]) => ({ slug: slug!, locale: 'en', title: title!, answer: answer! }));

/** Pairs of questions that share no word. */
const PAIRS = [
  [
    ['en', 'Do you employ students in summer?'],
    ['en', 'Are there holiday jobs for pupils?'],
  ],
  [
    ['en', 'Where can I park my car?'],
    ['de', 'Wo kann ich mein Auto parken?'],
  ],
  [
    ['fr', 'Livrez-vous en Suisse ?'],
    ['it', 'Spedite in Svizzera?'],
  ],
] as const;

const MONEY = 'Can I get reimbursed?';
const WORN = 'I changed my mind about my purchase';

type Group = { questions: { question: string }[] };

describe('questions that were not answered well', () => {
  let team: Team;
  afterEach(() => team.close());

  async function open(embeddings: 'on' | 'off'): Promise<void> {
    team = await openShop({
      articles: ARTICLES,
      env: { ...WITH_REGIONS, EMBEDDINGS: embeddings },
    });
    await tick(3_000);
    const isEmbedded = () => team.harness.logged.some(({ msg }) => msg === 'texts embedded');
    if (embeddings === 'on') await expect.poll(isEmbedded, { timeout: 20_000 }).toBe(true);
  }
  async function tick(millis: number): Promise<void> {
    team.harness.clock.advance(millis);
    await team.harness.service.tick();
  }
  async function ask(questions: readonly (readonly [locale: string, question: string])[]): Promise<void> {
    const visitor = await visit(team);
    for (const [at, [locale, question]] of questions.entries()) {
      const headers = { 'accept-language': locale };
      const { messageId } = await sendMessage(team, visitor, `c${at}`, question, {}, headers);
      await rate(team, visitor, { message_id: messageId, rating: 'down' });
    }
    await tick(61_000);
  }
  const groups = async () =>
    (await team.as('member').get<{ data: Group[] }>('/inbox')).json.data.map(({ questions }) =>
      questions.map(({ question }) => question).sort(),
    );
  async function listAliases(slug: string): Promise<string[]> {
    const id = await team.harness.service.store.in(team.workspace.id).articles.findId(slug);
    const { json } = await team
      .as('member')
      .get<{ data: AliasSuggestion[] }>(`/knowledge/articles/${id}/alias-suggestions`);
    return json.data.map(({ alias }) => alias);
  }

  it('are grouped by their meaning, in one language and across languages', async () => {
    await open('on');
    await ask(PAIRS.flat());
    const expected = PAIRS.map((pair) => pair.map(([, question]) => question).sort());
    expect((await groups()).sort()).toEqual(expected.sort());
  });

  it('are grouped by their words alone without embeddings', async () => {
    await open('off');
    await ask(PAIRS.flat());
    expect(await groups()).toHaveLength(PAIRS.flat().length);
  });

  it.each([
    ['by meaning', 'on', [MONEY, WORN]],
    ['by words alone without embeddings', 'off', []],
  ] as const)(
    'are suggested as aliases of the nearest article in its language, %s',
    async (_, embeddings, expected) => {
      await open(embeddings);
      const asked = [MONEY, WORN, 'Who is the prime minister of Norway?'];
      await ask([...asked.map((question) => ['en', question] as const), ['es', 'Quiero un reembolso']]);
      expect((await listAliases('returns')).sort()).toEqual([...expected].sort());
      expect(await listAliases('hours')).toEqual([]);
    },
  );
});
