import Cartesia from '@cartesia/cartesia-js';
import { DeepgramClient } from '@deepgram/sdk';
import { ElevenLabsClient, ElevenLabsError } from '@elevenlabs/elevenlabs-js';
import OpenAI, { AuthenticationError, RateLimitError } from 'openai';
import { afterEach, describe, expect, it } from 'vitest';
import { CARTESIA_KEY, CARTESIA_VOICE, openFakeCartesia } from '../support/fake-speech/cartesia.ts';
import { DEEPGRAM_HEARD, DEEPGRAM_KEY, openFakeDeepgram } from '../support/fake-speech/deepgram.ts';
import { ELEVENLABS_KEY, ELEVENLABS_VOICE, openFakeElevenLabs } from '../support/fake-speech/elevenlabs.ts';
import type { FakeProvider } from '../support/fake-speech/fake-provider.ts';
import { readSpokenText } from '../support/fake-speech/fake-provider.ts';
import { OPENAI_HEARD, OPENAI_KEY, openFakeOpenAi } from '../support/fake-speech/openai.ts';

/**
 * Runs the official SDKs against our fakes, which proves that the fakes implement the real
 * protocols.
 */

const TEXT = 'You can return an order within thirty days.';
const recording = () =>
  new File([Buffer.from('the bytes of a recording')], 'audio.webm', { type: 'audio/webm' });

let fake: FakeProvider;
afterEach(() => fake.close());

describe('OpenAI SDK', () => {
  const open = async () => {
    fake = await openFakeOpenAi();
    return new OpenAI({ apiKey: OPENAI_KEY, baseURL: `${fake.url}/v1`, maxRetries: 0 });
  };

  it('gets a secret, a transcript and speech from the fake', async () => {
    const client = await open();
    const secret = await client.realtime.clientSecrets.create({
      expires_after: { anchor: 'created_at', seconds: 60 },
      session: {
        type: 'transcription',
        audio: { input: { transcription: { model: 'gpt-live-transcribe' } } },
      },
    });
    expect(secret.value).toMatch(/^ek_/);
    expect(secret.expires_at).toBeGreaterThan(Date.now() / 1000);
    const heard = await client.audio.transcriptions.create({ file: recording(), model: 'gpt-transcribe' });
    expect(heard.text).toBe(OPENAI_HEARD);
    const speech = await client.audio.speech.create({ model: 'a-model', voice: 'marin', input: TEXT });
    expect(readSpokenText(await speech.bytes())).toBe(TEXT);
  });

  it("recognizes the fake's errors", async () => {
    const client = await open();
    const ask = () => client.audio.speech.create({ model: 'a-model', voice: 'marin', input: TEXT });
    fake.fault = 'unauthorized';
    await expect(ask()).rejects.toThrow(AuthenticationError);
    fake.fault = 'busy';
    await expect(ask()).rejects.toThrow(RateLimitError);
  });

  it('opens a call with a secret or the key, and with nothing else', async () => {
    const client = await open();
    const session = { type: 'transcription' } as const;
    const { value } = await client.realtime.clientSecrets.create({ session });
    const call = (credential: string) =>
      fetch(`${fake.url}/v1/realtime/calls`, {
        method: 'POST',
        headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/sdp' },
        body: 'v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\na=setup:actpass\r\n',
      });
    const answered = await call(value);
    expect(answered.status).toBe(201);
    expect(answered.headers.get('content-type')).toBe('application/sdp');
    expect(answered.headers.get('location')).toMatch(/^\/v1\/realtime\/calls\//);
    expect(await answered.text()).toContain('a=setup:passive');
    expect((await call('ek_of_nobody')).status).toBe(401);
    const withSecret = new OpenAI({ apiKey: value, baseURL: `${fake.url}/v1`, maxRetries: 0 });
    await expect(withSecret.realtime.clientSecrets.create({ session })).rejects.toThrow();
  });
});

describe('Deepgram SDK', () => {
  const open = async (apiKey = DEEPGRAM_KEY) => {
    fake = await openFakeDeepgram();
    const live = fake.url.replace('http', 'ws');
    const environment = { base: fake.url, production: live, agent: live, agentRest: fake.url };
    return new DeepgramClient({ apiKey, environment, maxRetries: 0 });
  };

  it('gets a grant, a transcript and speech from the fake', async () => {
    const client = await open();
    const grant = await client.auth.v1.tokens.grant({ ttl_seconds: 60 });
    expect(grant).toMatchObject({ access_token: expect.stringMatching(/^ey/), expires_in: 60 });
    const heard = await client.listen.v1.media.transcribeFile(Buffer.from('a recording'), {
      model: 'nova-3',
    });
    expect(heard).toMatchObject({
      metadata: { duration: 2.5 },
      results: { channels: [{ alternatives: [{ transcript: DEEPGRAM_HEARD }] }] },
    });
    const speech = await client.speak.v1.audio.generate({ text: TEXT, model: 'aura-2-thalia-en' });
    expect(readSpokenText(new Uint8Array(await speech.arrayBuffer()))).toBe(TEXT);
  });

  it("recognizes the fake's errors", async () => {
    const client = await open('ffffffffffffffffffffffffffffffffffffffff');
    await expect(client.auth.v1.tokens.grant()).rejects.toMatchObject({ statusCode: 401 });
  });

  it('runs a live session', async () => {
    const client = await open();
    const socket = await client.listen.v1.connect({ model: 'nova-3', reconnectAttempts: 0 });
    const transcripts: string[] = [];
    let seconds = 0;
    const closed = new Promise((resolve) => socket.on('close', resolve));
    socket.on('message', (message) => {
      if (message.type === 'Results') transcripts.push(message.channel.alternatives[0]!.transcript);
      if (message.type === 'Metadata') seconds = message.duration;
    });
    socket.connect();
    await socket.waitForOpen();
    socket.sendMedia(Buffer.alloc(16_000));
    socket.sendCloseStream({ type: 'CloseStream' });
    await closed;
    expect(transcripts.at(-1)).toBe(DEEPGRAM_HEARD);
    expect(seconds).toBe(1);
  });

  it('runs a live session in a browser with a grant as subprotocol', async () => {
    const client = await open();
    const { access_token } = await client.auth.v1.tokens.grant();
    const url = `${fake.url.replace('http', 'ws')}/v1/listen?model=nova-3`;
    const socket = new WebSocket(url, ['bearer', access_token]);
    await new Promise((resolve) => socket.addEventListener('open', resolve));
    expect(socket.protocol).toBe('bearer');
    const first = new Promise<string>((resolve) =>
      socket.addEventListener('message', ({ data }) => resolve(String(data)), { once: true }),
    );
    socket.send(Buffer.alloc(8000));
    expect(JSON.parse(await first)).toMatchObject({ type: 'Results', is_final: false, duration: 0.5 });
    const closed = new Promise<number>((resolve) =>
      socket.addEventListener('close', ({ code }) => resolve(code)),
    );
    socket.send(JSON.stringify({ type: 'CloseStream' }));
    expect(await closed).toBe(1000);
    const foreign = new WebSocket(url, ['bearer', 'of-nobody']);
    await new Promise((resolve) => foreign.addEventListener('error', resolve));
    expect(foreign.readyState).toBe(WebSocket.CLOSED);
  });
});

describe('ElevenLabs SDK', () => {
  const open = async () => {
    fake = await openFakeElevenLabs();
    return new ElevenLabsClient({ apiKey: ELEVENLABS_KEY, baseUrl: fake.url, maxRetries: 0 });
  };

  it('gets streamed speech and a single-use token', async () => {
    const client = await open();
    const speech = await client.textToSpeech.stream(ELEVENLABS_VOICE, {
      text: TEXT,
      modelId: 'eleven_flash_v2_5',
      outputFormat: 'mp3_44100_128',
    });
    expect(readSpokenText(new Uint8Array(await new Response(speech as ReadableStream).arrayBuffer()))).toBe(
      TEXT,
    );
    expect((await client.tokens.singleUse.create('realtime_scribe')).token).toMatch(/^sutkn_/);
  });

  it("recognizes the fake's errors", async () => {
    const client = await open();
    const stream = client.textToSpeech.stream('AnotherVoice12345678', { text: TEXT });
    await expect(stream).rejects.toThrow(ElevenLabsError);
    fake.fault = 'busy';
    await expect(client.tokens.singleUse.create('batch_scribe')).rejects.toMatchObject({ statusCode: 429 });
  });
});

describe('Cartesia SDK', () => {
  const open = async () => {
    fake = await openFakeCartesia();
    return new Cartesia({ apiKey: CARTESIA_KEY, baseURL: fake.url, maxRetries: 0 });
  };

  it('gets speech and a token', async () => {
    const client = await open();
    const speech = await client.tts.generate({
      model_id: 'sonic-3.5',
      transcript: TEXT,
      voice: CARTESIA_VOICE,
      output_format: { container: 'mp3', sample_rate: 44_100, bit_rate: 128_000 },
    });
    expect(readSpokenText(new Uint8Array(await speech.arrayBuffer()))).toBe(TEXT);
    expect((await client.accessToken.create({ expires_in: 60, grants: { tts: true } })).token).toMatch(
      /^car_/,
    );
  });

  it("recognizes the fake's errors", async () => {
    const client = await open();
    fake.fault = 'unauthorized';
    await expect(client.accessToken.create({})).rejects.toThrow(Cartesia.AuthenticationError);
  });
});
