import {
  bearerOf,
  type FakeProvider,
  type Given,
  json,
  jsonIn,
  mp3Saying,
  openFakeProvider,
} from './fake-provider.ts';

export const CARTESIA_KEY = 'sk_car_of_a_fake_0123456789';
export const CARTESIA_VOICE = '694f9389-aac1-45b6-b726-9d9369183238';

type FakeCartesia = FakeProvider & { env: Readonly<Record<string, string>> };

/** Fake Cartesia API: speech and client tokens. */
export async function openFakeCartesia(): Promise<FakeCartesia> {
  const fake = await openFakeProvider({
    key: CARTESIA_KEY,
    credentialOf: bearerOf,
    error: (status, quoted) => ({
      error_code: status === 401 ? 'invalid_api_key' : 'concurrency_limited',
      title: 'No',
      message: `Not so: ${quoted}`,
      request_id: 'req_of_a_fake',
    }),
    answer(seen) {
      const isDated = /^\d{4}-\d{2}-\d{2}$/.test(String(seen.headers['cartesia-version']));
      if (seen.method !== 'POST' || !isDated) return undefined;
      if (seen.path === '/access-token') return json({ token: `car_${crypto.randomUUID()}` });
      return seen.path === '/tts/bytes' ? speech(jsonIn(seen)) : undefined;
    },
  });
  return Object.assign(fake, {
    env: {
      SPEECH_C_DRIVER: 'cartesia',
      SPEECH_C_API_KEY: CARTESIA_KEY,
      SPEECH_C_BASE_URL: fake.url,
      SPEECH_C_SPEECH_VOICE: CARTESIA_VOICE,
    },
  });
}

function speech({ model_id, transcript, voice, output_format }: Record<string, unknown>): Given {
  const voiceId = typeof voice === 'string' ? voice : (voice as { id?: string } | undefined)?.id;
  const { container } = (output_format ?? {}) as { container?: string };
  if (
    typeof model_id !== 'string' ||
    typeof transcript !== 'string' ||
    transcript === '' ||
    container !== 'mp3'
  ) {
    return unacceptable(400, 'invalid_request');
  }
  if (voiceId !== CARTESIA_VOICE) return unacceptable(404, 'voice_not_found');
  return { headers: { 'content-type': 'audio/mpeg' }, parts: mp3Saying(transcript, 128) };
}

function unacceptable(status: number, error_code: string): Given {
  const error = { error_code, title: 'No', message: 'Not so', request_id: 'req_of_a_fake' };
  return { status, parts: [JSON.stringify(error)] };
}
