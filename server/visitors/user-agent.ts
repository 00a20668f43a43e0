import { createIsBotFromList, findBotPatterns, isBot, list } from 'isbot';
import { identity, memoize, once } from '../base/cache.ts';

/** HTTP libraries, tools that call APIs, and browsers that tests drive. `isbot` takes them for bots. */
const LIBRARIES = [
  'node',
  'node-fetch/1.0 (+https://github.com/bitinn/node-fetch)',
  'axios/1.7.7',
  'python-requests/2.32.3',
  'Python-urllib/3.12',
  'okhttp/4.12.0',
  'Go-http-client/2.0',
  'Java-http-client/21.0.4',
  'Jetty/12.0.1',
  'rest-client/2.1.0 (linux x86_64) ruby/3.2.2p53',
  'GuzzleHttp/7',
  'PHP/8.3.11',
  'libwww-perl/6.77',
  'curl/8.9.1',
  'Wget/1.21.4',
  'PostmanRuntime/7.42.0',
  'Playwright/1.47.0 (x64; ubuntu 22.04) node/20.17',
  'HeadlessChrome/129.0.6668.58',
  'Cypress/13.14.2',
  'PhantomJS/2.1.1',
];

/** Crawlers link to their owners, libraries to their source code. */
const CRAWLER_LINKS = ['https?://(?!github\\.com/)', '(?<!github)\\.com\\b'];

const crawlers = once(() => {
  const libraryPatterns = new Set(LIBRARIES.flatMap(findBotPatterns));
  return createIsBotFromList([...list.filter((pattern) => !libraryPatterns.has(pattern)), ...CRAWLER_LINKS]);
});

/**
 * Crawlers are search engines, link previews, AI scrapers and SEO tools, which read pages without a visitor. Any other
 * program is a library.
 */
export type AgentKind = 'browser' | 'library' | 'crawler';

export const classifyUserAgent: (userAgent: string) => AgentKind = memoize((userAgent): AgentKind => {
  if (crawlers()(userAgent)) return 'crawler';
  return /^(Mozilla|Opera)\//.test(userAgent) && !isBot(userAgent) ? 'browser' : 'library';
}, identity);
