import { readFileSync } from 'node:fs';
import { DEMO_KNOWLEDGE_DIR } from '../../server/demo/demo.ts';
import { type AppSite, openAppSite } from './app-site.ts';
import { decide } from './decisions.ts';
import type { Seed } from './seeds.ts';

/** A workspace as it is after some days of use, for pictures. */

const DAYS = 12;
const DAY_MILLIS = 24 * 3_600_000;
const SLUGS = [
  'screen-shot-record',
  'display-brightness',
  'a11y-font-size',
  'net-wireless-connect',
  'backup-why',
  'power-batterylife',
  'printing-setup',
  'files-search',
];

export type SampleSite = AppSite & {
  /** The article with an outdated German translation. */
  staleArticleId: string;
};

export async function openSampleSite(): Promise<SampleSite> {
  const site = await openAppSite({ articles: articles() });
  await addConversations(site);
  return { ...site, staleArticleId: await makeStale(site) };
}

function articles(): Seed[] {
  return readFileSync(`${DEMO_KNOWLEDGE_DIR}/gnome-help.jsonl`, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Seed)
    .filter(({ slug }) => SLUGS.includes(slug));
}

/** Adds several days of visitors with answered, unanswered and rated questions. */
async function addConversations({ team: { harness } }: AppSite): Promise<void> {
  const questions = [
    'How do I take a screenshot?',
    'How can I make the text larger?',
    'Do you ship to Norway?',
    'How do I connect to Wi-Fi?',
    'Can I get a refund?',
  ];
  harness.clock.advance(-DAYS * DAY_MILLIS);
  for (let day = 0; day < DAYS; day += 1) {
    for (let visit = 0; visit <= day % 5; visit += 1) {
      const visitor = await harness.boot();
      await decide(harness, visitor, { decision: 'accepted' });
      const message = questions[(day + visit) % questions.length]!;
      const [start] = await harness.ask(visitor.jwt, { message, conversation_id: `talk-${day}-${visit}` });
      if (start?.type !== 'message_start' || visit % 2 === 1) continue;
      await harness.fetch('/feedback', {
        json: { message_id: start.message_id, rating: day % 4 === 3 ? 'down' : 'up' },
        headers: { authorization: `Bearer ${visitor.jwt}` },
      });
    }
    harness.clock.advance(DAY_MILLIS);
  }
}

/** Edits one original so that its translation is outdated. Returns the article's id. */
async function makeStale({ team }: AppSite): Promise<string> {
  const owner = team.as('owner');
  type Row = { id: string; slug: string };
  const { json } = await owner.get<{ data: Row[] }>('/knowledge/articles');
  const { id } = json.data.find(({ slug }) => slug === 'display-brightness') ?? json.data[0]!;
  type Text = { title: string; answer: string; aliases: string[]; url?: string; revision: number };
  const { json: article } = await owner.get<Text>(`/knowledge/articles/${id}`);
  const { title, aliases, url } = article;
  const answer = `${article.answer}\n\nOn a laptop, the keys with a sun on them change the brightness too.`;
  const edited = await owner.put<{ revision: number }>(`/knowledge/articles/${id}`, {
    title,
    aliases,
    ...(url && { url }),
    answer,
    baseRevision: article.revision,
  });
  await owner.post(`/knowledge/articles/${id}/publish`, { baseRevision: edited.json.revision });
  return id;
}
