import { onTestFinished } from 'vitest';
import type { WorkspaceVoice } from '../../server/storage/workspaces.ts';
import { VOICE_DEFAULTS } from '../../server/storage/workspaces.ts';
import { type Answer, answerOf } from '../fixtures/answer.ts';
import { query } from '../fixtures/other-program.ts';
import { type Harness, type HarnessOptions, openHarness } from '../harness.ts';
import { type Scripted, scriptedSpeech } from './scripted-speech.ts';

/** A server with scripted speech providers, and a visitor. */
export type VoiceHarness = Harness & {
  readonly speech: Scripted;
  visitor(boot?: Record<string, unknown>): Promise<Voice>;
  /** Seconds counted this month, including open reservations. */
  counted(): Promise<number>;
  openReservations(): Promise<number>;
};

export type Token = {
  readonly token: string;
  readonly provider: string;
  readonly expires_at: number;
  readonly mode: string;
  readonly transport: string;
  readonly reserved_seconds: number;
};

export type Voice = {
  readonly jwt: string;
  readonly visitor_id: string;
  token(query?: string): Promise<Answer<Token>>;
  transcribe(file: Uint8Array | string, type?: string): Promise<Answer<{ text: string; model: string }>>;
  speak(body?: Record<string, unknown>, init?: RequestInit): Promise<Response>;
  report(token: string, seconds: number): Promise<Answer<{ recorded: boolean; charged_seconds: number }>>;
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
    token: (query = '') => answerOf(harness.fetch(`/transcribe-token${query}`, { headers })),
    transcribe(file, type = 'audio/webm') {
      const form = new FormData();
      form.append('audio', new Blob([file as Uint8Array<ArrayBuffer>], { type }), 'recording');
      return answerOf(harness.fetch('/transcribe', { method: 'POST', headers, body: form }));
    },
    speak: (body = {}, init = {}) =>
      harness.fetch('/tts', { json: { text: 'Good morning to you all.', ...body }, headers, ...init }),
    report: (token, elapsed_seconds) =>
      answerOf(harness.fetch('/transcribe-usage', { json: { token, elapsed_seconds }, headers })),
  };
}

async function sum(harness: Harness, total: string, table: string): Promise<number> {
  const rows = await query<{ total: number | string }>(
    harness,
    `SELECT ${total} AS total FROM ${table} WHERE workspace_id = '${harness.workspace.id}'`,
  );
  return Number(rows[0]!.total);
}
