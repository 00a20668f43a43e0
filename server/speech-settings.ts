import { z } from 'zod';

/** The settings of voice: which speech providers there are, where, and with which models. A provider without a key is switched off. */

/** A key goes into a header as it is. */
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
  SPEECH_A_API_KEY: key().describe(
    'Key of provider_a, which speaks the OpenAI API; it is not asked without one.',
  ),
  SPEECH_A_BASE_URL: address()
    .default('https://api.openai.com/v1')
    .describe('Where provider_a is, for us and for browsers that open a session there.'),
  SPEECH_A_REALTIME_MODEL: model()
    .default('gpt-live-transcribe')
    .describe('What provider_a listens with in a session of a browser.'),
  SPEECH_A_TRANSCRIBE_MODEL: model()
    .default('gpt-transcribe')
    .describe('What provider_a transcribes recordings with.'),
  SPEECH_A_SPEECH_MODEL: model()
    .optional()
    .describe('What provider_a speaks with; it is not asked to speak without one.'),
  SPEECH_A_SPEECH_VOICE: voice()
    .default('alloy')
    .describe('The voice of provider_a where neither the request nor the workspace names one.'),
  SPEECH_B_API_KEY: key().describe(
    'Key of provider_b, which speaks the Deepgram API; it is not asked without one.',
  ),
  SPEECH_B_BASE_URL: address()
    .default('https://api.deepgram.com')
    .describe('Where provider_b is, for us and for browsers that open a session there.'),
  SPEECH_B_TRANSCRIBE_MODEL: model()
    .default('nova-3')
    .describe('What provider_b listens with, in sessions and recordings.'),
  SPEECH_B_SPEECH_MODEL: model()
    .default('aura-2-thalia-en')
    .describe('What provider_b speaks with where neither the request nor the workspace names a voice.'),
  SPEECH_C_DRIVER: z
    .enum(['elevenlabs', 'cartesia'])
    .default('elevenlabs')
    .describe('Whose API provider_c speaks.'),
  SPEECH_C_API_KEY: key().describe('Key of provider_c, which only speaks; it is not asked without one.'),
  SPEECH_C_BASE_URL: address()
    .optional()
    .describe("Where provider_c is; its driver's own address when not set."),
  SPEECH_C_SPEECH_MODEL: model()
    .optional()
    .describe(
      'What provider_c speaks with; `eleven_flash_v2_5` or `sonic-3.5`, by its driver, when not set.',
    ),
  SPEECH_C_SPEECH_VOICE: voice()
    .optional()
    .describe(
      'The voice of provider_c where neither the request nor the workspace names one; needed with its key.',
    ),
  SPEECH_TOKEN_SECONDS: whole(10, 600, 60).describe(
    'How long a browser may take to open a session with the token that it got.',
  ),
  SPEECH_TIMEOUT_MILLIS: whole(10, 120_000, 10_000).describe(
    'How long a provider may take for a token, for the first sound of speech, and between its parts.',
  ),
  SPEECH_TRANSCRIBE_TIMEOUT_MILLIS: whole(10, 600_000, 60_000).describe(
    'How long a provider may take to transcribe a recording.',
  ),
};

export type ProviderSettings = {
  readonly key: string;
  /** Without a slash at its end. */
  readonly baseUrl: string;
};

export type SpeechSettings = {
  readonly a:
    | (ProviderSettings & {
        readonly realtimeModel: string;
        readonly transcribeModel: string;
        readonly speechModel?: string;
        readonly voiceId: string;
      })
    | undefined;
  readonly b:
    | (ProviderSettings & { readonly transcribeModel: string; readonly speechModel: string })
    | undefined;
  readonly c:
    | (ProviderSettings & {
        readonly driver: 'elevenlabs' | 'cartesia';
        readonly speechModel: string;
        readonly voiceId: string;
      })
    | undefined;
  readonly tokenSeconds: number;
  readonly timeoutMillis: number;
  readonly transcribeTimeoutMillis: number;
};

const DRIVER_DEFAULTS = {
  elevenlabs: { baseUrl: 'https://api.elevenlabs.io', speechModel: 'eleven_flash_v2_5' },
  cartesia: { baseUrl: 'https://api.cartesia.ai', speechModel: 'sonic-3.5' },
};

/** What the environment says about voice; answers with a sentence about what is missing. */
export function parseSpeechSettings(
  set: z.infer<z.ZodObject<typeof speechSettings>>,
): SpeechSettings | string {
  const c = providerC(set);
  if (c === 'voiceless') return 'SPEECH_C_SPEECH_VOICE: provider_c needs a voice to speak with';
  return {
    a: set.SPEECH_A_API_KEY
      ? {
          key: set.SPEECH_A_API_KEY,
          baseUrl: withoutSlash(set.SPEECH_A_BASE_URL),
          realtimeModel: set.SPEECH_A_REALTIME_MODEL,
          transcribeModel: set.SPEECH_A_TRANSCRIBE_MODEL,
          ...(set.SPEECH_A_SPEECH_MODEL ? { speechModel: set.SPEECH_A_SPEECH_MODEL } : {}),
          voiceId: set.SPEECH_A_SPEECH_VOICE,
        }
      : undefined,
    b: set.SPEECH_B_API_KEY
      ? {
          key: set.SPEECH_B_API_KEY,
          baseUrl: withoutSlash(set.SPEECH_B_BASE_URL),
          transcribeModel: set.SPEECH_B_TRANSCRIBE_MODEL,
          speechModel: set.SPEECH_B_SPEECH_MODEL,
        }
      : undefined,
    c,
    tokenSeconds: set.SPEECH_TOKEN_SECONDS,
    timeoutMillis: set.SPEECH_TIMEOUT_MILLIS,
    transcribeTimeoutMillis: set.SPEECH_TRANSCRIBE_TIMEOUT_MILLIS,
  };
}

function providerC(set: z.infer<z.ZodObject<typeof speechSettings>>): SpeechSettings['c'] | 'voiceless' {
  if (!set.SPEECH_C_API_KEY) return undefined;
  if (!set.SPEECH_C_SPEECH_VOICE) return 'voiceless';
  const usual = DRIVER_DEFAULTS[set.SPEECH_C_DRIVER];
  return {
    key: set.SPEECH_C_API_KEY,
    baseUrl: withoutSlash(set.SPEECH_C_BASE_URL ?? usual.baseUrl),
    driver: set.SPEECH_C_DRIVER,
    speechModel: set.SPEECH_C_SPEECH_MODEL ?? usual.speechModel,
    voiceId: set.SPEECH_C_SPEECH_VOICE,
  };
}

/** Keys go there: nobody between here and there may read them. */
function isSafeAddress(text: string): boolean {
  const url = URL.parse(text);
  if (!url) return false;
  const { protocol, hostname, username, password, search, hash } = url;
  const isHere = ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  const isPrivate = protocol === 'https:' || (protocol === 'http:' && isHere);
  return isPrivate && username === '' && password === '' && search === '' && hash === '';
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}

function whole(min: number, max: number, usual: number) {
  return z.coerce.number().int().min(min).max(max).default(usual);
}
