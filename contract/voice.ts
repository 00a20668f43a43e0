import { z } from 'zod';
import { namedObject, pattern, text, unixSeconds, visibleText } from './fields.ts';
import { VOICE_LIMITS } from './limits/voice.ts';
import { route, router } from './route.ts';

/** Speech providers by kind. A workspace chooses the preferred ones; the others are fallbacks. */

const TOKEN_PROVIDERS = ['provider_a', 'provider_b', 'provider_b-batch', 'mock'] as const;
const TRANSCRIBE_PROVIDERS = ['provider_a', 'provider_b'] as const;
const SPEECH_PROVIDERS = ['provider_a', 'provider_b', 'provider_c', 'mock'] as const;

export const tokenProvider = z.enum([...TOKEN_PROVIDERS, 'auto']).meta({
  id: 'VoiceTokenProvider',
  description:
    "Provider of the token. `auto` uses the workspace's choice, else the first available of " +
    'provider_a and provider_b.',
});

export const speechProvider = z.enum([...SPEECH_PROVIDERS, 'auto']).meta({
  id: 'SpeechProvider',
  description:
    "Speech provider. `auto` uses the workspace's choice, else the first available of provider_c, " +
    'provider_b and provider_a.',
});

const PREFERENCE_NOTE = 'used before the others, which are fallbacks. `mock` has no fallback.';

const ownTokenProvider = z.enum(TOKEN_PROVIDERS).meta({
  id: 'TenantTokenProvider',
  description: `Preferred provider for tokens, ${PREFERENCE_NOTE}`,
});
const ownTranscribeProvider = z.enum(TRANSCRIBE_PROVIDERS).meta({
  id: 'TenantTranscribeProvider',
  description: 'Preferred provider for recordings. The others are used if it fails.',
});
const ownSpeechProvider = z.enum(SPEECH_PROVIDERS).meta({
  id: 'TenantSpeechProvider',
  description: `Preferred provider for speech, ${PREFERENCE_NOTE}`,
});

const chosenTranscribeProvider = z.enum([...TRANSCRIBE_PROVIDERS, 'auto']).meta({
  id: 'TranscribeProvider',
  description: 'Preferred provider for recordings, or `auto` for the default order.',
});

/** The preferred providers of a workspace. */
const ownProviders = {
  tokenProvider: ownTokenProvider.optional().describe('If absent, the default order applies.'),
  transcribeProvider: ownTranscribeProvider.optional().describe('If absent, the default order applies.'),
  speechProvider: ownSpeechProvider.optional().describe('If absent, the default order applies.'),
};

/** For changes: an enum cannot be null, so `auto` resets a choice. */
const chosenProviders = {
  tokenProvider: tokenProvider
    .optional()
    .describe('Preferred provider for tokens, or `auto` for the default order.'),
  transcribeProvider: chosenTranscribeProvider
    .optional()
    .describe('Preferred provider for recordings, or `auto` for the default order.'),
  speechProvider: speechProvider
    .optional()
    .describe('Preferred provider for speech, or `auto` for the default order.'),
};

/** Formats that browsers record and people commonly have. */
const RECORDING_MEDIA_TYPES = [
  'audio/webm',
  'audio/ogg',
  'audio/mp4',
  'audio/wav',
  'audio/mpeg',
  'audio/flac',
  'audio/aac',
] as const;

/** Providers generate MP3. The built-in voice, used when no provider is configured, generates WAV. */
const SPEECH_MEDIA_TYPES = ['audio/mpeg', 'audio/wav'] as const;

const seconds = z.int32().min(0).max(VOICE_LIMITS.voiceReportedSecondsMax);

export const voiceToken = namedObject('VoiceToken', 'Connection details of a live voice session.', {
  token: text(8192)
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
    .meta({ example: VOICE_LIMITS.voiceReservedSeconds }),
  url: text(2048)
    .optional()
    .describe('URL to open the session at. Absent for `upload` and `mock`.')
    .meta({ example: 'https://api.openai.com/v1/realtime/calls', format: 'uri' }),
});

export const transcript = namedObject('Transcript', 'Transcript of a recording.', {
  text: z
    .string()
    .max(VOICE_LIMITS.transcriptCharsMax)
    .describe('The transcript. Empty if there is no speech.')
    .meta({ example: 'How do I reset my password?' }),
  model: z.string().max(200).meta({ example: 'nova-3' }),
});

const recording = namedObject('Recording', 'A form with exactly one file.', {
  audio: z
    .custom<Uint8Array>((value) => value instanceof Uint8Array)
    .meta({
      override: { type: 'string', format: 'binary' },
      description: 'The recording. Its format is detected from its bytes, not from its name or media type.',
      example: 'the bytes of a recording',
    }),
});

const speechRequest = namedObject('SpeechRequest', 'The text to speak, and how.', {
  text: visibleText(VOICE_LIMITS.speechCharsMax)
    .describe('Text to speak. Not blank.')
    .meta({ example: 'You can return an order within thirty days.' }),
  voice_id: pattern(/^[A-Za-z0-9_-]{1,64}$/, VOICE_LIMITS.voiceIdCharsMax)
    .optional()
    .describe("Voice of the provider. Defaults to the workspace's voice.")
    .meta({ example: 'aura-2-thalia-en' }),
  provider: speechProvider.optional().describe('Defaults to `auto`.'),
});

const speechAudio = z.custom<Uint8Array>().meta({
  override: { type: 'string', format: 'binary' },
  description: 'The speech as it is generated: MP3 from every provider, WAV from the built-in voice.',
  example: 'the bytes of the speech',
});

const usageReport = namedObject('VoiceUsageReport', 'Duration of a live session.', {
  token: text(8192).meta({ example: 'ek_68af296e8e408191a1120ab6383263c2' }),
  elapsed_seconds: z.number().min(0).max(VOICE_LIMITS.voiceReportedSecondsMax).meta({ example: 42.5 }),
});

const usageReply = namedObject('VoiceUsageReply', 'Result of a usage report.', {
  recorded: z
    .boolean()
    .describe('False if there is no session of this visitor left to report with this token.')
    .meta({ example: true }),
  charged_seconds: seconds.meta({ example: 43 }),
});

const meta = {
  credential: 'visitor',
  unauthorized: 'voice/unauthorized',
  limitsWithoutCredential: ['voice/ip-rate-limited'],
  caps: ['voice/cap'],
} as const;

export const voice = router('Voice', {
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
    meta: { ...meta, limits: ['voice/token-burst', 'visitor/network-burst'], killSwitch: 'guide/paused' },
  }),
  transcribeAudio: route({
    method: 'POST',
    path: '/transcribe',
    summary: 'Transcribe a recording',
    description: 'Transcribes a recording of at most 10 MB. The recording is not stored.',
    body: recording,
    responses: { 200: transcript },
    errors: ['voice/disabled', 'voice/unsupported_audio', 'voice/provider_failed', 'voice/not_configured'],
    meta: {
      ...meta,
      limits: ['voice/transcribe-burst', 'visitor/network-burst'],
      killSwitch: 'guide/paused',
      upload: {
        field: 'audio',
        bytesMax: VOICE_LIMITS.audioBytesMax,
        tooLarge: 'voice/audio_too_large',
        mediaTypes: RECORDING_MEDIA_TYPES,
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
    body: speechRequest,
    responses: { 200: speechAudio },
    errors: ['voice/disabled', 'voice/provider_failed'],
    meta: {
      ...meta,
      limits: ['voice/speech-burst', 'visitor/network-burst'],
      killSwitch: 'guide/paused',
      audio: SPEECH_MEDIA_TYPES,
    },
  }),
  reportVoiceUsage: route({
    method: 'POST',
    path: '/transcribe-usage',
    summary: 'Report voice usage',
    description:
      'Settles the reservation of a live session with its actual duration. Unreported sessions are ' +
      'charged in full; a report within the following hour still lowers the charge.',
    body: usageReport,
    responses: { 200: usageReply },
    meta: { ...meta, caps: [], limits: ['voice/usage-burst', 'visitor/network-burst'] },
  }),
});

const voiceEnabled = z.boolean();
const monthlySecondsMax = z
  .int32()
  .min(0)
  .max(100_000_000)
  .meta({ description: 'Maximum seconds of speech per calendar month.', example: 3600 });
const timeZone = text(64)
  .describe('IANA time zone for monthly caps, of both voice and tokens.')
  .meta({ example: 'Europe/Berlin' });
const voiceId = text(128)
  .regex(/^[!-~]+$/)
  .meta({ description: 'Default voice.', example: 'alloy' });

export const tenantVoice = namedObject('TenantVoice', 'Voice settings of a workspace.', {
  enabled: voiceEnabled,
  monthlySecondsMax,
  timeZone,
  voiceId: voiceId.optional().describe("Default voice. If absent, the provider's default is used."),
  ...ownProviders,
});

export const tenantVoiceChange = namedObject(
  'TenantVoiceChange',
  'Changes to the voice settings. Omitted fields stay unchanged.',
  {
    enabled: voiceEnabled.optional(),
    monthlySecondsMax: monthlySecondsMax.optional(),
    timeZone: timeZone.optional(),
    voiceId: voiceId.nullable().optional().describe("Default voice, or `null` for the provider's default."),
    ...chosenProviders,
  },
);
