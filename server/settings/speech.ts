import { z } from 'zod';
import type { ProxySettings } from '../base/proxy.ts';

/** Settings of the speech providers. A provider without a key is off. */

/** Keys are sent in a header unchanged. */
const key = () =>
  z
    .string()
    .regex(/^[\x21-\x7e]{8,512}$/, 'must be 8 to 512 printable characters without spaces')
    .optional();
const model = () => z.string().regex(/^[\w.:/-]{1,100}$/, 'must be the name of a model');
const voice = () => z.string().regex(/^[\w-]{1,64}$/, 'must be the id of a voice');
const address = () =>
  z
    .url()
    .refine(
      isSafeAddress,
      'must be an https address, or http on this machine, without user, query or fragment',
    );

export const speechSettings = {
  SPEECH_A_API_KEY: key().describe('API key of provider_a (OpenAI API). Without it, provider_a is off.'),
  SPEECH_A_BASE_URL: address()
    .default('https://api.openai.com/v1')
    .describe('Base URL of provider_a, for this server and for browsers.'),
  SPEECH_A_REALTIME_MODEL: model()
    .default('gpt-live-transcribe')
    .describe('Realtime transcription model of provider_a.'),
  SPEECH_A_TRANSCRIBE_MODEL: model()
    .default('gpt-transcribe')
    .describe('Model of provider_a for recordings.'),
  SPEECH_A_SPEECH_MODEL: model()
    .optional()
    .describe('Speech model of provider_a. Without it, provider_a does not speak.'),
  SPEECH_A_SPEECH_VOICE: voice().default('alloy').describe('Default voice of provider_a.'),
  SPEECH_B_API_KEY: key().describe('API key of provider_b (Deepgram API). Without it, provider_b is off.'),
  SPEECH_B_BASE_URL: address()
    .default('https://api.deepgram.com')
    .describe('Base URL of provider_b, for this server and for browsers.'),
  SPEECH_B_TRANSCRIBE_MODEL: model()
    .default('nova-3')
    .describe('Transcription model of provider_b, realtime and for recordings.'),
  SPEECH_B_SPEECH_MODEL: model().default('aura-2-thalia-en').describe('Default speech model of provider_b.'),
  SPEECH_C_DRIVER: z
    .enum(['elevenlabs', 'cartesia'])
    .default('elevenlabs')
    .describe('API that provider_c uses.'),
  SPEECH_C_API_KEY: key().describe(
    'API key of provider_c, which only speaks. Without it, provider_c is off.',
  ),
  SPEECH_C_BASE_URL: address().optional().describe("Base URL of provider_c. Defaults to its driver's own."),
  SPEECH_C_SPEECH_MODEL: model()
    .optional()
    .describe('Speech model of provider_c. Defaults to `eleven_flash_v2_5` or `sonic-3.5`, by driver.'),
  SPEECH_C_SPEECH_VOICE: voice().optional().describe('Default voice of provider_c; required with its key.'),
  SPEECH_TOKEN_SECONDS: wholeNumber(10, 600, 60).describe(
    'Lifetime of a token with which a browser opens a session.',
  ),
  SPEECH_TIMEOUT_MILLIS: wholeNumber(10, 120_000, 10_000).describe(
    'Timeout of a provider for a token, the first chunk of speech, and between chunks.',
  ),
  SPEECH_TRANSCRIBE_TIMEOUT_MILLIS: wholeNumber(10, 600_000, 60_000).describe(
    'Timeout of a provider for the transcription of a recording.',
  ),
};

type ProviderSettings = {
  key: string;
  /** Without a trailing slash. */
  baseUrl: string;
};

export type SpeechSettings = {
  a:
    | (ProviderSettings & {
        realtimeModel: string;
        transcribeModel: string;
        speechModel?: string;
        voiceId: string;
      })
    | undefined;
  b: (ProviderSettings & { transcribeModel: string; speechModel: string }) | undefined;
  c:
    | (ProviderSettings & {
        driver: 'elevenlabs' | 'cartesia';
        speechModel: string;
        voiceId: string;
      })
    | undefined;
  tokenSeconds: number;
  timeoutMillis: number;
  transcribeTimeoutMillis: number;
  /** Undefined when providers are reached directly. */
  proxy: ProxySettings | undefined;
};

const DRIVER_DEFAULTS = {
  elevenlabs: { baseUrl: 'https://api.elevenlabs.io', speechModel: 'eleven_flash_v2_5' },
  cartesia: { baseUrl: 'https://api.cartesia.ai', speechModel: 'sonic-3.5' },
};

/** Returns a sentence when a setting is missing. */
export function parseSpeechSettings(
  values: z.infer<z.ZodObject<typeof speechSettings>>,
  proxy: ProxySettings | undefined,
): SpeechSettings | string {
  const c = parseProviderC(values);
  if (c === 'voiceless') return 'SPEECH_C_SPEECH_VOICE: provider_c needs a voice to speak with';
  return {
    a: values.SPEECH_A_API_KEY
      ? {
          key: values.SPEECH_A_API_KEY,
          baseUrl: withoutSlash(values.SPEECH_A_BASE_URL),
          realtimeModel: values.SPEECH_A_REALTIME_MODEL,
          transcribeModel: values.SPEECH_A_TRANSCRIBE_MODEL,
          ...(values.SPEECH_A_SPEECH_MODEL ? { speechModel: values.SPEECH_A_SPEECH_MODEL } : {}),
          voiceId: values.SPEECH_A_SPEECH_VOICE,
        }
      : undefined,
    b: values.SPEECH_B_API_KEY
      ? {
          key: values.SPEECH_B_API_KEY,
          baseUrl: withoutSlash(values.SPEECH_B_BASE_URL),
          transcribeModel: values.SPEECH_B_TRANSCRIBE_MODEL,
          speechModel: values.SPEECH_B_SPEECH_MODEL,
        }
      : undefined,
    c,
    tokenSeconds: values.SPEECH_TOKEN_SECONDS,
    timeoutMillis: values.SPEECH_TIMEOUT_MILLIS,
    transcribeTimeoutMillis: values.SPEECH_TRANSCRIBE_TIMEOUT_MILLIS,
    proxy,
  };
}

function parseProviderC(
  values: z.infer<z.ZodObject<typeof speechSettings>>,
): SpeechSettings['c'] | 'voiceless' {
  if (!values.SPEECH_C_API_KEY) return undefined;
  if (!values.SPEECH_C_SPEECH_VOICE) return 'voiceless';
  const defaults = DRIVER_DEFAULTS[values.SPEECH_C_DRIVER];
  return {
    key: values.SPEECH_C_API_KEY,
    baseUrl: withoutSlash(values.SPEECH_C_BASE_URL ?? defaults.baseUrl),
    driver: values.SPEECH_C_DRIVER,
    speechModel: values.SPEECH_C_SPEECH_MODEL ?? defaults.speechModel,
    voiceId: values.SPEECH_C_SPEECH_VOICE,
  };
}

/** Tells whether an address is encrypted or local, because API keys are sent to it. */
function isSafeAddress(text: string): boolean {
  const url = URL.parse(text);
  if (!url) return false;
  const { protocol, hostname, username, password, search, hash } = url;
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  const isPrivate = protocol === 'https:' || (protocol === 'http:' && isLocal);
  return isPrivate && username === '' && password === '' && search === '' && hash === '';
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}

function wholeNumber(min: number, max: number, defaults: number) {
  return z.coerce.number().int().min(min).max(max).default(defaults);
}
