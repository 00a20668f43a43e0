import { setTimeout as wait } from 'node:timers/promises';
import { chunk, openFakeModel, STREAM } from '../../support/fake-model/fake-model.ts';
import { ORIGIN, question } from '../../support/harness.ts';
import {
  accept,
  addWorkspace,
  ask,
  boot,
  command,
  createPlace,
  end,
  post,
  type Server,
  serve,
  type Visitor,
} from '../../support/service-process.ts';
import { expectThat, type Trial } from '../campaign/campaign.ts';

/** Attacks on visitors: on their ids, conversations and erasure, and on the kill switch. */

const CONVERSATION = 'conv-of-a-test';

const send = ({ baseUrl }: Server, path: string, { jwt }: Visitor, init: RequestInit = {}) =>
  fetch(`${baseUrl}${path}`, { ...init, headers: { origin: ORIGIN, authorization: `Bearer ${jwt}` } });

/** Returns all texts in a JSON value, object keys included. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return [...Object.keys(value), ...Object.values(value).flatMap(textsIn)];
}

const exportedIds: Trial = {
  name: 'booting with every text of an export as visitor id',
  expected: 'no text of an events:read key lets anybody continue as a visitor',
  async run() {
    const { dataDir, tenantId, appId } = await createPlace();
    const server = await serve(dataDir);
    const victim = await boot(server, appId);
    expectThat(await accept(server, victim), 'the decision was not recorded');
    await ask(server, victim);
    const args = ['key', 'create', '--json', '--workspace', tenantId, '--scope', 'events:read'];
    const { key } = JSON.parse((await command(dataDir, args)).stdout) as { key: string };
    const texts = new Set<string>();
    for (const path of ['events', 'conversations', 'transcripts']) {
      const response = await fetch(`${server.baseUrl}/api/export/${path}`, { headers: { 'x-api-key': key } });
      expectThat(response.status === 200, `${path}: ${response.status}`);
      for (const one of textsIn(await response.json())) texts.add(one);
    }
    expectThat(
      [...texts].some((one) => one.startsWith('vp_')),
      'the export names no visitor',
    );
    expectThat(!texts.has(victim.visitor_id), 'the id of the browser is exported');
    const candidateIds = [...texts, ...[...texts].map((one) => one.replace(/^vp_/, 'vis_'))];
    for (const visitor_id of new Set(candidateIds)) {
      const thief = await boot(server, appId, { visitor_id }).catch(() => undefined);
      if (!thief) continue;
      expectThat(thief.visitor_id !== visitor_id, `${visitor_id} was accepted`);
      const { status } = await send(server, `/conversations/${CONVERSATION}`, thief);
      expectThat(status === 404, `the conversation: ${status}`);
    }
    const returning = await boot(server, appId, { visitor_id: victim.visitor_id });
    expectThat(returning.visitor_id === victim.visitor_id, 'the real id was not accepted');
    return `${new Set(candidateIds).size} texts tried, none accepted`;
  },
};

const sharedConversationId: Trial = {
  name: 'the id of a conversation of another workspace',
  expected: 'the response of a missing conversation; each workspace has its own',
  async run() {
    const { dataDir, appId } = await createPlace();
    const elsewhere = await addWorkspace(dataDir, 'ada@another.example');
    const server = await serve(dataDir);
    const victim = await boot(server, appId);
    await ask(server, victim, { message: 'How do I return an order?' });
    const stranger = await boot(server, elsewhere.appId);
    const read = async (visitor: Visitor, id: string) => {
      const response = await send(server, `/conversations/${id}`, visitor);
      return `${response.status} ${(await response.text()).replace(/req_\w+/, '')}`;
    };
    const [missing, foreign] = [await read(stranger, 'conv-nowhere'), await read(stranger, CONVERSATION)];
    expectThat(foreign === missing, `${foreign} instead of ${missing}`);
    const { status } = await ask(server, stranger, { message: 'Hello from elsewhere' });
    expectThat(status === 200, `a turn of the same id elsewhere: ${status}`);
    const [victimReads, strangerReads] = [
      await read(victim, CONVERSATION),
      await read(stranger, CONVERSATION),
    ];
    expectThat(
      victimReads.includes('return an order') && !victimReads.includes('elsewhere'),
      `the victim reads ${victimReads}`,
    );
    expectThat(
      strangerReads.includes('elsewhere') && !strangerReads.includes('return an order'),
      `the other one: ${strangerReads}`,
    );
    return 'equal responses, two conversations';
  },
};

const erased: Trial = {
  name: 'continuing as a visitor after DELETE /visitor',
  expected: 'the token and the id are rejected, also after a kill -9',
  async run() {
    const { dataDir, appId } = await createPlace();
    const check = async (server: Server, visitor: Visitor) => {
      const statuses = [
        (await ask(server, visitor)).status,
        (await send(server, `/conversations/${CONVERSATION}`, visitor)).status,
        (await send(server, '/transcribe-token', visitor)).status,
      ];
      expectThat(
        statuses.every((status) => status === 401),
        `the token gets ${statuses}`,
      );
      const again = await boot(server, appId, { visitor_id: visitor.visitor_id });
      expectThat(again.visitor_id !== visitor.visitor_id, 'the id was accepted');
      const read = await send(server, `/conversations/${CONVERSATION}`, again);
      expectThat(read.status === 404, `the conversation: ${read.status}`);
    };
    const server = await serve(dataDir);
    const visitor = await boot(server, appId);
    await ask(server, visitor);
    const { status } = await send(server, '/visitor', visitor, { method: 'DELETE' });
    expectThat(status === 200, `the erasure: ${status}`);
    await check(server, visitor);
    await end(server, 'SIGKILL');
    await check(await serve(dataDir), visitor);
    return 'token 401, a new id, before and after a kill';
  },
};

/** Time for the kill switch to take effect: one second, plus a margin for a busy machine. */
const PAUSED_MILLIS_MAX = process.env.QUICK === 'on' ? 10_000 : 3_000;

const killSwitch: Trial = {
  name: 'continuing to chat after the kill switch',
  expected: 'boots, turns and voice are rejected and open streams end, a second after the command',
  async run() {
    const { dataDir, appId } = await createPlace();
    const fake = await openFakeModel();
    fake.onRaw((response) => {
      response.writeHead(200, STREAM);
      const drip = setInterval(() => response.write(chunk('and so on ')), 50);
      response.on('close', () => clearInterval(drip));
    });
    try {
      const server = await serve(dataDir, { ...fake.env({}, 'raw') });
      const visitor = await boot(server, appId);
      const headers = { authorization: `Bearer ${visitor.jwt}` };
      const stream = await post(server, '/chat', question(), headers);
      expectThat(stream.status === 200, `the stream: ${stream.status}`);
      const streamed = stream.text();
      let endedAt = Number.POSITIVE_INFINITY;
      void streamed.finally(() => {
        endedAt = performance.now();
      });
      await wait(500);
      const attempts = {
        boot: async () => (await post(server, '/boot', { app_id: appId, origin: ORIGIN, path: '/' })).status,
        turn: async () => (await ask(server, visitor, { conversation_id: 'conv-2' })).status,
        voice: async () => (await send(server, '/transcribe-token', visitor)).status,
        speech: async () => (await post(server, '/tts', { text: 'Good morning.' }, headers)).status,
      };
      const switched = await command(dataDir, ['killswitch', 'on']);
      expectThat(switched.code === 0, switched.stderr);
      const since = performance.now();
      const stopTimes: string[] = [];
      // The turn comes last: it would hold a stream while it is accepted.
      for (const what of ['boot', 'voice', 'speech'] as const) {
        while ((await attempts[what]()) !== 503) {
          expectThat(performance.now() - since < PAUSED_MILLIS_MAX, `${what} goes on`);
          await wait(100);
        }
        stopTimes.push(`${what} ${Math.round(performance.now() - since)} ms`);
      }
      while (endedAt === Number.POSITIVE_INFINITY) {
        expectThat(performance.now() - since < PAUSED_MILLIS_MAX, 'the stream goes on');
        await wait(20);
      }
      const last = (await streamed).trim().split('\n\n').at(-1)!;
      expectThat(/event: (error|message_end)/.test(last), `the stream ended with ${last}`);
      const turn = await attempts.turn();
      expectThat(turn === 503, `a turn gets ${turn}`);
      return `${stopTimes.join(', ')}, stream ${Math.round(Math.max(0, endedAt - since))} ms`;
    } finally {
      await fake.close();
    }
  },
};

export const visitorAttacks: readonly Trial[] = [exportedIds, sharedConversationId, erased, killSwitch];
