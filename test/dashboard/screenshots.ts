import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { DEMO_KNOWLEDGE_DIR } from '../../server/demo/demo.ts';
import { decide } from '../consent/decisions.ts';
import { quitBrowsers } from '../fixtures/browser.ts';
import type { Seed } from '../fixtures/seeds.ts';
import { type AppSite, openAppSite } from './app-site.ts';

/** Captures the documentation's screenshots of the dashboard: `make screenshots`. */

const DAYS = 12;
const DAY_MILLIS = 24 * 3_600_000;
const FOLDER = new URL('../../docs/images/', import.meta.url);
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

const site = await openAppSite({ articles: articles() });
try {
  await addConversations(site);
  const stale = await makeStale(site);
  const { page, go } = await site.open('owner', '', {
    deviceScaleFactor: 2,
    viewport: { width: 1200, height: 800 },
  });
  await capture(page, 'dashboard-overview', 'Overview');
  await go('/articles');
  await capture(page, 'dashboard-articles', 'Articles');
  await go(`/articles/${stale}/translations/de`);
  await page.locator('ins').first().waitFor();
  await capture(page, 'dashboard-translation', /German/);
  await go('/preview');
  await page.getByRole('textbox', { name: 'Question' }).fill('How do I take a screenshot?');
  await page.getByRole('button', { name: 'Ask' }).click();
  await page.getByRole('heading', { level: 2, name: 'Answer' }).waitFor();
  await capture(page, 'dashboard-playground', 'Playground');
  await go('/analytics');
  await capture(page, 'dashboard-analytics', 'Analytics');
} finally {
  await site.leave();
  await site.close();
  await quitBrowsers();
}

async function capture(page: Page, name: string, title: string | RegExp): Promise<void> {
  await page.getByRole('heading', { level: 1, name: title }).waitFor();
  await page.waitForLoadState('networkidle');
  await page.screenshot({ path: fileURLToPath(new URL(`${name}.png`, FOLDER)), scale: 'css' });
}

function articles(): Seed[] {
  return readFileSync(`${DEMO_KNOWLEDGE_DIR}/gnome-help.jsonl`, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Seed)
    .filter(({ slug }) => SLUGS.includes(slug));
}

/** Several days of visitors with answered, unanswered and rated questions. */
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
