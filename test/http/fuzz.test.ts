import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { errorBody } from '../../contract/errors.ts';
import { VOICE_DEFAULTS } from '../../server/storage/workspace-settings.ts';
import { verifyChain } from '../../server/visitors/consent/consent-log.ts';
import { clock, eventsOf, type Harness, openHarness } from '../support/harness.ts';
import { fc, SEED } from '../support/seeded-random.ts';
import { defaultSpeech } from '../support/voice-service.ts';
import { type HostileRequest, OWN_ID, requestFor, routes, VISITORS } from './hostile-requests.ts';

/** Malformed requests, spread over every public route. */
const REQUESTS = 10_000;
const AT_ONCE = 32;
/** As many requests as the visitors' rate limits allow; then the clock moves on. */
const REQUESTS_PER_WINDOW = 250;
const MILLIS_MAX = 20_000;

type Visitor = { jwt: string; visitorId: string };

let harness: Harness;
let visitors: Visitor[] = [];
beforeAll(async () => {
  harness = await openHarness({
    env: { TRUSTED_PROXIES: 'loopback', EDGE_PROVIDER: 'cloudflare' },
    speech: defaultSpeech(),
    settings: { voice: { ...VOICE_DEFAULTS, monthlySecondsMax: 1_000_000_000 } },
  });
});
afterAll(() => harness.close());

type Reply = {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  millis: number;
};
const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });

function sendHostile(hostile: HostileRequest, index: number): Promise<Reply> {
  const { jwt, visitorId } = visitors[hostile.visitor]!;
  const tokens = {
    valid: `Bearer ${jwt}`,
    truncated: `Bearer ${jwt.slice(0, -1)}`,
    malformed: 'Bearer \xff.\xff.\xff',
    none: undefined,
  };
  const authorization = tokens[hostile.token];
  const body = hostile.body && fillIn(hostile.body, visitorId);
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const sent = request(
      `${harness.baseUrl}${hostile.path}`,
      {
        agent,
        method: hostile.method,
        headers: {
          ...hostile.headers,
          // Only the last address counts, so each request comes from a different one.
          'x-forwarded-for': `${hostile.headers['x-forwarded-for']}, 10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`,
          ...(authorization === undefined ? {} : { authorization }),
          ...(body ? { 'content-length': String(body.length) } : {}),
        },
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (piece) => {
          text += piece;
        });
        response.on('error', reject);
        response.on('end', () => {
          const millis = performance.now() - startedAt;
          resolve({ status: response.statusCode!, headers: response.headers, text, millis });
        });
      },
    );
    sent.setTimeout(MILLIS_MAX, () => sent.destroy(new Error('no answer')));
    sent.on('error', reject).end(body);
  });
}

function fillIn(body: Buffer, visitorId: string): Buffer {
  if (!body.includes('placeholder')) return body;
  return Buffer.from(body.toString().replace(OWN_ID, visitorId).replace('gp_placeholder', harness.appId));
}

/** The problem with a response; undefined without one. */
function findFault(hostile: HostileRequest, { status, headers, text, millis }: Reply): string | undefined {
  if (millis > MILLIS_MAX) return `took ${Math.round(millis)} ms`;
  if (status >= 500) return 'is an internal error';
  if (!/^req_/.test(String(headers['x-request-id']))) return 'has no request id';
  if (/\bat .{1,300}\.[jt]s:\d+|node_modules|SQLITE_|ZodError|TypeError/.test(text))
    return 'reveals internals';
  const { route } = hostile;
  if (status >= 400) {
    if (hostile.method === 'HEAD') return undefined;
    const error = errorBody.safeParse(JSON.parse(text));
    if (!error.success) return 'is an error of another shape';
    const isDeclared = route?.metadata.errorCodes.includes(error.data.error as never);
    const isGeneral = /^request\/(not_found|method_not_allowed|invalid)$/.test(error.data.error);
    return isDeclared || isGeneral || !route ? undefined : `is an undeclared error: ${error.data.error}`;
  }
  if (!route || hostile.method !== route.method) return undefined;
  if (route.metadata.audio) {
    return route.metadata.audio.includes(String(headers['content-type'])) ? undefined : 'is not audio';
  }
  if (!route.metadata.streams) {
    return route.metadata.successResponses[status]?.safeParse(JSON.parse(text)).success
      ? undefined
      : 'has an undeclared body';
  }
  const events = eventsOf(text);
  const undeclaredEvent = events.find((event) => !route.metadata.streams!.safeParse(event).success);
  if (undeclaredEvent) return `has an event that was not declared: ${undeclaredEvent.type}`;
  // A resumed stream may have no events left.
  if (hostile.headers['last-event-id'] !== undefined) return undefined;
  const terminal = events.filter(({ type }) => type === 'message_end' || type === 'error');
  return terminal.length === 1 && events.at(-1) === terminal[0] ? undefined : 'does not end as streams do';
}

async function bootVisitors(): Promise<void> {
  visitors = await Promise.all(
    Array.from({ length: VISITORS }, async (_, i) => {
      const { jwt, visitor_id } = await harness.boot({}, { 'x-forwarded-for': `192.0.2.${i}` });
      return { jwt, visitorId: visitor_id };
    }),
  );
}

it('the server returns only declared responses to ten thousand malformed requests', async () => {
  const targets = [...routes, undefined];
  const requests = targets.flatMap((route, index) =>
    fc.sample(requestFor(route), { numRuns: Math.ceil(REQUESTS / targets.length), seed: SEED + index }),
  );
  // Mixed, so that requests of different routes run concurrently.
  const mixed = requests.map((_, index) => requests[(index * 7919) % requests.length]!);
  const countsByName = new Map<string, number>();
  const faults: string[] = [];
  for (let start = 0; start < mixed.length; start += REQUESTS_PER_WINDOW) {
    clock.advance(61_000);
    // Boot visitors often, because requests that erase a visitor end its tokens.
    if (start % (REQUESTS_PER_WINDOW * 2) === 0) await bootVisitors();
    const window = mixed.slice(start, start + REQUESTS_PER_WINDOW).entries();
    const sendWindow = async () => {
      for (const [index, hostile] of window) {
        const reply = await sendHostile(hostile, start + index).catch((error: Error) => error);
        const fault =
          reply instanceof Error ? `has no response: ${reply.message}` : findFault(hostile, reply);
        if (fault !== undefined) {
          const response = reply instanceof Error ? '' : `${reply.status} ${reply.text.slice(0, 500)}`;
          faults.push(
            `${fault}\n  ${hostile.method} ${hostile.path} ${JSON.stringify(hostile.headers)}\n  ${hostile.body?.toString().slice(0, 1000)}\n  ${response}`,
          );
        } else if (!(reply instanceof Error)) {
          const name = `${hostile.route?.metadata.operationId ?? 'other'} ${reply.status}`;
          countsByName.set(name, (countsByName.get(name) ?? 0) + 1);
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, sendWindow));
  }
  agent.destroy();
  expect(faults, `SEED=${SEED}`).toEqual([]);

  // Rate limits rejected few requests: each route was called, and returned both successes and errors.
  const count = (pattern: RegExp) =>
    [...countsByName].filter(([name]) => pattern.test(name)).reduce((sum, [, times]) => sum + times, 0);
  expect(count(/./)).toBeGreaterThanOrEqual(REQUESTS);
  expect(count(/ 429$/)).toBeLessThan(REQUESTS / 100);
  for (const { metadata } of routes) {
    const { operationId } = metadata;
    // This workspace takes no handovers.
    const successStatus =
      operationId === 'createHandover'
        ? '403'
        : ['rateMessage', 'getConversation', 'readHelpArticle'].includes(operationId)
          ? '(200|404)'
          : '200';
    expect(count(new RegExp(`^${operationId} ${successStatus}$`)), operationId).toBeGreaterThan(50);
    expect(count(new RegExp(`^${operationId} 400$`)), operationId).toBeGreaterThan(20);
  }
  expect(harness.logged.filter(({ error }) => error === 'internal')).toEqual([]);
  expect((await harness.fetch('/readyz')).status).toBe(200);
  const { consents } = harness.service.store.in(harness.workspace.id);
  const verdict = await verifyChain(await consents.chain(REQUESTS), { workspaceId: harness.workspace.id });
  expect(verdict).toMatchObject({ ok: true });
  expect(verdict.ok && verdict.count).toBeGreaterThan(50);
}, 600_000);
