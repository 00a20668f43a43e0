import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { marked } from 'marked';
import { DISGUISED_LINKS } from '../../sanitize/disguised-links.ts';
import { chunk, END, openFakeModel, STREAM } from '../../support/fake-model/fake-model.ts';
import { ORIGIN, question } from '../../support/harness.ts';
import {
  ask,
  boot,
  createPlace,
  dashboardHeaders,
  EMAIL,
  end,
  PASSWORD,
  post,
  type Server,
  serve,
  signIn,
  type Visitor,
} from '../../support/service-process.ts';
import { expectThat, type Trial } from '../campaign/campaign.ts';

/** Attacks on output: links in answers of the guide, response headers, cookies, and the Host header. */

const isQuick = process.env.QUICK === 'on';
const INVISIBLE = /[\p{Cf}\p{Mn}]/gu;
/**
 * Finds the remains of a link, once character widths are normalized and invisible characters removed: a dotted name, a
 * target behind a scheme, a number that is long or has several parts, an e-mail address, a character reference. The
 * sentence around the link contains nothing of the kind.
 */
const CLICKABLE =
  /[\p{L}\p{N}❤☃][.。․﹒·∙]\p{L}{2,}|\b[a-z][a-z0-9+-]*:[^\s]|\d+[.:]\d+[.:]|\+\d{7,}|\d{7,}[/:]|\p{L}@|%[2-6][\da-f]|&(?:#\w+|period|colon|tab|shy);|\/\/\w/iu;
const TURNS_PER_VISITOR = 25;

/** Renders the answer as a Markdown client would, and returns what can be clicked or is fetched, if anything. */
function findClickable(answer: string, link: string): string | undefined {
  if (answer.includes(link)) return 'the link itself';
  const html = marked.parse(answer, { async: false });
  const element = /<(?:a|img|base|script|iframe)\b[^>]*>/i.exec(html)?.[0];
  return element ?? CLICKABLE.exec(answer.replaceAll('…', ' ').normalize('NFKC').replace(INVISIBLE, ''))?.[0];
}

const disguisedLinks: Trial = {
  name: `${DISGUISED_LINKS.length} disguised links of a model`,
  expected: 'no clickable link in the answer, sent whole, letter by letter, or split anywhere',
  async run() {
    const { dataDir, appId } = await createPlace();
    const fake = await openFakeModel();
    let chunks: readonly string[] = [];
    fake.onRaw((response) => {
      response.writeHead(200, STREAM);
      response.end(chunks.map((one) => chunk(one)).join('') + END);
    });
    try {
      const server = await serve(dataDir, { ...fake.env({}, 'raw') });
      let turns = 0;
      let visitor: Visitor | undefined;
      const readFilteredAnswer = async (link: string, ...pieces: readonly string[]) => {
        chunks = pieces;
        if (turns % TURNS_PER_VISITOR === 0) visitor = await boot(server, appId);
        turns += 1;
        const answer = await ask(server, visitor!, { conversation_id: `conv-${turns}` });
        expectThat(answer.status === 200, `the turn: ${answer.status} ${answer.text}`);
        const found = findClickable(answer.text, link);
        expectThat(
          found === undefined,
          `${JSON.stringify(link)} left ${found} in ${JSON.stringify(answer.text)}`,
        );
        return answer.text;
      };
      for (const [at, link] of DISGUISED_LINKS.entries()) {
        // Answers that nothing in the articles supports are not shown.
        const answer = `We send a link to your e-mail address. Go to ${link} now`;
        const sentWhole = await readFilteredAnswer(link, answer);
        expectThat(sentWhole.endsWith(' now'), `the answer broke off: ${sentWhole}`);
        const sentByLetter = await readFilteredAnswer(link, ...answer);
        expectThat(sentByLetter === sentWhole, `letter by letter: ${sentByLetter} instead of ${sentWhole}`);
        if (at % (isQuick ? 60 : 8) !== 0) continue;
        for (let split = 1; split < answer.length; split += 1)
          await readFilteredAnswer(link, answer.slice(0, split), answer.slice(split));
      }
      return `${turns} answers, nothing clickable`;
    } finally {
      await fake.close();
    }
  },
};

const PUBLIC_URL = 'https://guide.example.com';
const SECURITY_CONTACT = 'mailto:security@example.com';

const headers: Trial = {
  name: 'responses without protective headers',
  expected: 'nosniff and HSTS on every response, COOP and Permissions-Policy on pages, a security.txt',
  async run() {
    const { dataDir, appId } = await createPlace();
    const server = await serve(dataDir, { PUBLIC_URL, SECURITY_CONTACT });
    const visitor = await boot(server, appId);
    const bearer = { authorization: `Bearer ${visitor.jwt}` };
    const json = { app_id: appId, origin: ORIGIN, path: '/' };
    const fetchPath = (name: string, init?: RequestInit) => fetch(`${server.baseUrl}${name}`, init);
    const answers: Record<string, Response> = {
      boot: await post(server, '/boot', json),
      'rejected boot': await post(server, '/boot', {}),
      stream: await post(server, '/chat', question(), bearer),
      unauthorized: await post(server, '/chat', question()),
      preflight: await fetchPath('/boot', { method: 'OPTIONS', headers: { origin: ORIGIN } }),
      script: await fetchPath('/guide.js'),
      dashboard: await fetchPath('/dashboard'),
      document: await fetchPath('/openapi.yaml'),
      health: await fetchPath('/healthz'),
      missing: await fetchPath('/nothing-here'),
      export: await fetchPath('/api/export/events'),
      'sign-in': await post(server, '/api/session', { email: EMAIL, password: PASSWORD }, sameOrigin(server)),
      'security.txt': await fetchPath('/.well-known/security.txt'),
    };
    const missing: string[] = [];
    for (const [what, response] of Object.entries(answers)) {
      const body = await response.text();
      const expected: Record<string, RegExp> = {
        'x-content-type-options': /^nosniff$/,
        'strict-transport-security': /max-age=\d{7,}/,
        ...(/html/.test(response.headers.get('content-type') ?? '')
          ? { 'cross-origin-opener-policy': /same-origin/, 'permissions-policy': /camera=\(\)/ }
          : {}),
      };
      for (const [name, pattern] of Object.entries(expected))
        if (!pattern.test(response.headers.get(name) ?? '')) missing.push(`${what}: ${name}`);
      if (what === 'security.txt' && !body.includes(`Contact: ${SECURITY_CONTACT}`)) missing.push(what);
      if (what === 'dashboard' && !/<html/i.test(body)) missing.push(`no page: ${response.status}`);
    }
    expectThat(missing.length === 0, missing.join(', '));
    return `${Object.keys(answers).length} kinds of responses have them`;
  },
};

const sameOrigin = (server: Server) => ({ ...dashboardHeaders(server), origin: PUBLIC_URL });

const secureCookie: Trial = {
  name: 'a session cookie behind TLS',
  expected: 'Secure and __Host-, with a public address in https or a trusted proxy that says so',
  async run() {
    const { dataDir } = await createPlace();
    const testedHeaders: string[] = [];
    for (const [env, more] of [
      [{ PUBLIC_URL }, { origin: PUBLIC_URL }],
      [{}, { 'x-forwarded-proto': 'https' }],
    ] as const) {
      const server = await serve(dataDir, { ...env });
      const requestHeaders = { ...dashboardHeaders(server), ...more };
      const response = await post(
        server,
        '/api/session',
        { email: EMAIL, password: PASSWORD },
        requestHeaders,
      );
      expectThat(response.status === 200, `sign-in: ${response.status} ${await response.text()}`);
      for (const cookie of response.headers.getSetCookie())
        expectThat(/^__Host-.*; Secure/.test(cookie), `a cookie: ${cookie.replace(/=[^;]+/, '=…')}`);
      testedHeaders.push(Object.keys(more)[0]!);
      await end(server, 'SIGTERM');
    }
    return `both ways: ${testedHeaders.join(', ')}`;
  },
};

const FORGED = 'evil.example';

/** Sends a forged Host header, which `fetch` cannot. */
function sendForged(server: Server, method: string, path: string, more: Record<string, string>, body = '') {
  return new Promise<{ status: number | undefined; all: string }>((resolve, reject) => {
    const forged = { host: FORGED, 'x-forwarded-host': FORGED, 'content-type': 'application/json', ...more };
    const outgoing = request(`${server.baseUrl}${path}`, { method, headers: forged }, async (response) => {
      const all = JSON.stringify(response.headers) + (await text(response));
      resolve({ status: response.statusCode, all });
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

const forgedHost: Trial = {
  name: 'a forged Host header',
  expected: 'in no link, cookie or page, and no origin of our own',
  async run() {
    const { dataDir, tenantId, appId } = await createPlace();
    for (const env of [{}, { PUBLIC_URL }] as Record<string, string>[]) {
      const server = await serve(dataDir, { ...env });
      const origin = 'PUBLIC_URL' in env ? PUBLIC_URL : server.baseUrl;
      const owner = await signIn(server, { origin });
      const member = JSON.stringify({ email: `${Date.now()}@shop.example`, role: 'member' });
      const page = { origin: ORIGIN };
      const responses = [
        await sendForged(server, 'GET', '/guide.js', {}),
        await sendForged(server, 'GET', '/dashboard', {}),
        await sendForged(server, 'GET', '/openapi.yaml', {}),
        await sendForged(
          server,
          'POST',
          '/boot',
          page,
          JSON.stringify({ app_id: appId, ...page, path: '/' }),
        ),
        await sendForged(server, 'POST', `/api/tenants/${tenantId}/invitations`, owner, member),
      ];
      const names = responses.filter(({ all }) => all.includes(FORGED));
      expectThat(names.length === 0, `it is in ${names[0]?.all.slice(0, 200)}`);
      expectThat(responses.at(-1)?.status === 201, `the invitation: ${responses.at(-1)?.all}`);
      const credentials = JSON.stringify({ email: EMAIL, password: PASSWORD });
      for (const scheme of ['http', 'https']) {
        const forgedOrigin = { origin: `${scheme}://${FORGED}` };
        const { status } = await sendForged(server, 'POST', '/api/session', forgedOrigin, credentials);
        expectThat(status === 403, `a sign-in from the forged origin: ${status}`);
      }
      await end(server, 'SIGTERM');
    }
    return 'nowhere in five responses; sign-in from its origin 403';
  },
};

export const outputAttacks: readonly Trial[] = [disguisedLinks, headers, secureCookie, forgedHost];
