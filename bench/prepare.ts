/** Creates the data for the servers: workspaces with articles, the key that signs tokens, visitors with real tokens. */

import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { systemClock } from '../server/base/clock.ts';
import { newId } from '../server/base/ids.ts';
import { hashContent, summarize } from '../server/knowledge/article-content.ts';
import { indexPassage } from '../server/knowledge/search/chunks.ts';
import { initializeIndex } from '../server/knowledge/search/indexing.ts';
import type { ImportedArticle } from '../server/storage/article-import.ts';
import { openSqlite } from '../server/storage/sqlite/open.ts';
import type { Store } from '../server/storage/store.ts';
import { SETTINGS_DEFAULTS } from '../server/storage/workspace-settings.ts';
import { openKeyRing } from '../server/tokens/key-ring.ts';
import { type BenchArticle, benchArticles } from './articles.ts';
import type { Plan } from './requests.ts';

export const ORIGIN = 'https://bench.example.com';
export const ARTICLES = 1_000;

const LOCALE = 'en';
const ARTICLES_PER_COMMIT = 250;

/** Fills `folder` with workspaces that hold the same articles; returns their app ids. */
export async function fillFolder(folder: string, workspaces: number): Promise<string[]> {
  mkdirSync(folder, { recursive: true });
  openKeyRing(folder, [], systemClock.now());
  const store = openSqlite({ file: join(folder, 'guidepost.db') });
  const appIds = await fillStore(store, workspaces);
  await store.close();
  return appIds;
}

let workspaceCount = 0;

/** Fills a store, which may hold workspaces already; returns the app ids of the new ones. */
export async function fillStore(store: Store, workspaces: number): Promise<string[]> {
  await initializeIndex(store.passageIndex);
  const indexed = benchArticles(ARTICLES).map(toImportedArticle);
  const appIds: string[] = [];
  for (let index = 0; index < workspaces; index += 1) {
    const id = newId('ws');
    const appId = `gp_bench${workspaceCount++}`;
    await store.workspaces.create({
      id,
      appId,
      name: `Bench ${index}`,
      settings: {
        ...SETTINGS_DEFAULTS,
        allowedOrigins: [ORIGIN],
        sourceLocale: LOCALE,
        suggestions: ['How do I add a delivery note?'],
      },
      createdAt: systemClock.now(),
    });
    const { articles } = store.in(id);
    for (let from = 0; from < indexed.length; from += ARTICLES_PER_COMMIT) {
      const batch = indexed.slice(from, from + ARTICLES_PER_COMMIT).map(withNewIds);
      await articles.import(batch, { actor: 'bench', atMillis: systemClock.now() });
    }
    appIds.push(appId);
  }
  return appIds;
}

/** Copies database and keys for another server. */
export function copyFolder(from: string, to: string): string {
  mkdirSync(to, { recursive: true });
  for (const name of ['guidepost.db', 'visitor-token-keys.json'])
    copyFileSync(join(from, name), join(to, name));
  return to;
}

type IndexedArticle = Omit<ImportedArticle, 'idIfNew'>;

function toImportedArticle({ slug, ...content }: BenchArticle): IndexedArticle {
  const variant = { slug, locale: LOCALE, ...content };
  const { titles, chunks } = indexPassage({
    ...variant,
    articleId: '',
    revision: 0,
    sourceRevision: 0,
    stale: false,
  });
  return {
    slug,
    locale: LOCALE,
    content,
    contentHash: hashContent(content),
    searchSummary: summarize(content.answer, LOCALE),
    indexed: { ...variant, titles, chunks },
    translations: [],
  };
}

function withNewIds(article: IndexedArticle): ImportedArticle {
  return { ...article, idIfNew: newId('art') };
}

const BOOTS_AT_ONCE = 16;
/** An address may boot 120 times per minute. */
const BOOTS_PER_ADDRESS = 100;
const TRIES_MAX = 60;
const RETRY_MILLIS = 1_000;

/**
 * Boots visitors through the running service, on each workspace in turn. Also returns the size of a reply. Services that share their limits need
 * different networks.
 */
export async function bootVisitors(
  port: number,
  appIds: readonly string[],
  count: number,
  network = '203.0.113',
): Promise<{ visitors: Plan['visitors']; replyBytes: number }> {
  const visitors: Plan['visitors'][number][] = [];
  let replyBytes = 0;
  let next = 0;
  const boot = (number: number) =>
    fetch(`http://127.0.0.1:${port}/boot`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
        'accept-language': 'en-US,en;q=0.5',
        origin: ORIGIN,
        'x-forwarded-for': `${network}.${Math.floor(number / BOOTS_PER_ADDRESS)}`,
      },
      body: JSON.stringify({ app_id: appIds[number % appIds.length], origin: ORIGIN, path: '/pricing' }),
    });
  const worker = async () => {
    while (next < count) {
      const number = next++;
      let response = await boot(number);
      // On a busy machine, the service may reject requests with 503 for a while.
      for (let tries = 0; response.status === 503 && tries < TRIES_MAX; tries += 1) {
        await response.text();
        await wait(RETRY_MILLIS);
        response = await boot(number);
      }
      const text = await response.text();
      if (response.status !== 200)
        throw new Error(`POST /boot responded with HTTP ${response.status}: ${text}`);
      const { jwt, visitor_id: visitorId } = JSON.parse(text) as { jwt: string; visitor_id: string };
      visitors[number] = { jwt, visitorId, conversationId: `bench-${number}` };
      replyBytes = Buffer.byteLength(text);
    }
  };
  await Promise.all(Array.from({ length: BOOTS_AT_ONCE }, worker));
  return { visitors, replyBytes };
}
