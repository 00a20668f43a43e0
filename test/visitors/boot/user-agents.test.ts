import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bootReply } from '../../../contract/boot.ts';
import { clock, type Harness, ORIGIN, openHarness, USER_AGENT } from '../../support/harness.ts';
import { expectError } from '../../support/response.ts';
import { partsOf } from '../../tokens/forged-tokens.ts';
import { eventsIn, FOREIGN, send, sendPlainly } from './send-boot.ts';

const CHROME = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko)';
const ANDROID =
  'Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) AppleWebKit/537.36 (KHTML, like Gecko)';
const MAC = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)';
const googlebot = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';

const CRAWLERS = [
  googlebot,
  `${ANDROID} Chrome/129.0.6668.89 Mobile Safari/537.36 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)`,
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Googlebot/2.1; +http://www.google.com/bot.html) Chrome/129.0.6668.89 Safari/537.36',
  'Mozilla/5.0 (compatible; Google-InspectionTool/1.0;)',
  'AdsBot-Google (+http://www.google.com/adsbot.html)',
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm) Chrome/116.0.1938.76 Safari/537.36',
  'Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)',
  'Mozilla/5.0 (compatible; YandexRenderResourcesBot/1.0; +http://yandex.com/bots) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/108.0.0.0',
  'Mozilla/5.0 (compatible; Baiduspider/2.0; +http://www.baidu.com/search/spider.html)',
  'DuckDuckBot/1.1; (+http://duckduckgo.com/duckduckbot.html)',
  'Mozilla/5.0 (compatible; Yahoo! Slurp; http://help.yahoo.com/help/us/ysearch/slurp)',
  `${MAC} Version/17.4 Safari/605.1.15 (Applebot/0.1; +http://www.apple.com/go/applebot)`,
  'Mozilla/5.0 (compatible; SeznamBot/4.0; +https://o-seznam.cz/napoveda/vyhledavani/en/seznambot-crawler/)',
  'Sogou web spider/4.0(+http://www.sogou.com/docs/help/webmasters.htm#07)',
  'Mozilla/5.0 (compatible; Qwantbot/1.0; +https://help.qwant.com/bot/)',
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)',
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; ChatGPT-User/1.0; +https://openai.com/bot',
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; OAI-SearchBot/1.0; +https://openai.com/searchbot',
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ClaudeBot/1.0; +claudebot@anthropic.com)',
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Claude-User/1.0; +Claude-User@anthropic.com)',
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; PerplexityBot/1.0; +https://perplexity.ai/perplexitybot)',
  'Mozilla/5.0 (Linux; Android 5.0) AppleWebKit/537.36 (KHTML, like Gecko) Mobile Safari/537.36 (compatible; Bytespider; spider-feedback@bytedance.com)',
  `${MAC} Version/8.0.2 Safari/600.2.5 (Amazonbot/0.1; +https://developer.amazon.com/support/amazonbot)`,
  'CCBot/2.0 (https://commoncrawl.org/faq/)',
  'meta-externalagent/1.1 (+https://developers.facebook.com/docs/sharing/webmasters/crawler)',
  'meta-externalagent/1.1',
  'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
  'facebookexternalhit/1.1',
  'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
  'Slack-ImgProxy (+https://api.slack.com/robots)',
  'Twitterbot/1.0',
  'LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)',
  'Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)',
  'TelegramBot (like TwitterBot)',
  'WhatsApp/2.23.20.0',
  'Pinterest/0.2 (+https://www.pinterest.com/bot.html)',
  'Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5 skype-url-preview@microsoft.com',
  'Iframely/1.3.1 (+https://iframely.com/docs/about)',
  'Mastodon/4.2.10 (http.rb/5.1.1; +https://mastodon.social/)',
  'Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)',
  'Mozilla/5.0 (compatible; SemrushBot/7~bl; +http://www.semrush.com/bot.html)',
  'Mozilla/5.0 (compatible; MJ12bot/v1.4.8; http://mj12bot.com/)',
  'Mozilla/5.0 (compatible; DotBot/1.2; +https://opensiteexplorer.org/dotbot; help@moz.com)',
  'Screaming Frog SEO Spider/20.2',
  `${CHROME} Chrome/129.0.0.0 Safari/537.36 Chrome-Lighthouse`,
  'Mozilla/5.0 (compatible; archive.org_bot +http://archive.org/details/archive.org_bot)',
  'ia_archiver (+http://www.alexa.com/site/help/webmasters; crawler@alexa.com)',
  'Mozilla/5.0 (compatible; PetalBot;+https://webmaster.petalsearch.com/site/petalbot)',
  'Scrapy/2.11.2 (+https://scrapy.org)',
  'Mozilla/5.0 (compatible; heritrix/3.4.0 +http://library.example/crawl)',
  `Mozilla/5.0 (compatible; SomeIndexer/1.0; +https://indexer.example/about)`,
];

const LIBRARIES = [
  'node',
  'undici',
  'node-fetch',
  'node-fetch/1.0 (+https://github.com/bitinn/node-fetch)',
  'got (https://github.com/sindresorhus/got)',
  'axios/1.7.7',
  'python-requests/2.32.3',
  'python-httpx/0.27.2',
  'Python/3.12 aiohttp/3.10.5',
  'Python-urllib/3.12',
  'okhttp/4.12.0',
  'Go-http-client/1.1',
  'Go-http-client/2.0',
  'curl/8.9.1',
  'Wget/1.21.4',
  'HTTPie/3.2.3',
  'PostmanRuntime/7.42.0',
  'insomnia/9.3.3',
  'schemathesis/4.0.0',
  'Java/17.0.12',
  'Java-http-client/21.0.4',
  'Apache-HttpClient/5.3.1 (Java/17.0.12)',
  'Ktor client',
  'Ruby',
  'Faraday v2.9.0',
  'GuzzleHttp/7',
  'Symfony HttpClient (Curl)',
  'libwww-perl/6.77',
  'reqwest/0.12.7',
  'Dart/3.5 (dart:io)',
  'Deno/2.0.0',
  'Bun/1.1.29',
  'OpenAPI-Generator/1.0.0/python',
  'guidepost-client/0.1.0',
  'Playwright/1.47.0 (x64; ubuntu 22.04) node/20.17',
  `${CHROME} HeadlessChrome/129.0.6668.58 Safari/537.36`,
  `${CHROME} Cypress/13.14.2 Chrome/118.0.5993.159 Electron/27.3.10 Safari/537.36`,
];

const BROWSERS = [
  USER_AGENT,
  `${CHROME} Chrome/129.0.0.0 Safari/537.36`,
  `${CHROME} Chrome/129.0.0.0 Safari/537.36 Edg/129.0.0.0`,
  `${CHROME} Chrome/127.0.0.0 Safari/537.36 OPR/113.0.0.0`,
  `${MAC} Version/17.6 Safari/605.1.15`,
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:131.0) Gecko/20100101 Firefox/131.0',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_6_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.6 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/129.0.6668.69 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Linux; Android 14; SM-S921B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/26.0 Chrome/122.0.0.0 Mobile Safari/537.36',
  'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/129.0.0.0 Mobile Safari/537.36',
  'Mozilla/5.0 (Linux; Android 14; Pixel 8; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/129.0.6668.81 Mobile Safari/537.36',
  'Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/129.0.0.0 Safari/537.36',
];

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness.close());
// The rate limit of the next test starts anew.
beforeEach(() => clock.advance(61_000));

const bootAs = (agent: string, body = {}) => send(harness, { body, headers: { 'user-agent': agent } });

/** Boots, and returns the data of the event row of that boot. */
async function bootAndReadEvent(agent: string) {
  const before = new Set((await eventsIn(harness)).map(({ id }) => id));
  const { json } = await bootAs(agent);
  const [added, ...more] = (await eventsIn(harness)).filter(({ id }) => !before.has(id));
  expect(more).toEqual([]);
  return { isLibrary: partsOf(json.jwt ?? '').claims.lib === true, data: added?.data };
}

describe('POST /boot', () => {
  it.each(CRAWLERS)('returns no token and stores nothing for the crawler %s', async (agent) => {
    const before = await eventsIn(harness);
    const { status, json } = await bootAs(agent);
    expect(status).toBe(200);
    expect(bootReply.parse(json)).toMatchObject({ jwt: null, jwt_expires_at: 0 });
    expect(await eventsIn(harness)).toEqual(before);
  });

  it.each(LIBRARIES)('serves the library %s and marks it', async (agent) => {
    expect(await bootAndReadEvent(agent)).toMatchObject({ isLibrary: true, data: { library: true } });
  });

  it.each(BROWSERS)('serves the browser %s without a mark', async (agent) => {
    const { isLibrary, data } = await bootAndReadEvent(agent);
    expect(isLibrary).toBe(false);
    expect(data).toMatchObject({ path: '/' });
    expect(data).not.toHaveProperty('library');
  });

  it('uses `user_agent_hint` only without a User-Agent', async () => {
    const bootWith = async (user_agent_hint: string | undefined, userAgent?: string) => {
      const headers = { origin: ORIGIN, ...(userAgent !== undefined && { 'user-agent': userAgent }) };
      const { jwt } = (await sendPlainly(harness, { user_agent_hint }, headers)).json;
      return jwt && { isLibrary: partsOf(jwt).claims.lib === true };
    };
    expect(await bootWith(googlebot)).toBeNull();
    expect(await bootWith(googlebot, '')).toBeNull();
    expect(await bootWith(googlebot, USER_AGENT)).toEqual({ isLibrary: false });
    expect(await bootWith(USER_AGENT)).toEqual({ isLibrary: false });
    expect(await bootWith(USER_AGENT, googlebot)).toBeNull();
    expect(await bootWith('curl/8.9.1')).toEqual({ isLibrary: true });
    expect(await bootWith(undefined)).toEqual({ isLibrary: true });
  });

  it('applies the origin checks to crawlers and libraries', async () => {
    for (const agent of [googlebot, 'node']) {
      const headers = { origin: FOREIGN, 'user-agent': agent };
      expectError(await send(harness, { headers }), 'boot/origin_not_allowed');
    }
  });
});
