import { z } from 'zod';
import type { SpeechSettings } from '../speech-settings.ts';
import { languageOf } from './language.ts';
import type { RecordedAudio, SpeechAsk, TokenAsk } from './speech.ts';
import { type SpeechParts, wanted } from './speech-parts.ts';
import { spokenAudio } from './spoken-audio.ts';
import { createUpstream } from './upstream.ts';

/** provider_a speaks the OpenAI API: a secret that a browser opens a WebRTC session with, recordings, and speech where a model is set. */

type Settings = NonNullable<SpeechSettings['a']>;

const secretReply = z.object({
  value: z.string().min(1).max(4096),
  /** Seconds since 1970. */
  expires_at: z.number().int().min(1).max(253_402_300_799),
});

const transcriptReply = z.object({
  text: z.string(),
  usage: z.object({ type: z.string(), seconds: z.number().min(0).optional() }).optional(),
});

export function createProviderA(
  settings: Settings,
  times: Pick<SpeechSettings, 'tokenSeconds' | 'timeoutMillis' | 'transcribeTimeoutMillis'>,
): SpeechParts {
  const upstream = createUpstream({
    provider: 'provider_a',
    baseUrl: settings.baseUrl,
    headers: { authorization: `Bearer ${settings.key}` },
    timeoutMillis: times.timeoutMillis,
  });

  async function mint({ locale }: TokenAsk, signal: AbortSignal) {
    const json = {
      expires_after: { anchor: 'created_at', seconds: times.tokenSeconds },
      session: {
        type: 'transcription',
        audio: {
          input: {
            transcription: { model: settings.realtimeModel, ...spoken(settings.realtimeModel, locale) },
            noise_reduction: { type: 'near_field' },
            // The browser says where a turn ends.
            turn_detection: null,
          },
        },
      },
    };
    const reply = await upstream.json({ path: '/realtime/client_secrets', json }, signal);
    const { value, expires_at } = wanted(upstream, secretReply, reply);
    return {
      token: value,
      expiresAt: expires_at * 1000,
      mode: 'realtime',
      transport: 'webrtc',
      url: `${settings.baseUrl}/realtime/calls`,
    } as const;
  }

  async function transcribe(audio: RecordedAudio, signal: AbortSignal) {
    const model = settings.transcribeModel;
    const body = new FormData();
    const blob = new Blob([audio.bytes as Uint8Array<ArrayBuffer>], { type: audio.mime });
    body.append('file', blob, `audio.${audio.extension}`);
    body.append('model', model);
    body.append('response_format', 'json');
    const { language, languages } = spoken(model, audio.locale);
    if (language) body.append('language', language);
    for (const one of languages ?? []) body.append('languages[]', one);
    const request = { path: '/audio/transcriptions', ...(await encoded(body)) };
    const reply = await upstream.json(request, signal, times.transcribeTimeoutMillis);
    const { text, usage } = wanted(upstream, transcriptReply, reply);
    return { text, model, ...(usage?.seconds === undefined ? {} : { seconds: usage.seconds }) };
  }

  const { speechModel } = settings;
  return {
    minting: { name: 'provider_a', kinds: ['realtime'], mint },
    transcribing: { name: 'provider_a', transcribe },
    ...(speechModel === undefined
      ? {}
      : {
          speaking: {
            name: 'provider_a',
            canBeVoice,
            async speak({ text, voiceId = settings.voiceId }: SpeechAsk, signal: AbortSignal) {
              if (voiceId !== settings.voiceId && !canBeVoice(voiceId))
                throw upstream.failure('refused', 'has no voice with such a name');
              const json = {
                model: speechModel,
                voice: voiceOf(voiceId),
                input: text,
                response_format: 'mp3',
              };
              return spokenAudio(upstream, [{ path: '/audio/speech', json }], signal);
            },
          },
        }),
  };
}

/** At once, because `fetch` throws where nobody can catch it when it is stopped while it encodes a form. */
async function encoded(form: FormData) {
  const whole = new Response(form);
  return {
    headers: { 'content-type': whole.headers.get('content-type') ?? '' },
    body: new Uint8Array(await whole.arrayBuffer()),
  };
}

/** Newer models take a list of languages, older ones a single one. */
function spoken(
  model: string,
  locale: string | undefined,
): { readonly language?: string; readonly languages?: readonly string[] } {
  const language = languageOf(locale);
  if (!language) return {};
  return /^gpt-(live-)?transcribe/.test(model) ? { languages: [language] } : { language };
}

/** Names, and ids of voices that somebody made. */
function canBeVoice(voiceId: string): boolean {
  return /^(voice_[A-Za-z0-9]{1,58}|[a-z][a-z_]{1,30})$/.test(voiceId);
}

function voiceOf(voiceId: string): string | { readonly id: string } {
  return voiceId.startsWith('voice_') ? { id: voiceId } : voiceId;
}
