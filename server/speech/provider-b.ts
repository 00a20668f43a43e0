import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '../base/clock.ts';
import type { SpeechSettings } from '../settings/speech.ts';
import type { MintedToken, RecordedAudio, Speaker, Transcript } from './speech.ts';
import {
  createUpstream,
  getLanguage,
  parseReply,
  type SpeechProvider,
  streamMp3,
  type Upstream,
  type UpstreamRequest,
} from './upstream.ts';

type Settings = NonNullable<SpeechSettings['b']>;
type Timeouts = Pick<SpeechSettings, 'tokenSeconds' | 'timeoutMillis' | 'transcribeTimeoutMillis' | 'proxy'>;

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

/** Characters per request that every voice accepts. Some voices accept twice as many. */
const SPEECH_CHARS_MAX = 1000;

/** Creates provider_b for the Deepgram API: grants for WebSocket sessions, transcription, and speech in short parts. */
export function createProviderB(settings: Settings, timeouts: Timeouts, clock: Clock): SpeechProvider {
  const upstream = createUpstream({
    provider: 'provider_b',
    baseUrl: settings.baseUrl,
    headers: { authorization: `Token ${settings.key}` },
    timeoutMillis: timeouts.timeoutMillis,
    proxy: timeouts.proxy,
  });
  return {
    minter: {
      name: 'provider_b',
      kinds: ['realtime', 'batch'],
      async mint({ kind, locale }, signal) {
        if (kind === 'batch') return mintUploadToken(clock, timeouts.tokenSeconds);
        const json = { ttl_seconds: timeouts.tokenSeconds };
        const reply = await upstream.json({ path: '/v1/auth/grant', json }, signal);
        const { access_token, expires_in } = parseReply(upstream, grantReply, reply);
        return {
          token: access_token,
          expiresAt: clock.now() + Math.floor(expires_in) * 1000,
          mode: 'realtime',
          transport: 'websocket',
          url: buildLiveUrl(settings, locale),
        };
      },
    },
    transcriber: {
      name: 'provider_b',
      transcribe: (audio, signal) => transcribe(upstream, settings, timeouts, audio, signal),
    },
    speaker: createSpeaker(upstream, settings.speechModel),
  };
}

async function transcribe(
  upstream: Upstream,
  settings: Settings,
  { transcribeTimeoutMillis }: Timeouts,
  { bytes, mime, locale }: RecordedAudio,
  signal: AbortSignal,
): Promise<Transcript> {
  const request = {
    path: `/v1/listen?${buildListenQuery(settings, locale)}`,
    headers: { 'content-type': toAudioType(mime) },
    body: bytes as Uint8Array<ArrayBuffer>,
  };
  const reply = await upstream.json(request, signal, transcribeTimeoutMillis);
  const { metadata, results } = parseReply(upstream, listenReply, reply);
  const text = results.channels.map(({ alternatives }) => alternatives[0]?.transcript ?? '').join('\n');
  const seconds = metadata?.duration;
  return {
    text: text.trim(),
    model: settings.transcribeModel,
    seconds,
  };
}

function createSpeaker(upstream: Upstream, defaultVoiceId: string): Speaker {
  return {
    name: 'provider_b',
    supportsVoice,
    async speak({ text, voiceId = defaultVoiceId, locale }, signal) {
      if (voiceId !== defaultVoiceId && !supportsVoice(voiceId)) {
        throw upstream.failure('refused', 'has no voice with this name');
      }
      const query = new URLSearchParams({ model: voiceId, encoding: 'mp3' });
      const [first, ...rest] = splitText(text, SPEECH_CHARS_MAX, getLanguage(locale)).map(
        (part): UpstreamRequest => ({ path: `/v1/speak?${query}`, json: { text: part } }),
      );
      if (!first) throw upstream.failure('refused', 'received no text to speak');
      return streamMp3(upstream, [first, ...rest], signal);
    },
  };
}

/** Makes a token that the provider does not know: this service forwards recordings, with its own key. */
function mintUploadToken(clock: Clock, tokenSeconds: number): MintedToken {
  return {
    token: randomBytes(24).toString('base64url'),
    expiresAt: clock.now() + tokenSeconds * 1000,
    mode: 'batch',
    transport: 'upload',
  };
}

/** Returns whether an id has the form of Deepgram's voice ids, which are model names. */
function supportsVoice(voiceId: string): boolean {
  return /^(aura|flux)-[a-z0-9-]{1,58}$/.test(voiceId);
}

function buildListenQuery(settings: Settings, locale: string | undefined): URLSearchParams {
  const language = getLanguage(locale);
  return new URLSearchParams({
    model: settings.transcribeModel,
    smart_format: 'true',
    ...(language ? { language } : { detect_language: 'true' }),
  });
}

function buildLiveUrl(settings: Settings, locale: string | undefined): string {
  const language = getLanguage(locale);
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

/** Sends anything but audio as bytes, because Deepgram would read JSON as a command to fetch a URL. */
function toAudioType(mime: string): string {
  return /^(audio|video)\/[\w.+-]{1,60}$/.test(mime) ? mime : 'application/octet-stream';
}

/** Splits a text into parts of at most `charsMax` UTF-16 units: between sentences, else words, else characters. */
export function splitText(text: string, charsMax: number, locale?: string): string[] {
  return joinSegments(segmentText(text, charsMax, ['sentence', 'word', 'grapheme'], locale), charsMax);
}

type Granularity = 'sentence' | 'word' | 'grapheme';

function segmentText(
  text: string,
  charsMax: number,
  [granularity, ...finer]: readonly Granularity[],
  locale: string | undefined,
): string[] {
  if (text.length <= charsMax) return [text];
  // A single grapheme can exceed any limit through combining marks.
  if (!granularity) return text.match(new RegExp(`.{1,${Math.floor(charsMax / 2)}}`, 'gsv')) ?? [];
  const segments = new Intl.Segmenter(locale, { granularity }).segment(text);
  return Array.from(segments).flatMap(({ segment }) => segmentText(segment, charsMax, finer, locale));
}

function joinSegments(segments: readonly string[], charsMax: number): string[] {
  const parts: string[] = [];
  let part = '';
  for (const segment of segments) {
    if (part.length + segment.length > charsMax) {
      parts.push(part);
      part = '';
    }
    part += segment;
  }
  parts.push(part);
  // Providers reject parts that are only white space.
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}
