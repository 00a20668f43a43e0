import { type FakeProvider, type Given, json, jsonIn, mp3Saying, openFakeProvider } from './fake-provider.ts';

export const ELEVENLABS_KEY = 'sk_of_a_fake_0123456789abcdef';
export const ELEVENLABS_VOICE = 'JBFqnCBsd6RMkjVDRZzb';

type FakeElevenLabs = FakeProvider & { env: Readonly<Record<string, string>> };

const CHARS_MAX: Readonly<Record<string, number>> = {
  eleven_flash_v2_5: 40_000,
  eleven_multilingual_v2: 10_000,
};

/** Fake ElevenLabs API: streamed speech and single-use tokens. */
export async function openFakeElevenLabs(): Promise<FakeElevenLabs> {
  const fake = await openFakeProvider({
    key: ELEVENLABS_KEY,
    credentialOf: ({ headers }) => headers['xi-api-key']?.toString(),
    error: (status, quoted) => ({
      detail: { status: status === 401 ? 'invalid_api_key' : 'system_busy', message: `Not so: ${quoted}` },
    }),
    answer(seen) {
      if (seen.method !== 'POST') return undefined;
      if (/^\/v1\/single-use-token\/(realtime_scribe|batch_scribe|tts_websocket)$/.test(seen.path)) {
        return json({ token: `sutkn_${crypto.randomUUID()}` });
      }
      const [, voice] = /^\/v1\/text-to-speech\/([^/]+)\/stream$/.exec(seen.path) ?? [];
      return voice ? speech(voice, jsonIn(seen)) : undefined;
    },
  });
  return Object.assign(fake, {
    env: {
      SPEECH_C_API_KEY: ELEVENLABS_KEY,
      SPEECH_C_BASE_URL: fake.url,
      SPEECH_C_SPEECH_VOICE: ELEVENLABS_VOICE,
    },
  });
}

function speech(voice: string, { text, model_id }: Record<string, unknown>): Given {
  if (voice !== ELEVENLABS_VOICE) {
    const detail = { status: 'voice_not_found', message: `A voice with voice_id ${voice} was not found.` };
    return { status: 404, parts: [JSON.stringify({ detail })] };
  }
  const charsMax = CHARS_MAX[String(model_id)];
  if (typeof text !== 'string' || text === '' || !charsMax || text.length > charsMax) {
    const detail = [{ loc: ['body', 'text'], msg: 'not to be spoken', type: 'value_error' }];
    return { status: 422, parts: [JSON.stringify({ detail })] };
  }
  return { headers: { 'content-type': 'audio/mpeg' }, parts: mp3Saying(text, 128) };
}
