import { z } from 'zod';
import { unixSeconds } from './fields.ts';
import { LIMITS } from './limits.ts';
import { route, router } from './route.ts';
import { speechProvider, tokenProvider } from './voice-providers.ts';

/** Formats that browsers record and people commonly have. */
const RECORDINGS = [
  'audio/webm',
  'audio/ogg',
  'audio/mp4',
  'audio/wav',
  'audio/mpeg',
  'audio/flac',
  'audio/aac',
] as const;

/** Providers generate MP3; the built-in voice, used when none is configured, WAV. */
const SPOKEN = ['audio/mpeg', 'audio/wav'] as const;

const seconds = z.int32().min(0).max(LIMITS.voiceReportedSecondsMax);

export const voiceToken = z
  .strictObject({
    token: z
      .string()
      .min(1)
      .max(8192)
      .describe('Opaque token that the browser opens the session with.')
      .meta({ example: 'ek_68af296e8e408191a1120ab6383263c2' }),
    provider: z.enum(['provider_a', 'provider_b', 'mock']).meta({
      id: 'VoiceTokenIssuer',
      description: "Provider of the token. `mock` means the browser's own speech recognition.",
    }),
    expires_at: unixSeconds.describe(
      'Until when a session can be opened, in seconds since 1970. Open sessions continue.',
    ),
    mode: z.enum(['realtime', 'batch', 'mock']).meta({
      id: 'VoiceMode',
      description: 'Whether speech is transcribed live, after recording, or by the browser.',
    }),
    transport: z.enum(['webrtc', 'websocket', 'upload', 'mock']).meta({
      id: 'VoiceTransport',
      description: 'How audio reaches the provider. `upload` means POST /transcribe.',
    }),
    reserved_seconds: seconds
      .describe("Seconds of the workspace's cap reserved for this session.")
      .meta({ example: LIMITS.voiceReservedSeconds }),
    url: z
      .string()
      .min(1)
      .max(2048)
      .optional()
      .describe('URL to open the session at. Absent for `upload` and `mock`.')
      .meta({ example: 'https://api.openai.com/v1/realtime/calls', format: 'uri' }),
  })
  .meta({
    id: 'VoiceToken',
    description: 'Connection details of a live voice session.',
  });

export const transcript = z
  .strictObject({
    text: z
      .string()
      .max(LIMITS.transcriptCharsMax)
      .describe('The transcript. Empty if there is no speech.')
      .meta({ example: 'How do I reset my password?' }),
    model: z.string().max(200).describe('The transcription model.').meta({ example: 'nova-3' }),
  })
  .meta({ id: 'Transcript', description: 'Transcript of a recording.' });

const recording = z
  .strictObject({
    audio: z
      .custom<Uint8Array>((value) => value instanceof Uint8Array)
      .meta({
        override: { type: 'string', format: 'binary' },
        description: 'The recording. Its format is detected from its bytes, not from its name or media type.',
        example: 'the bytes of a recording',
      }),
  })
  .meta({ id: 'Recording', description: 'A form with exactly one file.' });

const speechRequest = z
  .strictObject({
    text: z
      .string()
      .min(1)
      .max(LIMITS.speechCharsMax)
      .regex(/\S/)
      .describe('Text to speak. Not blank.')
      .meta({ example: 'You can return an order within thirty days.' }),
    voice_id: z
      .string()
      .max(LIMITS.voiceIdCharsMax)
      .regex(/^[A-Za-z0-9_-]{1,64}$/)
      .optional()
      .describe("Voice of the provider. Defaults to the workspace's voice.")
      .meta({ example: 'aura-2-thalia-en' }),
    provider: speechProvider.optional().describe('Speech provider. Defaults to `auto`.'),
  })
  .meta({ id: 'SpeechRequest', description: 'A text to speak.' });

const spoken = z.custom<Uint8Array>().meta({
  override: { type: 'string', format: 'binary' },
  description: 'The speech as it is generated: MP3 from every provider, WAV from the built-in voice.',
  example: 'the bytes of the speech',
});

const usageReport = z
  .strictObject({
    token: z
      .string()
      .min(1)
      .max(8192)
      .describe('Token of the finished session.')
      .meta({ example: 'ek_68af296e8e408191a1120ab6383263c2' }),
    elapsed_seconds: z
      .number()
      .min(0)
      .max(LIMITS.voiceReportedSecondsMax)
      .describe('Duration of the session, in seconds.')
      .meta({ example: 42.5 }),
  })
  .meta({ id: 'VoiceUsageReport', description: 'Duration of a live session.' });

const usageReply = z
  .strictObject({
    recorded: z
      .boolean()
      .describe('False if there is no session of this visitor left to report with this token.')
      .meta({ example: true }),
    charged_seconds: seconds.describe('Seconds charged for the session.').meta({ example: 43 }),
  })
  .meta({ id: 'VoiceUsageReply', description: 'Result of a report.' });

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
    summary: 'Create a voice token',
    description:
      "Reserves seconds of the workspace's cap and returns a token that the browser opens one live " +
      'session with. Without a configured provider, `mock` tells the browser to use its own speech ' +
      'recognition.',
    query: z.strictObject({
      provider: tokenProvider.optional().describe('Provider of the token. Defaults to `auto`.'),
    }),
    responses: { 200: voiceToken },
    errors: ['voice/disabled', 'voice/provider_failed', 'storage/unavailable'],
    meta: { ...meta, operationId: 'getTranscribeToken', limits: ['voice/token-burst'] },
  }),
  transcribeAudio: route({
    method: 'POST',
    path: '/transcribe',
    summary: 'Transcribe a recording',
    description: 'Transcribes a recording of at most 10 MB. The recording is not stored.',
    query: z.strictObject({}),
    body: recording,
    responses: { 200: transcript },
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
      'Streams speech as it is generated. The `x-service-tts-provider` header names the provider. All ' +
      'speech is marked as synthetic in the `x-synthetic-media` header and in the audio itself.',
    query: z.strictObject({}),
    body: speechRequest,
    responses: { 200: spoken },
    errors: ['voice/disabled', 'voice/provider_failed'],
    meta: { ...meta, operationId: 'speakText', limits: ['voice/speech-burst'], audio: SPOKEN },
  }),
  reportVoiceUsage: route({
    method: 'POST',
    path: '/transcribe-usage',
    summary: 'Report voice usage',
    description:
      'Settles the reservation of a live session with its actual duration. Unreported sessions are ' +
      'charged in full; a report within the following hour still lowers the charge.',
    query: z.strictObject({}),
    body: usageReport,
    responses: { 200: usageReply },
    errors: [],
    meta: { ...meta, caps: [], operationId: 'reportVoiceUsage', limits: ['voice/usage-burst'] },
  }),
});
