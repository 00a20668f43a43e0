import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { CHAT_LIMITS } from '../../contract/limits/chat.ts';
import { VOICE_LIMITS } from '../../contract/limits/voice.ts';
import { USER_AGENT } from '../support/harness.ts';
import { connectTo, head, type RawConnection, sendRaw } from '../support/raw-connection.ts';
import { expectError, readResponse, type TestResponse } from '../support/response.ts';
import { openVoice, type VoiceHarness, waveFile } from '../support/voice-service.ts';

const MIB = 1024 * 1024;
const listening = { provider_b: { transcribe: () => ({ text: 'Hello.', model: 'm' }) } };
const file = waveFile().toString('latin1');
const part = (name: string, content = file, more = '; filename="a.webm"') =>
  `--b\r\ncontent-disposition: form-data; name="${name}"${more}\r\ncontent-type: audio/webm\r\n\r\n${content}\r\n`;
const END = '--b--\r\n';

async function sender(harness: VoiceHarness) {
  const { jwt } = await harness.visitor();
  const authorization = `Bearer ${jwt}`;
  return (body: string, type = 'multipart/form-data; boundary=b'): Promise<TestResponse> =>
    readResponse(
      harness.fetch('/transcribe', {
        method: 'POST',
        headers: { authorization, 'content-type': type },
        body,
      }),
    );
}

describe('multipart upload', () => {
  it.each([
    ['has it under another name', part('sound') + END, 'unrecognized_keys'],
    ['has it twice', part('audio') + part('audio') + END, 'repeated'],
    ['has something beside it', part('audio') + part('language', 'en', '') + END, 'unrecognized_keys'],
    ['has something before it', part('language', 'en', '') + part('audio') + END, 'unrecognized_keys'],
    ['has text instead of a file', part('audio', 'words', '') + END, 'no_file'],
    ['has nothing', END, 'missing'],
    ['has a part without a name', `--b\r\ncontent-type: audio/webm\r\n\r\n${file}\r\n${END}`, 'missing'],
    ['breaks off in the recording', part('audio').slice(0, 2000), 'invalid_form'],
    ['is no form at all', 'RIFF', 'invalid_form'],
    ['has more parts than anybody needs', part('x', '1', '').repeat(50) + END, 'unrecognized_keys'],
    [
      'has a head that never ends',
      `--b\r\ncontent-disposition: ${'x'.repeat(20_000)}\r\n\r\n${END}`,
      'missing',
    ],
  ])('rejects a form that %s', async (_how, body, code) => {
    const harness = await openVoice(listening);
    const { issues } = expectError(await (await sender(harness))(body), 'request/invalid');
    expect(issues?.map((issue) => issue.code)).toEqual([code]);
    expect(harness.speech.calls).toEqual([]);
  });

  it('accepts a valid form with or without an epilogue', async () => {
    const send = await sender(await openVoice(listening));
    for (const body of [part('audio') + END, `before\r\n${part('audio')}${END}after`]) {
      expect((await send(body)).json).toEqual({ text: 'Hello.', model: 'm' });
    }
    expect((await send(part('audio') + END, 'Multipart/Form-Data; Boundary="b"')).status).toBe(200);
  });

  it.each([
    'application/json',
    'multipart/mixed; boundary=b',
    'multipart/form-data',
    'multipart/form-data; boundary=',
    `multipart/form-data; boundary=${'b'.repeat(71)}`,
    'audio/webm',
  ])('rejects %s instead of a form', async (type) => {
    const send = await sender(await openVoice(listening));
    expectError(await send(part('audio') + END, type), 'request/unsupported_media_type');
  });
});

describe('oversized upload', () => {
  async function opened(headers: Record<string, string>) {
    const harness = await openVoice(listening);
    const { jwt } = await harness.visitor();
    const first = head('POST /transcribe HTTP/1.1', {
      origin: harness.origin,
      'user-agent': USER_AGENT,
      authorization: `Bearer ${jwt}`,
      'content-type': 'multipart/form-data; boundary=b',
      ...headers,
    });
    return { harness, first };
  }

  it('is rejected by its Content-Length before the body', async () => {
    const { harness, first } = await opened({
      'content-length': String(VOICE_LIMITS.audioBytesMax + 70 * 1024),
    });
    expect(await sendRaw(harness.baseUrl, first)).toMatch(/^HTTP\/1\.1 413 .*"voice\/audio_too_large"/s);
  });

  it.each([
    ['in its recording', part('audio', '').replace(/\r\n$/, '')],
    ['before any part', ''],
    ['in the head of a part', '--b\r\ncontent-disposition: form-data; name="audio"; filename="'],
  ])('is aborted early when it never ends %s', async (_where, beginning) => {
    const { harness, first } = await opened({ 'transfer-encoding': 'chunked' });
    const connection = connectTo(harness.baseUrl);
    const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
    connection.socket.write(first + (beginning && chunk(beginning)));
    const filler = chunk('x'.repeat(256 * 1024));
    let sentBytes = 0;
    while (!connection.isClosed() && sentBytes < 40 * MIB) {
      if (connection.socket.write(filler)) await pause(1);
      else
        await Promise.race([
          new Promise((go) => connection.socket.once('drain', go)),
          connection.closed(2000),
        ]);
      sentBytes += 256 * 1024;
    }
    expect(connection.received()).toMatch(/^HTTP\/1\.1 4(13|00) /);
    expect(connection.isClosed()).toBe(true);
    // Kernel buffers on both ends count as sent although unread.
    expect(sentBytes).toBeLessThan(VOICE_LIMITS.audioBytesMax + 8 * MIB);
    expect((await harness.fetch('/healthz')).status).toBe(200);
  });

  it('is rejected before the body without a token', async () => {
    const { harness } = await opened({});
    const text = await sendRaw(
      harness.baseUrl,
      head('POST /transcribe HTTP/1.1', {
        'transfer-encoding': 'chunked',
        'content-type': 'multipart/form-data; boundary=b',
      }),
    );
    expect(text).toMatch(/^HTTP\/1\.1 401 /);
  });
});

const ROOM = 3 * CHAT_LIMITS.chatArrivingBytesMax;
/** The share of the budget that one network, as in a test, may hold, including the chunk that reaches it. */
const ROOM_OF_NETWORK = ROOM / 2 + 64 * 1024;
const TOKEN = 'a-long-metrics-token';
const BEGINNING =
  '--b\r\ncontent-disposition: form-data; name="audio"; filename="a.wav"\r\ncontent-type: audio/wav\r\n\r\n';

/** Returns the upload bytes in memory, read from the metrics. */
async function heldBy(harness: VoiceHarness): Promise<number> {
  const headers = { authorization: `Bearer ${TOKEN}` };
  const text = await (await harness.fetch('/metrics', { headers })).text();
  return Number(/^guidepost_held\{resource="body_bytes"\} (\S+)$/m.exec(text)?.[1]);
}

const chunk = (bytes: number) => `${bytes.toString(16)}\r\n${'x'.repeat(bytes)}\r\n`;

/** Opens an upload that the test continues as slowly as it wants, of unknown length by default. */
async function slowSender(harness: VoiceHarness, length?: number): Promise<RawConnection> {
  const { jwt } = await harness.visitor();
  const connection = connectTo(harness.baseUrl);
  connection.socket.write(
    head('POST /transcribe HTTP/1.1', {
      origin: harness.origin,
      'user-agent': USER_AGENT,
      authorization: `Bearer ${jwt}`,
      'content-type': 'multipart/form-data; boundary=b',
      ...(length === undefined ? { 'transfer-encoding': 'chunked' } : { 'content-length': String(length) }),
    }),
  );
  const first = length === undefined ? `${BEGINNING.length.toString(16)}\r\n${BEGINNING}\r\n` : BEGINNING;
  connection.socket.write(first);
  return connection;
}

async function send(harness: VoiceHarness, file: Buffer): Promise<TestResponse> {
  const { jwt } = await harness.visitor();
  const body = new FormData();
  body.append('audio', new Blob([file as Uint8Array<ArrayBuffer>]), 'a.wav');
  const headers = { authorization: `Bearer ${jwt}` };
  return readResponse(harness.fetch('/transcribe', { method: 'POST', headers, body }));
}
describe('upload memory budget', () => {
  const transcribing = { provider_b: { transcribe: () => ({ text: 'Hello.', model: 'm', seconds: 1 }) } };
  const FILE_END = `\r\n${END}`;

  const open = (
    providers: Parameters<typeof openVoice>[0] = transcribing,
    env: Record<string, string> = {},
  ) =>
    openVoice(
      providers,
      { monthlySecondsMax: 100_000_000 },
      { env: { BODY_BYTES_MAX: String(ROOM), METRICS_TOKEN: TOKEN, ...env } },
    );

  it('bounds the memory of a hundred slow uploads', async () => {
    const harness = await open();
    const senders: RawConnection[] = [];
    for (let at = 0; at < 100; at += 1) senders.push(await slowSender(harness));
    let most = 0;
    for (let round = 0; round < 8; round += 1) {
      for (const { socket, isClosed } of senders) if (!isClosed()) socket.write(chunk(64 * 1024));
      await pause(20);
      most = Math.max(most, await heldBy(harness));
    }
    expect(most).toBeLessThanOrEqual(ROOM_OF_NETWORK);
    expect(most).toBeGreaterThan(ROOM_OF_NETWORK / 2);
    const rejected = senders.filter(({ received }) => received() !== '');
    expect(rejected.length).toBeGreaterThan(0);
    expect(rejected.length).toBeLessThan(senders.length);
    for (const { received } of rejected) {
      expect(received()).toMatch(/^HTTP\/1\.1 503 .*retry-after: 5\r\n.*"server\/overloaded"/is);
    }
    for (const { socket } of senders) socket.destroy();
    await expect.poll(() => heldBy(harness)).toBe(0);
    expect((await send(harness, waveFile())).status).toBe(200);
  });

  it('reserves no memory for a large Content-Length alone', async () => {
    const harness = await open();
    const idle: RawConnection[] = [];
    for (let at = 0; at < 20; at += 1) idle.push(await slowSender(harness, VOICE_LIMITS.audioBytesMax));
    expect((await send(harness, waveFile(4 * MIB))).status).toBe(200);
    for (const { socket } of idle) socket.destroy();
  });

  it('rejects uploads by Content-Length until memory is free', async () => {
    const harness = await open();
    const senders = [await slowSender(harness), await slowSender(harness)];
    for (const { socket } of senders) for (let sent = 0; sent < 8; sent += 1) socket.write(chunk(MIB));
    await expect.poll(() => heldBy(harness)).toBeGreaterThan(16 * MIB);
    const rejected = await send(harness, waveFile(4 * MIB));
    expect(expectError(rejected, 'server/overloaded').retryAfterSec).toBe(5);
    expect(rejected.headers.get('retry-after')).toBe('5');
    expect((await send(harness, waveFile(MIB))).status).toBe(200);
    for (const { socket } of senders) socket.destroy();
    await expect.poll(() => heldBy(harness)).toBe(0);
    expect((await send(harness, waveFile(4 * MIB))).status).toBe(200);
  });

  it('aborts a silent upload but not a slow one', async () => {
    const harness = await open(transcribing, { BODY_SILENCE_MILLIS: '400' });
    const [silent, slow] = [await slowSender(harness), await slowSender(harness)];
    silent.socket.write(chunk(MIB));
    for (let sent = 0; sent < 8; sent += 1) {
      slow.socket.write(chunk(64 * 1024));
      await pause(100);
    }
    expect([silent.isClosed(), slow.isClosed()]).toEqual([true, false]);
    expect(silent.received()).toBe('');
    await expect.poll(() => heldBy(harness)).toBeLessThan(MIB);
    slow.socket.destroy();
    await expect.poll(() => heldBy(harness)).toBe(0);
  });

  it('does not abort an upload that waits for a provider', async () => {
    const slowly = {
      provider_b: {
        transcribe: async () => {
          await pause(600);
          return { text: 'Hello.', model: 'm', seconds: 1 };
        },
      },
    };
    const harness = await open(slowly, { BODY_SILENCE_MILLIS: '200' });
    expect((await send(harness, waveFile())).status).toBe(200);
  });

  it('holds memory during transcription and releases it when the caller disconnects', async () => {
    const harness = await open({ provider_b: { transcribe: 'hang' } });
    const hangUp = new AbortController();
    const hanging = async () => {
      const { jwt } = await harness.visitor();
      const body = new FormData();
      body.append('audio', new Blob([waveFile(9 * MIB)]), 'a.wav');
      const headers = { authorization: `Bearer ${jwt}` };
      return harness.fetch('/transcribe', { method: 'POST', headers, body, signal: hangUp.signal });
    };
    const sending = [hanging(), hanging()];
    await expect.poll(() => harness.speech.calls.length).toBe(2);
    expect(await heldBy(harness)).toBeGreaterThan(18 * MIB);
    expectError(await send(harness, waveFile(6 * MIB)), 'server/overloaded');
    hangUp.abort();
    for (const request of sending) await expect(request).rejects.toThrow();
    await expect.poll(() => heldBy(harness)).toBe(0);
  });

  it('releases all memory after success, rejection and abort', async () => {
    const harness = await open();
    expect((await send(harness, waveFile(2 * MIB))).status).toBe(200);
    expectError(await send(harness, Buffer.alloc(MIB)), 'voice/unsupported_audio');
    const sender = await slowSender(harness);
    sender.socket.write(`${FILE_END.length.toString(16)}\r\n${FILE_END}\r\n0\r\n\r\n`);
    await sender.until(/^HTTP\/1\.1 415 /);
    await expect.poll(() => heldBy(harness)).toBe(0);
    expect((await send(harness, waveFile(VOICE_LIMITS.audioBytesMax - 44))).status).toBe(200);
    await expect.poll(() => heldBy(harness)).toBe(0);
  });
});
