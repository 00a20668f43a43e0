import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '../clock.ts';
import type { SpeechSettings } from '../speech-settings.ts';
import { languageOf } from './language.ts';
import type { MintedToken, RecordedAudio, SpeechAsk, TokenAsk } from './speech.ts';
import { type SpeechParts, wanted } from './speech-parts.ts';
import { spokenAudio } from './spoken-audio.ts';
import { textParts } from './text-parts.ts';
import { createUpstream, type UpstreamRequest } from './upstream.ts';

/** provider_b speaks the Deepgram API: a grant that a browser opens a websocket with, recordings, and speech a few sentences at a time. */

type Settings = NonNullable<SpeechSettings['b']>;

const grantReply = z.object({
  access_token: z.string().min(1).max(8192),
  /** Seconds from now. */
  expires_in: z.number().min(1).max(3600),
});

const listenReply = z.object({
  metadata: z.object({ duration: z.number().min(0).optional() }).optional(),
  results: z.object({
    channels: z
      .array(z.object({ alternatives: z.array(z.object({ transcript: z.string() })).min(1) }))
      .min(1),
  }),
});

/** Twice as much is said to work for some voices, and this for all. */
const SPEECH_CHARS_MAX = 1000;

export function createProviderB(
  settings: Settings,
  times: Pick<SpeechSettings, 'tokenSeconds' | 'timeoutMillis' | 'transcribeTimeoutMillis'>,
  clock: Clock,
): SpeechParts {
  const upstream = createUpstream({
    provider: 'provider_b',
    baseUrl: settings.baseUrl,
    headers: { authorization: `Token ${settings.key}` },
    timeoutMillis: times.timeoutMillis,
  });

  async function grant(locale: string | undefined, signal: AbortSignal): Promise<MintedToken> {
    const json = { ttl_seconds: times.tokenSeconds };
    const reply = await upstream.json({ path: '/v1/auth/grant', json }, signal);
    const { access_token, expires_in } = wanted(upstream, grantReply, reply);
    return {
      token: access_token,
      expiresAt: clock.now() + Math.floor(expires_in) * 1000,
      mode: 'realtime',
      transport: 'websocket',
      url: liveUrl(settings, locale),
    };
  }

  return {
    minting: {
      name: 'provider_b',
      kinds: ['realtime', 'batch'],
      async mint({ kind, locale }: TokenAsk, signal) {
        return kind === 'batch' ? uploadToken(clock, times.tokenSeconds) : grant(locale, signal);
      },
    },
    transcribing: {
      name: 'provider_b',
      async transcribe({ bytes, mime, locale }: RecordedAudio, signal) {
        const request = {
          path: `/v1/listen?${listenQuery(settings, locale)}`,
          headers: { 'content-type': audioType(mime) },
          body: bytes as Uint8Array<ArrayBuffer>,
        };
        const reply = await upstream.json(request, signal, times.transcribeTimeoutMillis);
        const { metadata, results } = wanted(upstream, listenReply, reply);
        const text = results.channels.map(({ alternatives }) => alternatives[0]?.transcript ?? '').join('\n');
        const seconds = metadata?.duration;
        return {
          text: text.trim(),
          model: settings.transcribeModel,
          ...(seconds === undefined ? {} : { seconds }),
        };
      },
    },
    speaking: {
      name: 'provider_b',
      canBeVoice,
      async speak({ text, voiceId = settings.speechModel, locale }: SpeechAsk, signal) {
        if (voiceId !== settings.speechModel && !canBeVoice(voiceId)) {
          throw upstream.failure('refused', 'has no voice with such a name');
        }
        const query = new URLSearchParams({ model: voiceId, encoding: 'mp3' });
        const [first, ...rest] = textParts(text, SPEECH_CHARS_MAX, languageOf(locale)).map(
          (part): UpstreamRequest => ({ path: `/v1/speak?${query}`, json: { text: part } }),
        );
        if (!first) throw upstream.failure('refused', 'was given nothing to say');
        return spokenAudio(upstream, [first, ...rest], signal);
      },
    },
  };
}

/** A recording goes through this service, which asks with its own key: the browser needs nothing that opens a provider. */
function uploadToken(clock: Clock, tokenSeconds: number): MintedToken {
  return {
    token: randomBytes(24).toString('base64url'),
    expiresAt: clock.now() + tokenSeconds * 1000,
    mode: 'batch',
    transport: 'upload',
  };
}

/** A voice is a model of its own. */
function canBeVoice(voiceId: string): boolean {
  return /^(aura|flux)-[a-z0-9-]{1,58}$/.test(voiceId);
}

function listenQuery(settings: Settings, locale: string | undefined): URLSearchParams {
  const language = languageOf(locale);
  return new URLSearchParams({
    model: settings.transcribeModel,
    smart_format: 'true',
    ...(language ? { language } : { detect_language: 'true' }),
  });
}

function liveUrl(settings: Settings, locale: string | undefined): string {
  const language = languageOf(locale);
  const query = new URLSearchParams({
    model: settings.transcribeModel,
    smart_format: 'true',
    interim_results: 'true',
    endpointing: '300',
    utterance_end_ms: '1000',
    ...(language ? { language } : {}),
  });
  return `${settings.baseUrl.replace(/^http/, 'ws')}/v1/listen?${query}`;
}

/** Anything else would be taken for an order, such as JSON for the order to fetch an address. */
function audioType(mime: string): string {
  return /^(audio|video)\/[\w.+-]{1,60}$/.test(mime) ? mime : 'application/octet-stream';
}
