import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../contract/limits.ts';
import { type Answer, answerOf, expectError } from '../fixtures/answer.ts';
import { USER_AGENT } from '../harness.ts';
import { connectTo, head, sendRaw } from '../http/raw.ts';
import { openVoice, type VoiceHarness } from './harness.ts';
import { waveFile } from './scripted-speech.ts';

const MIB = 1024 * 1024;
const listening = { provider_b: { transcribe: () => ({ text: 'Hello.', model: 'm' }) } };
const file = waveFile().toString('latin1');
const part = (name: string, content = file, more = '; filename="a.webm"') =>
  `--b\r\ncontent-disposition: form-data; name="${name}"${more}\r\ncontent-type: audio/webm\r\n\r\n${content}\r\n`;
const END = '--b--\r\n';

async function sender(harness: VoiceHarness) {
  const { jwt } = await harness.visitor();
  const authorization = `Bearer ${jwt}`;
  return (body: string, type = 'multipart/form-data; boundary=b'): Promise<Answer> =>
    answerOf(
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
    const { harness, first } = await opened({ 'content-length': String(LIMITS.audioBytesMax + 70 * 1024) });
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
    expect(sentBytes).toBeLessThan(LIMITS.audioBytesMax + 8 * MIB);
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
