import { z } from 'zod';
import type { SpeechSettings } from '../settings/speech.ts';
import type { MintedToken, MintInput, RecordedAudio, Speaker, Transcript } from './speech.ts';
import {
  createUpstream,
  getLanguage,
  parseReply,
  type SpeechProvider,
  streamMp3,
  type Upstream,
} from './upstream.ts';

type Settings = NonNullable<SpeechSettings['a']>;
type Timeouts = Pick<SpeechSettings, 'tokenSeconds' | 'timeoutMillis' | 'transcribeTimeoutMillis' | 'proxy'>;

const secretReply = z.object({
  value: z.string().min(1).max(4096),
  /** Seconds since 1970. */
  expires_at: z.number().int().min(1).max(253_402_300_799),
});

const transcriptReply = z.object({
  text: z.string(),
  usage: z.object({ type: z.string(), seconds: z.number().min(0).optional() }).optional(),
});

/** Creates provider_a for the OpenAI API: client secrets for WebRTC, transcription, and speech if a model is set. */
export function createProviderA(settings: Settings, timeouts: Timeouts): SpeechProvider {
  const upstream = createUpstream({
    provider: 'provider_a',
    baseUrl: settings.baseUrl,
    headers: { authorization: `Bearer ${settings.key}` },
    timeoutMillis: timeouts.timeoutMillis,
    proxy: timeouts.proxy,
  });
  const { speechModel } = settings;
  return {
    minter: {
      name: 'provider_a',
      kinds: ['realtime'],
      mint: (input, signal) => mint(upstream, settings, timeouts, input, signal),
    },
    transcriber: {
      name: 'provider_a',
      transcribe: (audio, signal) => transcribe(upstream, settings, timeouts, audio, signal),
    },
    ...(speechModel === undefined ? {} : { speaker: createSpeaker(upstream, speechModel, settings.voiceId) }),
  };
}

async function mint(
  upstream: Upstream,
  settings: Settings,
  { tokenSeconds }: Timeouts,
  { locale }: MintInput,
  signal: AbortSignal,
): Promise<MintedToken> {
  const model = settings.realtimeModel;
  const json = {
    expires_after: { anchor: 'created_at', seconds: tokenSeconds },
    session: {
      type: 'transcription',
      audio: {
        input: {
          transcription: { model, ...getLanguageParams(model, locale) },
          noise_reduction: { type: 'near_field' },
          // The browser decides where an utterance ends.
          turn_detection: null,
        },
      },
    },
  };
  const reply = await upstream.json({ path: '/realtime/client_secrets', json }, signal);
  const { value, expires_at } = parseReply(upstream, secretReply, reply);
  return {
    token: value,
    expiresAt: expires_at * 1000,
    mode: 'realtime',
    transport: 'webrtc',
    url: `${settings.baseUrl}/realtime/calls`,
  };
}

async function transcribe(
  upstream: Upstream,
  { transcribeModel: model }: Settings,
  { transcribeTimeoutMillis }: Timeouts,
  audio: RecordedAudio,
  signal: AbortSignal,
): Promise<Transcript> {
  const form = new FormData();
  const blob = new Blob([audio.bytes as Uint8Array<ArrayBuffer>], { type: audio.mime });
  form.append('file', blob, `audio.${audio.extension}`);
  form.append('model', model);
  form.append('response_format', 'json');
  const { language, languages } = getLanguageParams(model, audio.locale);
  if (language) form.append('language', language);
  for (const language of languages ?? []) form.append('languages[]', language);
  const request = { path: '/audio/transcriptions', ...(await encodeForm(form)) };
  const reply = await upstream.json(request, signal, transcribeTimeoutMillis);
  const { text, usage } = parseReply(upstream, transcriptReply, reply);
  return { text, model, ...(usage?.seconds === undefined ? {} : { seconds: usage.seconds }) };
}

function createSpeaker(upstream: Upstream, model: string, defaultVoiceId: string): Speaker {
  return {
    name: 'provider_a',
    supportsVoice,
    async speak({ text, voiceId = defaultVoiceId }, signal) {
      if (voiceId !== defaultVoiceId && !supportsVoice(voiceId))
        throw upstream.failure('refused', 'has no voice with this name');
      const voice = voiceId.startsWith('voice_') ? { id: voiceId } : voiceId;
      const json = { model, voice, input: text, response_format: 'mp3' };
      return streamMp3(upstream, [{ path: '/audio/speech', json }], signal);
    },
  };
}

/** Encodes the form up front: `fetch` throws an uncaught error when it is aborted while it encodes one. */
async function encodeForm(form: FormData) {
  const response = new Response(form);
  return {
    headers: { 'content-type': response.headers.get('content-type') ?? '' },
    body: new Uint8Array(await response.arrayBuffer()),
  };
}

/** Returns the language as a list for newer models, and as a single value for older models. */
function getLanguageParams(
  model: string,
  locale: string | undefined,
): { language?: string; languages?: readonly string[] } {
  const language = getLanguage(locale);
  if (!language) return {};
  return /^gpt-(live-)?transcribe/.test(model) ? { languages: [language] } : { language };
}

/** Accepts the names of built-in voices and the ids of custom voices. */
function supportsVoice(voiceId: string): boolean {
  return /^(voice_[A-Za-z0-9]{1,58}|[a-z][a-z_]{1,30})$/.test(voiceId);
}
