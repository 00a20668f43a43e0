import {
  bearerOf,
  type FakeProvider,
  type Given,
  json,
  jsonIn,
  mp3Saying,
  openFakeProvider,
  type Seen,
} from './fake-provider.ts';

export const OPENAI_KEY = 'sk-proj-of-a-fake-0123456789';
export const OPENAI_HEARD = 'How do I reset my password?';

export type FakeOpenAi = FakeProvider & { env: Readonly<Record<string, string>> };

const SECRET = /^ek_[0-9a-f]{32}$/;

/**
 * Fake OpenAI API: realtime secrets and calls, transcription and speech, as since the end of the
 * Realtime beta.
 */
export async function openFakeOpenAi(): Promise<FakeOpenAi> {
  const fake = await openFakeProvider({
    key: OPENAI_KEY,
    credentialOf: bearerOf,
    // `answer` rejects a secret anywhere but on calls.
    knows: (credential) => SECRET.test(credential),
    error: (status, quoted) => ({
      error: {
        message: `Incorrect API key provided: ${quoted}`,
        type: status === 401 ? 'invalid_request_error' : 'server_error',
        param: null,
        code: status === 401 ? 'invalid_api_key' : status === 429 ? 'rate_limit_exceeded' : null,
      },
    }),
    answer(seen, credential) {
      const isSecret = SECRET.test(credential);
      if (seen.method !== 'POST') return undefined;
      if (seen.path === '/v1/realtime/calls') return call(seen);
      if (isSecret) return undefined;
      if (seen.path === '/v1/realtime/client_secrets') return secret(jsonIn(seen));
      if (seen.path === '/v1/audio/transcriptions') return transcription(seen);
      if (seen.path === '/v1/audio/speech') return speech(jsonIn(seen));
      return undefined;
    },
  });
  return Object.assign(fake, {
    env: {
      SPEECH_A_API_KEY: OPENAI_KEY,
      SPEECH_A_BASE_URL: `${fake.url}/v1`,
      SPEECH_A_SPEECH_MODEL: 'a-speech-model',
    },
  });
}

function secret(body: Record<string, unknown>): Given | undefined {
  const { seconds = 600, anchor } = (body.expires_after ?? {}) as { seconds?: number; anchor?: string };
  const session = body.session as { type?: string } | undefined;
  if (seconds < 10 || seconds > 7200 || (anchor && anchor !== 'created_at'))
    return unacceptable('expires_after');
  if (session?.type !== 'transcription' && session?.type !== 'realtime') return unacceptable('session.type');
  return json({
    value: `ek_${crypto.randomUUID().replaceAll('-', '')}`,
    expires_at: Math.floor(Date.now() / 1000) + seconds,
    session: { id: 'sess_of_a_fake', object: `realtime.${session.type}_session`, ...session, expires_at: 0 },
  });
}

/** Accepts a browser's offer of a call; no peer is behind the SDP answer. */
function call(seen: Seen): Given | undefined {
  const offer = seen.body.toString();
  if (seen.headers['content-type'] !== 'application/sdp' || !offer.startsWith('v=0'))
    return unacceptable('sdp');
  return {
    status: 201,
    headers: { 'content-type': 'application/sdp', location: '/v1/realtime/calls/rtc_of_a_fake' },
    parts: [offer.replaceAll('a=setup:actpass', 'a=setup:passive')],
  };
}

function transcription(seen: Seen): Given | undefined {
  const form = seen.body.toString('latin1');
  const hasFile = /name="file"; filename="[^"]+\.(flac|mp3|mp4|mpeg|mpga|m4a|ogg|wav|webm)"/.test(form);
  if (!seen.headers['content-type']?.startsWith('multipart/form-data') || !hasFile)
    return unacceptable('file');
  if (!form.includes('name="model"')) return unacceptable('model');
  return json({ text: OPENAI_HEARD, languages: [{ code: 'en' }], usage: { type: 'duration', seconds: 3 } });
}

function speech({ model, voice, input }: Record<string, unknown>): Given | undefined {
  if (typeof model !== 'string' || !voice) return unacceptable('voice');
  if (typeof input !== 'string' || input === '' || input.length > 4096) return unacceptable('input');
  return { headers: { 'content-type': 'audio/mpeg' }, parts: mp3Saying(input, 128) };
}

function unacceptable(param: string): Given {
  const error = { message: `Invalid ${param}`, type: 'invalid_request_error', param, code: 'invalid_value' };
  return { status: 400, parts: [JSON.stringify({ error })] };
}
