import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../contract/limits.ts';
import { type Answer, answerOf, expectError } from '../fixtures/answer.ts';
import { USER_AGENT } from '../harness.ts';
import { connectTo, head, type RawConnection } from '../http/raw.ts';
import { openVoice, type VoiceHarness } from './harness.ts';
import { waveFile } from './scripted-speech.ts';

/** Memory of concurrent and slow uploads is bounded. */

const MIB = 1024 * 1024;
const ROOM = 3 * LIMITS.chatArrivingBytesMax;
/** What the one network of a test may hold of it, with the chunk that reaches it. */
const ROOM_OF_NETWORK = ROOM / 2 + 64 * 1024;
const TOKEN = 'a-long-metrics-token';
const listening = { provider_b: { transcribe: () => ({ text: 'Hello.', model: 'm', seconds: 1 }) } };
const BEGINNING =
  '--b\r\ncontent-disposition: form-data; name="audio"; filename="a.wav"\r\ncontent-type: audio/wav\r\n\r\n';
const END = '\r\n--b--\r\n';

const open = (providers: Parameters<typeof openVoice>[0] = listening, env: Record<string, string> = {}) =>
  openVoice(
    providers,
    { monthlySecondsMax: 100_000_000 },
    { env: { BODY_BYTES_MAX: String(ROOM), METRICS_TOKEN: TOKEN, ...env } },
  );

/** Upload bytes in memory, read from the metrics. */
async function heldBy(harness: VoiceHarness): Promise<number> {
  const headers = { authorization: `Bearer ${TOKEN}` };
  const text = await (await harness.fetch('/metrics', { headers })).text();
  return Number(/^guidepost_held\{resource="body_bytes"\} (\S+)$/m.exec(text)?.[1]);
}

const chunk = (bytes: number) => `${bytes.toString(16)}\r\n${'x'.repeat(bytes)}\r\n`;

/** A client that uploads with unknown length, as slowly as the test wants. */
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

async function send(harness: VoiceHarness, file: Buffer): Promise<Answer> {
  const { jwt } = await harness.visitor();
  const body = new FormData();
  body.append('audio', new Blob([file as Uint8Array<ArrayBuffer>]), 'a.wav');
  const headers = { authorization: `Bearer ${jwt}` };
  return answerOf(harness.fetch('/transcribe', { method: 'POST', headers, body }));
}

describe('upload memory budget', () => {
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
    const refused = senders.filter(({ received }) => received() !== '');
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.length).toBeLessThan(senders.length);
    for (const { received } of refused) {
      expect(received()).toMatch(/^HTTP\/1\.1 503 .*retry-after: 5\r\n.*"server\/overloaded"/is);
    }
    for (const { socket } of senders) socket.destroy();
    await expect.poll(() => heldBy(harness)).toBe(0);
    expect((await send(harness, waveFile())).status).toBe(200);
  });

  it('reserves no memory for a large Content-Length alone', async () => {
    const harness = await open();
    const idle: RawConnection[] = [];
    for (let at = 0; at < 20; at += 1) idle.push(await slowSender(harness, LIMITS.audioBytesMax));
    expect((await send(harness, waveFile(4 * MIB))).status).toBe(200);
    for (const { socket } of idle) socket.destroy();
  });

  it('rejects uploads by Content-Length until memory is free', async () => {
    const harness = await open();
    const senders = [await slowSender(harness), await slowSender(harness)];
    for (const { socket } of senders) for (let sent = 0; sent < 8; sent += 1) socket.write(chunk(MIB));
    await expect.poll(() => heldBy(harness)).toBeGreaterThan(16 * MIB);
    const refused = await send(harness, waveFile(4 * MIB));
    expect(expectError(refused, 'server/overloaded').retryAfterSec).toBe(5);
    expect(refused.headers.get('retry-after')).toBe('5');
    expect((await send(harness, waveFile(MIB))).status).toBe(200);
    for (const { socket } of senders) socket.destroy();
    await expect.poll(() => heldBy(harness)).toBe(0);
    expect((await send(harness, waveFile(4 * MIB))).status).toBe(200);
  });

  it('aborts a silent upload but not a slow one', async () => {
    const harness = await open(listening, { BODY_SILENCE_MILLIS: '400' });
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
    for (const one of sending) await expect(one).rejects.toThrow();
    await expect.poll(() => heldBy(harness)).toBe(0);
  });

  it('releases all memory after success, rejection and abort', async () => {
    const harness = await open();
    expect((await send(harness, waveFile(2 * MIB))).status).toBe(200);
    expectError(await send(harness, Buffer.alloc(MIB)), 'voice/unsupported_audio');
    const sender = await slowSender(harness);
    sender.socket.write(`${END.length.toString(16)}\r\n${END}\r\n0\r\n\r\n`);
    await sender.until(/^HTTP\/1\.1 415 /);
    await expect.poll(() => heldBy(harness)).toBe(0);
    expect((await send(harness, waveFile(LIMITS.audioBytesMax - 44))).status).toBe(200);
    await expect.poll(() => heldBy(harness)).toBe(0);
  });
});
