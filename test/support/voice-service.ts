import { onTestFinished } from 'vitest';
import {
  type MintedToken,
  type Speaker,
  type Speech,
  SpeechFailure,
  type SpeechFailureKind,
  type SpeechProviderName,
  type TokenMinter,
  type Transcriber,
  type Transcript,
} from '../../server/speech/speech.ts';
import { VOICE_DEFAULTS, type WorkspaceVoice } from '../../server/storage/workspace-settings.ts';
import { clock, type Harness, type HarnessOptions, openHarness } from './harness.ts';
import { query } from './other-program.ts';
import { readResponse, type TestResponse } from './response.ts';

/** A server with scripted speech providers, and a visitor. */
export type VoiceHarness = Harness & {
  speech: Scripted;
  visitor(boot?: Record<string, unknown>): Promise<Voice>;
  /** Returns the seconds counted this month, including open reservations. */
  counted(): Promise<number>;
  openReservations(): Promise<number>;
};

export type Token = {
  token: string;
  provider: string;
  expires_at: number;
  mode: string;
  transport: string;
  reserved_seconds: number;
};

export type Voice = {
  jwt: string;
  visitor_id: string;
  token(query?: string): Promise<TestResponse<Token>>;
  transcribe(
    file: Uint8Array | string,
    type?: string,
  ): Promise<TestResponse<{ text: string; model: string }>>;
  speak(body?: Record<string, unknown>, init?: RequestInit): Promise<Response>;
  report(
    token: string,
    seconds: number,
  ): Promise<TestResponse<{ recorded: boolean; charged_seconds: number }>>;
};

export async function openVoice(
  providers: Scripted['providers'],
  voice: Partial<WorkspaceVoice> = {},
  options: HarnessOptions = {},
): Promise<VoiceHarness> {
  const speech = scriptedSpeech(providers);
  const settings = { ...options.settings, voice: { ...VOICE_DEFAULTS, ...voice } };
  const harness = await openHarness({ ...options, speech, settings });
  onTestFinished(() => harness.close());
  return {
    ...harness,
    speech,
    visitor: (boot) => visitorOf(harness, boot),
    counted: () => sum(harness, 'coalesce(sum(seconds), 0)', 'voice_months'),
    openReservations: () => sum(harness, 'count(*)', 'voice_reservations'),
  };
}

async function visitorOf(harness: Harness, boot: Record<string, unknown> = {}): Promise<Voice> {
  // Boots are rate-limited per IP address.
  harness.clock.advance(500);
  const { jwt, visitor_id } = await harness.boot(boot);
  const headers = { authorization: `Bearer ${jwt}` };
  return {
    jwt,
    visitor_id,
    token: (query = '') => readResponse(harness.fetch(`/transcribe-token${query}`, { headers })),
    transcribe(file, type = 'audio/webm') {
      const form = new FormData();
      form.append('audio', new Blob([file as Uint8Array<ArrayBuffer>], { type }), 'recording');
      return readResponse(harness.fetch('/transcribe', { method: 'POST', headers, body: form }));
    },
    speak: (body = {}, init = {}) =>
      harness.fetch('/tts', { json: { text: 'Good morning to you all.', ...body }, headers, ...init }),
    report: (token, elapsed_seconds) =>
      readResponse(harness.fetch('/transcribe-usage', { json: { token, elapsed_seconds }, headers })),
  };
}

async function sum(harness: Harness, total: string, table: string): Promise<number> {
  const rows = await query<{ total: number | string }>(
    harness,
    `SELECT ${total} AS total FROM ${table} WHERE workspace_id = '${harness.workspace.id}'`,
  );
  return Number(rows[0]!.total);
}

/** Scripted speech providers in the order of the port, followed by a mock. */

/** A result, a failure, or no answer. */
export type Script<A> = SpeechFailureKind | 'hang' | ((signal: AbortSignal) => A | Promise<A>);

export type Provider = {
  token?: Script<Partial<MintedToken>>;
  transcribe?: Script<Transcript>;
  speak?: Script<AsyncIterable<Uint8Array>>;
  bytesPerSecond?: number;
  supportsVoice?: (voiceId: string) => boolean;
};

type Scripted = Speech & {
  /** The calls, in order. */
  calls: { name: string; what: Record<string, unknown> }[];
  providers: Partial<Record<SpeechProviderName, Provider>>;
};

const MINTING = ['provider_a', 'provider_b'] as const;
const TRANSCRIBING = ['provider_b', 'provider_a'] as const;
const SPEAKING = ['provider_c', 'provider_b', 'provider_a'] as const;

/** Streams this many seconds of speech. */
export async function* seconds(count: number, each: () => void | Promise<void> = () => {}) {
  for (let sent = 0; sent < count; sent += 1) {
    await each();
    yield new Uint8Array(BYTES_PER_SECOND).fill(0x55);
  }
}

export const BYTES_PER_SECOND = 1000;

export function scriptedSpeech(providers: Scripted['providers']): Scripted {
  const calls: Scripted['calls'] = [];
  const withOperation = <K extends keyof Provider>(names: readonly SpeechProviderName[], what: K) =>
    names.flatMap((name) => {
      const provider = providers[name];
      return provider?.[what] === undefined ? [] : [{ name, provider, script: provider[what] }];
    });

  return {
    calls,
    providers,
    minters: [
      ...withOperation(MINTING, 'token').map(
        ({ name, script }): TokenMinter => ({
          name,
          kinds: name === 'provider_b' ? ['realtime', 'batch'] : ['realtime'],
          async mint(what, signal) {
            calls.push({ name, what });
            if (what.kind === 'batch') return batchToken();
            return { ...defaultToken(name), ...(await run(name, script, signal)) };
          },
        }),
      ),
      {
        name: 'mock',
        kinds: ['realtime', 'batch'],
        mint: async () => ({ ...defaultToken('mock'), mode: 'mock', transport: 'mock' }),
      },
    ],
    transcribers: withOperation(TRANSCRIBING, 'transcribe').map(
      ({ name, script }): Transcriber => ({
        name,
        async transcribe({ bytes, ...what }, signal) {
          calls.push({ name, what: { ...what, bytes: bytes.length } });
          return run(name, script, signal);
        },
      }),
    ),
    speakers: [
      ...withOperation(SPEAKING, 'speak').map(
        ({ name, provider, script }): Speaker => ({
          name,
          supportsVoice: provider.supportsVoice ?? (() => true),
          async speak(what, signal) {
            calls.push({ name, what });
            const { bytesPerSecond = BYTES_PER_SECOND } = provider;
            const body = await run(name, script, signal);
            return { mime: 'audio/mpeg', body, ...(bytesPerSecond > 0 ? { bytesPerSecond } : {}) };
          },
        }),
      ),
      {
        name: 'mock',
        supportsVoice: (voiceId) => voiceId === 'mock-voice',
        async speak(what) {
          calls.push({ name: 'mock', what });
          return { mime: 'audio/wav', body: oneChunk(waveFile()), bytesPerSecond: 8000 };
        },
      },
    ],
  };
}

let tokenCount = 0;

function defaultToken(name: string): MintedToken {
  tokenCount += 1;
  return {
    token: `${name}-token-${tokenCount}`,
    expiresAt: clock.now() + 60_000,
    mode: 'realtime',
    transport: name === 'provider_a' ? 'webrtc' : 'websocket',
  };
}

function batchToken(): MintedToken {
  return { ...defaultToken('provider_b'), mode: 'batch', transport: 'upload' };
}

async function run<A>(
  name: SpeechProviderName,
  script: Script<A> | undefined,
  signal: AbortSignal,
): Promise<A> {
  if (typeof script === 'function') return script(signal);
  if (script === 'hang') {
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    throw new SpeechFailure(name, 'aborted', 'our caller hung up');
  }
  throw new SpeechFailure(name, script ?? 'upstream', 'was told to fail', script === 'busy' ? 7 : undefined);
}

async function* oneChunk(bytes: Uint8Array) {
  yield bytes;
}

/** A silent recording without bytes above 0x7f, so it can be sent in a text request. */
export function waveFile(samples = 0x2020): Buffer {
  const head = Buffer.from(
    'RIFF\0\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\0\0\0\0\0\0\0\0\x01\0\x08\0data\0\0\0\0',
  );
  head.writeUInt32LE(samples + 36, 4);
  head.writeUInt32LE(8000, 24);
  head.writeUInt32LE(8000, 28);
  head.writeUInt32LE(samples, 40);
  return Buffer.concat([head, Buffer.alloc(samples, 0x7f)]);
}

export const defaultSpeech = (): Scripted =>
  scriptedSpeech({
    provider_b: {
      token: () => ({}),
      transcribe: () => ({ text: 'How do I reset my password?', model: 'scripted', seconds: 1 }),
      speak: () => seconds(2),
    },
  });
