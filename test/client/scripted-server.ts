import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach } from 'vitest';
import { createGuide, type GuideOptions } from '../../client/sdk/index.ts';
import type { BootReply } from '../../contract/boot.ts';
import type { ErrorCode } from '../../contract/errors.ts';

/** A server that does what a healthy service never does: breaks connections, cuts frames, sends invalid data. */
export type Received = {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every operation.
  body: any;
};

export type Responder = (response: ServerResponse, received: Received) => unknown;

export type ScriptedServer = {
  baseUrl: string;
  received: readonly Received[];
  /** The requests to this path. */
  at: (path: string) => readonly Received[];
  /** Sets the next responses of a path; the last one repeats. */
  answer: (path: string, ...answers: Responder[]) => void;
  close: () => Promise<void>;
};

export async function openScriptedServer(): Promise<ScriptedServer> {
  const received: Received[] = [];
  const scripts = new Map<string, Responder[]>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = '', url: path = '', headers } = request;
    const text = Buffer.concat(chunks).toString();
    const entry = { method, path, headers, body: text ? JSON.parse(text) : undefined };
    received.push(entry);
    const answers = scripts.get(path) ?? [];
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    if (answer) await answer(response, entry);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    received,
    at: (path) => received.filter((entry) => entry.path === path),
    answer: (path, ...answers) => void scripts.set(path, answers),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export const json =
  (body: unknown, status = 200, headers: Record<string, string> = {}): Responder =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

export const errorResponse = (
  status: number,
  error: ErrorCode,
  more: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Responder => json({ error, message: 'No.', request_id: 'req_1', ...more }, status, headers);

/** Closes the connection without a response, like a crash. */
export const hangUp: Responder = (response) => response.socket?.destroy();

export type Frame = { type: string; seq: number; [field: string]: unknown };

export const frameText = (messageId: string, frame: Frame): string =>
  `event: ${frame.type}\nid: ${messageId}:${frame.seq}\ndata: ${JSON.stringify(frame)}\n\n`;

/** Sends chunks of a stream with a pause after each. */
export const stream =
  (pieces: readonly (string | Uint8Array)[], end: 'end' | 'break' | 'stay silent' = 'end'): Responder =>
  async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
    for (const piece of pieces) {
      response.write(piece);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    if (end === 'end') response.end();
    if (end === 'break') response.socket?.destroy();
  };

const MESSAGE = 'msg_01kakv2fxse7wtg6x5r0h8rjbm';

/** The frames of a short answer. */
export const answerFrames: readonly Frame[] = [
  {
    type: 'message_start',
    seq: 0,
    protocol: 'guidepost.chat.1',
    conversation_id: 'conv_of_the_service',
    conversation_rotated: true,
    turn_idx: 0,
    message_id: MESSAGE,
    requested_locale: 'en',
    ai_generated: true,
  },
  { type: 'text_delta', seq: 1, delta: 'Öffnen Sie ', offset: 0 },
  { type: 'text_delta', seq: 2, delta: 'die Übersicht. 🧭', offset: 11 },
  {
    type: 'message_end',
    seq: 3,
    finish_reason: 'stop',
    answer_confidence: 1,
    usage: { input_tokens: 0, output_tokens: 0 },
    text_length: 27,
    citation_count: 0,
    next_turn_idx: 1,
  },
];

export const framesText = (frames: readonly Frame[]): string[] =>
  frames.map((frame) => frameText(MESSAGE, frame));

/** Returns a boot reply that expires a quarter of an hour after `nowMillis`. */
export function bootReply(jwt: string | null, nowMillis = Date.now(), persistVisitor = false): BootReply {
  return {
    jwt,
    jwt_expires_at: Math.floor(nowMillis / 1000) + 900,
    visitor_id: 'vis_01kakv2fxse7wtg6x5r0h8rjbm',
    config: {
      workspace_id: 'ws_1',
      name: 'Example',
      source_locale: 'en',
      locales: ['en'],
      content_locale: 'en',
      suggestions: [],
      mount: { mode: 'shown', suggestions: [], rules: [] },
      message_chars_max: 4000,
      branding: { launcher: 'end' },
      consent: {
        strictness: 'region',
        copy: {
          version: '1',
          locale: 'en',
          title: 'Title',
          text: 'Text',
          accept: 'Accept',
          deny: 'Deny',
          notice: 'Notice.',
          gpc_notice: 'Honoured.',
        },
      },
    },
    consent_directive: {
      mode: 'opt_in',
      policy_version: 'p1',
      reason: 'region_unknown',
      region_code: 'ZZ',
      ai_disclosure: {
        required: true,
        text: 'A machine.',
        locale: 'en',
        version: '1',
        show: 'before_first_message',
      },
      ask: true,
      purposes: {
        essential: 'granted',
        analytics: 'denied',
        persistence: 'denied',
        retention: 'denied',
        screenshot: 'denied',
        voice: 'denied',
      },
      gpc: { received: false, honored: false },
    },
    region: { country_code: 'ZZ', region_code: 'ZZ', accept_language: '' },
    features: {
      chat: true,
      page_actions: true,
      screenshot: false,
      feedback: true,
      voice: false,
      persist_visitor: persistVisitor,
    },
    show_branding: true,
  };
}

/** A scripted server on which a guide can boot, new for each test. */

export let server: ScriptedServer;

export function aScriptedServerForEach(): void {
  beforeEach(async () => {
    server = await openScriptedServer();
    server.answer('/boot', json(bootReply('token')));
  });
  afterEach(() => server.close());
}

export const openGuide = (options: Partial<GuideOptions> = {}) =>
  createGuide({ baseUrl: server.baseUrl, appId: 'gp_demo', origin: 'https://shop.example', ...options });
