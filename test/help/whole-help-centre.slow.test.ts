import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BUCKETS } from '../../contract/limits/rate-limits.ts';
import { DEMO_KNOWLEDGE_DIR } from '../../server/demo/demo.ts';
import { importArticles, openImport } from '../../server/knowledge/import/import.ts';
import { HELP_CENTRE_DEFAULTS } from '../../server/storage/workspace-settings.ts';
import { type Harness, openHarness } from '../support/harness.ts';

/**
 * A reader that follows every link of a help centre with the demo's 276 articles in 19 languages. Where the demo has no
 * translation, the text is that of the source: a page is the same work in any language.
 */

const LOCALES = [
  'ar',
  'cs',
  'da',
  'de',
  'el',
  'es',
  'fa',
  'fi',
  'fr',
  'hu',
  'it',
  'ja',
  'ko',
  'nl',
  'pl',
  'ru',
  'sv',
  'zh-CN',
];

let harness: Harness;
let base: string;
/** How many texts were imported, and in which languages. */
let texts = 0;
const locales = new Set<string>();
beforeAll(async () => {
  const helpCentre = { ...HELP_CENTRE_DEFAULTS, enabled: true };
  harness = await openHarness({ articles: [], settings: { helpCentre } });
  base = `${harness.baseUrl}/help/${harness.appId}`;
  const file = join(DEMO_KNOWLEDGE_DIR, 'gnome-help.jsonl');
  const items = await openImport(file, 'en', harness.clock.now());
  async function* withoutUrls() {
    for await (const item of items) {
      if (!('article' in item)) throw new Error(JSON.stringify(item));
      const { url: _, ...article } = item.article;
      const { title, answer, aliases } = article;
      const translations = LOCALES.map(
        (locale) =>
          article.translations.find((each) => each.locale === locale) ?? { locale, title, answer, aliases },
      );
      texts += 1 + translations.length;
      for (const { locale } of [article, ...translations]) locales.add(locale);
      yield { ...item, article: { ...article, translations } };
    }
  }
  const { articles, audit } = harness.service.store.in(harness.workspace.id);
  const deps = { workspaceId: harness.workspace.id, articles, audit, clock: harness.clock, actor: 'test' };
  await importArticles(withoutUrls(), deps);
});
afterAll(() => harness.close());

let requests = 0;
/** Fetches a page; moves the clock on before a reader would be too fast. */
async function get(url: string): Promise<{ status: number; text: string }> {
  requests += 1;
  const { points, windowSeconds } = BUCKETS['help/network-burst'];
  if (requests % (points - 100) === 0) harness.clock.advance(windowSeconds * 1000);
  const response = await fetch(url, { redirect: 'manual' });
  return { status: response.status, text: await response.text() };
}

const decode = (text: string) =>
  text.replaceAll('&amp;', '&').replaceAll('&#39;', "'").replaceAll('&quot;', '"');
const listValues = (text: string, pattern: RegExp) =>
  [...text.matchAll(pattern)].map(([, value]) => decode(value!));

it('has no dead link, names its languages both ways, and lists each page in the sitemap', async () => {
  const index = await get(`${base}/sitemap.xml`);
  const files = await Promise.all(listValues(index.text, /<loc>(.*?)<\/loc>/g).map(get));
  const pages = files.flatMap(({ text }) => listValues(text, /<loc>(.*?)<\/loc>/g));
  expect(pages).toHaveLength(texts + locales.size);
  expect(new Set(pages).size).toBe(pages.length);

  const languages = new Map<string, Map<string, string>>();
  const links = new Set<string>();
  for (const url of pages) {
    const { status, text } = await get(url);
    expect(`${status} ${url}`).toBe(`200 ${url}`);
    const alternates = [...text.matchAll(/<link rel="alternate" hreflang="(.*?)" href="(.*?)">/g)];
    languages.set(url, new Map(alternates.map(([, language, target]) => [language!, decode(target!)])));
    expect(text).toContain(`<link rel="canonical" href="${url}">`);
    for (const link of listValues(text, /<a [^>]*href="([^"#]+)/g)) {
      const target = new URL(link, url).href;
      if (target.startsWith(`${base}/`) && !target.includes('/search?')) links.add(target);
    }
    for (const link of listValues(text, /type="text\/markdown" href="(.*?)"/g)) links.add(link);
  }

  for (const [url, alternates] of languages) {
    expect([...alternates.values()]).toContain(url);
    for (const target of alternates.values()) expect(languages.get(target)).toEqual(alternates);
  }
  const unlisted = [...links].filter((url) => !languages.has(url));
  const dead: string[] = [];
  for (const url of unlisted) {
    const { status, text } = await get(url);
    if (status !== 200) dead.push(`${status} ${url}`);
    // What is not in the sitemap is not to be listed.
    else if (!url.endsWith('.md') && !/[?&]after=/.test(url)) expect(text).toContain('content="noindex"');
  }
  expect(dead).toEqual([]);
}, 900_000);
