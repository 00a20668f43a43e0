import type { InboxGroupBody } from '../../contract/inbox.ts';
import type { SourceRecord } from '../../contract/sources.ts';
import { newId } from '../../server/base/ids.ts';
import { openSource } from '../sources/source-client.ts';
import type { SampleSite } from '../support/sample-site.ts';
import { openAutomation } from '../support/team.ts';

/** The ids in the addresses of pictures. */
export type Ids = Readonly<
  Record<'article' | 'table' | 'conversation' | 'website' | 'source' | 'run', string>
>;

/** Brings a workspace that has been used for some days into a state in which every page has something to show. */
export async function prepare(site: SampleSite): Promise<Ids> {
  const { harness } = site.team;
  const owner = site.team.as('owner');
  await translate(site);
  await owner.post('/api-keys', { name: 'Nightly report', scopes: ['analytics:read'] });
  await owner.post('/customer-keys', { kind: 'secret' });
  await owner.patch('', {
    customerAttributes: [
      { name: 'plan', type: 'one_of', values: ['basic', 'pro', 'team'] },
      { name: 'beta', type: 'boolean' },
    ],
  });
  await owner.post('/webhooks', {
    ...{ name: 'Help desk', url: 'https://desk.example.com/hooks/guidepost' },
    events: ['question.unanswered', 'answer.rated', 'article.published'],
  });
  await openAutomation({ harness, memberClient: owner }, { name: 'Documentation pipeline' });
  const listed = await owner.get<{ data: { id?: string; conversationId?: string }[] }>('/conversations');
  const [newest] = listed.json.data;
  await askAgain(site);
  await fileArticles(site);
  await askPerson(site);
  await keepTests(site);
  return {
    article: site.staleArticleId,
    table: await writeTable(site),
    conversation: newest?.conversationId ?? newest?.id ?? '',
    website: await addWebsite(site),
    ...(await addFiles(site)),
  };
}

/** Stores two questions to a person, one with a part of the conversation. */
async function askPerson({ team }: SampleSite): Promise<void> {
  const { handovers } = team.harness.service.store.in(team.workspace.id);
  const nobody = { mail: undefined, payload: undefined as never };
  const shared = {
    ...{ visitorId: newId('vp'), state: 'open' as const, locale: 'en' },
    pageUrl: 'https://shop.example.com/orders',
    ...{ email: 'ada@example.com', createdAt: team.harness.clock.now() },
  } as const;
  const transcript = JSON.stringify([
    { question: 'Do you ship to Norway?', answer: 'I found nothing about this in the published articles.' },
  ]);
  await handovers.create(
    { ...shared, id: newId('ho'), message: 'Can I return a gift without a receipt?' },
    nobody,
  );
  await handovers.create(
    {
      ...shared,
      id: newId('ho'),
      name: 'Ada Lovelace',
      message: 'Do you ship to Norway, and how long does it take?',
      transcript,
      summary: 'The visitor asks whether orders are shipped to Norway. The guide found no article about it.',
    },
    nobody,
  );
}

/** Keeps and runs two answer tests, one of which fails. */
async function keepTests({ team }: SampleSite): Promise<void> {
  const tests = ['Do you ship to Norway?', 'How do I take a screenshot?'].map((question) => ({
    ...{ question, locale: 'en', article: null },
  }));
  await team.as('owner').put('/answer-tests', { tests });
  for (let round = 0; round < 2; round += 1) {
    team.harness.clock.advance(2_000);
    await team.harness.service.tick();
  }
}

/** Creates a translation in review. */
async function translate({ team, staleArticleId }: SampleSite): Promise<void> {
  const path = `/knowledge/articles/${staleArticleId}/translations`;
  const { json } = await team.as('admin').post<{ id: string }>(path, {
    locale: 'nb',
    title: 'Still inn lysstyrken på skjermen',
    answer: 'Endre lysstyrken slik at skjermen er lettere å lese i sterkt lys.',
    searchAliases: [],
  });
  await team.as('admin').post(`${path}/${json.id}/submit-review`, { baseRevision: 1 });
}

const TABLE = `Choose the plan that fits your team. You can change it at any time.

| Plan | Members | Price a month |
| --- | --- | ---: |
| Starter | 3 | €9 |
| Team | 25 | €49 |
| Company | unlimited | €199 |

**Every plan** has:

1. unlimited questions,
2. all languages,
3. e-mail support.`;

/** Creates an article with a table that is scheduled, and to be verified. */
async function writeTable({ team }: SampleSite): Promise<string> {
  const { clock } = team.harness;
  const owner = team.as('owner');
  const after = (days: number) => new Date(clock.now() + days * 86_400_000).toISOString();
  const article = { title: 'Plans and prices', answer: TABLE, slug: 'plans' };
  const { id } = (await owner.post<{ id: string }>('/knowledge/articles', article)).json;
  const path = `/knowledge/articles/${id}`;
  await owner.put(`${path}/schedule`, { baseRevision: 1, publishAt: after(30) });
  await owner.put(`${path}/verification`, { verifyAfter: after(0.0005) });
  clock.advance(61_000);
  return id;
}

/** Files the articles in two collections, and tags some. */
async function fileArticles({ team }: SampleSite): Promise<void> {
  const owner = team.as('owner');
  const { data } = (await owner.get<{ data: { id: string }[] }>('/knowledge/articles')).json;
  const ids = data.map(({ id }) => id);
  for (const [name, from, to] of [['Screen and power', 0, 4] as const, ['Network', 4, 6] as const]) {
    const { id } = (await owner.post<{ id: string }>('/knowledge/collections', { name })).json;
    const articleIds = ids.slice(from, to);
    await owner.post('/knowledge/article-actions', { action: 'move', articleIds, collectionId: id });
  }
  await owner.post('/knowledge/article-actions', {
    action: 'tag',
    articleIds: ids.slice(1, 4),
    tag: 'laptop',
  });
}

/** Fills the inbox with unanswered questions, and asks one group again after it was answered. */
async function askAgain({ team }: SampleSite): Promise<void> {
  const { clock, service } = team.harness;
  const owner = team.as('owner');
  clock.advance(61_000);
  await service.tick();
  const { data } = (await owner.get<{ data: InboxGroupBody[] }>('/inbox')).json;
  const refund = data.find(({ questions }) => /refund/.test(questions[0]!.question));
  if (!refund) throw new Error('the inbox has no group about refunds');
  const text = { title: 'Can I get a refund?', answer: 'Yes, you get a refund within 30 days.' };
  const { json } = await owner.post<{ id: string; revision: number }>('/knowledge/articles', text);
  await owner.post(`/knowledge/articles/${json.id}/publish`, { baseRevision: json.revision });
  await owner.patch(`/inbox/${refund.id}`, { articleId: json.id });
  await owner.post(`/inbox/${refund.id}/ask-again`);
  await owner.patch(`/inbox/${refund.id}`, { state: 'resolved' });
}

async function addWebsite({ team }: SampleSite): Promise<string> {
  const website = {
    ...{ name: 'Help center', type: 'website', mode: 'review' },
    website: { startUrls: ['https://help.shop.example/sitemap.xml'], exclude: ['/archive/*'] },
  };
  return (await team.as('owner').post<SourceRecord>('/knowledge/sources', website)).json.id;
}

/** Creates a source of files with a conflict, and a run that is ready to apply. */
async function addFiles({ team }: SampleSite): Promise<Pick<Ids, 'source' | 'run'>> {
  const { harness } = team;
  const admin = team.as('admin');
  const source = await openSource('review', { harness, member: admin });
  await source.upload('shipping.md', '# How long does shipping take?\n\nTwo days.');
  await source.upload('gifts.md', '# Do you wrap gifts?\n\nYes, at the checkout.');
  await source.run();
  type Row = { id: string; slug: string; revision: number };
  const { data } = (await admin.get<{ data: Row[] }>(`/knowledge/articles?source=${source.id}`)).json;
  const shipping = data.find(({ slug }) => slug.includes('shipping'))!;
  await admin.put(`/knowledge/articles/${shipping.id}`, {
    title: 'How long does shipping take?',
    answer: 'Three days, or one day with express shipping.',
    aliases: [],
    baseRevision: shipping.revision,
  });
  await source.upload('shipping.md', '# How long does shipping take?\n\nFive days at most.');
  await source.run();
  await source.upload('gifts.md', '# Do you wrap gifts?\n\nYes, choose the paper at the checkout.');
  await source.upload('returns.md', '# How do I return an order?\n\nWithin 30 days.');
  await source.upload('broken.pdf', 'This is no PDF.').catch(() => undefined);
  return { source: source.id, run: (await source.run(true)).id };
}
