import { z } from 'zod';
import { unixSeconds } from './fields.ts';
import { LIMITS } from './limits.ts';
import { route, router } from './route.ts';
import { speechProvider, tokenProvider } from './voice-providers.ts';

/** What browsers record, and what people have on their disks. */
const RECORDINGS = [
  'audio/webm',
  'audio/ogg',
  'audio/mp4',
  'audio/wav',
  'audio/mpeg',
  'audio/flac',
  'audio/aac',
] as const;

/** Providers speak MP3; the built-in voice, which stands in where none is set up, WAV. */
const SPOKEN = ['audio/mpeg', 'audio/wav'] as const;

const seconds = z.int32().min(0).max(LIMITS.voiceReportedSecondsMax);

export const voiceToken = z
  .strictObject({
    token: z
      .string()
      .min(1)
      .max(8192)
      .describe('What the browser opens the session with; opaque.')
      .meta({ example: 'ek_68af296e8e408191a1120ab6383263c2' }),
    provider: z.enum(['provider_a', 'provider_b', 'mock']).meta({
      id: 'VoiceTokenIssuer',
      description: 'Who made the token; `mock` is the browser itself, without any provider.',
    }),
    expires_at: unixSeconds.describe(
      'Until when a session can be opened, in seconds since 1970; an open session goes on.',
    ),
    mode: z.enum(['realtime', 'batch', 'mock']).meta({
      id: 'VoiceMode',
      description:
        'Whether speech is recognised while it is spoken, after it was recorded, or by the browser.',
    }),
    transport: z.enum(['webrtc', 'websocket', 'upload', 'mock']).meta({
      id: 'VoiceTransport',
      description: 'How audio gets to the provider; `upload` means POST /transcribe of this service.',
    }),
    reserved_seconds: seconds
      .describe('Seconds of the workspace cap that are set aside for this session; 0 where nothing is.')
      .meta({ example: LIMITS.voiceReservedSeconds }),
    url: z
      .string()
      .min(1)
      .max(2048)
      .optional()
      .describe('Where the session is opened; absent for upload and mock.')
      .meta({ example: 'https://api.openai.com/v1/realtime/calls', format: 'uri' }),
  })
  .meta({
    id: 'VoiceToken',
    description: 'What a browser needs for one live session (interface document, section 4.4).',
  });

export const transcript = z
  .strictObject({
    text: z
      .string()
      .max(LIMITS.transcriptCharsMax)
      .describe('What was said; empty when nobody speaks.')
      .meta({ example: 'How do I reset my password?' }),
    model: z.string().max(200).describe('The model that listened.').meta({ example: 'nova-3' }),
  })
  .meta({ id: 'Transcript', description: 'The words of a recording (interface document, section 4.4).' });

const recording = z
  .strictObject({
    audio: z
      .custom<Uint8Array>((value) => value instanceof Uint8Array)
      .meta({
        override: { type: 'string', format: 'binary' },
        description: 'The recording; it is judged by its bytes, not by the name or type that it comes with.',
        example: 'the bytes of a recording',
      }),
  })
  .meta({ id: 'Recording', description: 'A form with one file in it, and nothing else.' });

const speechRequest = z
  .strictObject({
    text: z
      .string()
      .min(1)
      .max(LIMITS.speechCharsMax)
      .regex(/\S/)
      .describe('What to say; at least one character that is no white space.')
      .meta({ example: 'You can return an order within thirty days.' }),
    voice_id: z
      .string()
      .max(LIMITS.voiceIdCharsMax)
      .regex(/^[A-Za-z0-9_-]{1,64}$/)
      .optional()
      .describe("A voice of the provider; the workspace's own when absent.")
      .meta({ example: 'aura-2-thalia-en' }),
    provider: speechProvider.optional().describe('Who shall speak; `auto` when absent.'),
  })
  .meta({ id: 'SpeechRequest', description: 'A text to speak (interface document, section 4.4).' });

const spoken = z.custom<Uint8Array>().meta({
  override: { type: 'string', format: 'binary' },
  description: 'The speech as it is made: MP3 from every provider, WAV from the built-in voice.',
  example: 'the bytes of the speech',
});

const usageReport = z
  .strictObject({
    token: z
      .string()
      .min(1)
      .max(8192)
      .describe('The token of the session that has ended.')
      .meta({ example: 'ek_68af296e8e408191a1120ab6383263c2' }),
    elapsed_seconds: z
      .number()
      .min(0)
      .max(LIMITS.voiceReportedSecondsMax)
      .describe('How long the session lasted, in seconds.')
      .meta({ example: 42.5 }),
  })
  .meta({ id: 'VoiceUsageReport', description: 'How long a live session lasted.' });

const usageReply = z
  .strictObject({
    recorded: z
      .boolean()
      .describe('False where there is no session of this visitor to be reported with this token any more.')
      .meta({ example: true }),
    charged_seconds: seconds.describe('What the session took from the cap.').meta({ example: 43 }),
  })
  .meta({ id: 'VoiceUsageReply', description: 'What became of a report.' });

const meta = {
  tag: 'Voice',
  credential: 'visitor',
  unauthorized: 'voice/unauthorized',
  limitsWithoutCredential: ['voice/ip-rate-limited'],
  caps: ['voice/cap'],
} as const;

export const voice = router({
  getTranscribeToken: route({
    method: 'GET',
    path: '/transcribe-token',
    summary: 'Get a token for a live voice session',
    description:
      'Sets seconds of the workspace cap aside and gets a token that the browser opens one session with. Without a provider that is ' +
      'set up, `mock` stands in: the browser then recognises speech by itself.',
    query: z.strictObject({
      provider: tokenProvider.optional().describe('Whom to ask for a token; `auto` when absent.'),
    }),
    answers: { 200: voiceToken },
    errors: ['voice/disabled', 'voice/provider_failed', 'storage/unavailable'],
    meta: { ...meta, operationId: 'getTranscribeToken', limits: ['voice/token-burst'] },
  }),
  transcribeAudio: route({
    method: 'POST',
    path: '/transcribe',
    summary: 'Turn a recording into text',
    description:
      'Takes a recording of at most 10 MB and answers with its words. The recording is kept nowhere.',
    query: z.strictObject({}),
    body: recording,
    answers: { 200: transcript },
    errors: ['voice/disabled', 'voice/unsupported_audio', 'voice/provider_failed', 'voice/not_configured'],
    meta: {
      ...meta,
      operationId: 'transcribeAudio',
      limits: ['voice/transcribe-burst'],
      upload: {
        field: 'audio',
        bytesMax: LIMITS.audioBytesMax,
        tooLarge: 'voice/audio_too_large',
        mediaTypes: RECORDINGS,
      },
    },
  }),
  speakText: route({
    method: 'POST',
    path: '/tts',
    summary: 'Speak a text',
    description:
      'Streams speech as it is made. The header `x-service-tts-provider` says who speaks; every answer is marked as synthetic, in the ' +
      'header `x-synthetic-media` and in the audio itself.',
    query: z.strictObject({}),
    body: speechRequest,
    answers: { 200: spoken },
    errors: ['voice/disabled', 'voice/provider_failed'],
    meta: { ...meta, operationId: 'speakText', limits: ['voice/speech-burst'], audio: SPOKEN },
  }),
  reportVoiceUsage: route({
    method: 'POST',
    path: '/transcribe-usage',
    summary: 'Report how long a live voice session lasted',
    description:
      'Settles what was set aside for a live session. What nobody reports is used up; for an hour after that a report can still lower it.',
    query: z.strictObject({}),
    body: usageReport,
    answers: { 200: usageReply },
    errors: [],
    meta: { ...meta, caps: [], operationId: 'reportVoiceUsage', limits: ['voice/usage-burst'] },
  }),
});
