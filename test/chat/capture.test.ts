import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CaptureTarget } from '../../contract/chat.ts';
import { CHAT_LIMITS } from '../../contract/limits/chat.ts';
import { cleanPage, isUsableScreenshot, readJpegSize } from '../../server/chat/capture.ts';
import { createActionFactory, createAnswerText } from '../../server/chat/events.ts';
import { cleanLabel, cleanText } from '../../server/sanitize/page-text.ts';
import { measureCpuMillis } from '../support/cpu-time.ts';
import { eventsOf, type Harness, openHarness, question } from '../support/harness.ts';
import { expectError, readResponse, type TestResponse } from '../support/response.ts';
import { fc } from '../support/seeded-random.ts';

const page = (targets: CaptureTarget[], digest = 'main') =>
  cleanPage({ url: new URL('https://shop.example.com/a?token=secret#x'), digest, capture: { targets } });

describe('cleanText and cleanLabel', () => {
  it.each([
    ['a tag-smuggled instruction', `Buy${String.fromCodePoint(0xe0049, 0xe0067, 0xe006e)} now`, 'Buy now'],
    ['zero-width spaces', 'pass\u200bword', 'password'],
    ['bidi overrides', 'abc\u202edef\u202c', 'abcdef'],
    ['bidi isolates', '\u2066abc\u2069', 'abc'],
    ['control characters', 'a\u0000b\u0007c\u001b[31m', 'abc[31m'],
    ['variation selector smuggling', `a${String.fromCodePoint(0xe0100, 0xe0101)}b`, 'ab'],
    ['private use characters', 'a\ue000b', 'ab'],
    ['Hangul fillers', 'a\u3164b', 'ab'],
    ['soft hyphens', 'pass\u00adword', 'password'],
    ['a lone surrogate', 'a\ud800b', 'a\ufffdb'],
    ['a loose joiner', 'a \u200d b', 'a b'],
    ['runs of blanks', 'a \t  b\r\n\r\n\r\n\r\nc', 'a b\n\nc'],
  ])('removes %s', (_what, dirty, clean) => {
    expect(cleanText(dirty, 100)).toBe(clean);
  });

  it.each([
    ['Persian with its non-joiner', 'می\u200cخواهم'],
    ['Devanagari with its joiner', 'क्\u200dष'],
    ['a family emoji', '👨\u200d👩\u200d👧'],
    ['an emoji with its presentation', '❤\ufe0f'],
    ['composed accents', 'é ü ñ'],
    ['Thai, Chinese and Arabic', 'สวัสดี 你好 مرحبا'],
  ])('keeps %s', (_what, text) => {
    expect(cleanText(text, 100)).toBe(text);
  });

  it.each([
    ['a blank', 'ab cd', 3, 'ab'],
    ['a blank before half a character', '\u{20000} \u{10000}', 4, '\u{20000}'],
    ['a joiner', '👨\u200d👩', 3, '👨'],
  ])('does not end with %s after a cut', (_what, text, max, clean) => {
    expect(cleanText(text, max)).toBe(clean);
  });

  it('returns bounded, well-formed and idempotent output for any input', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 300 }),
        fc.integer({ min: 0, max: 120 }),
        (text, max) => {
          const clean = cleanText(text, max);
          expect(clean.length).toBeLessThanOrEqual(max);
          expect(clean.isWellFormed()).toBe(true);
          // A second pass may only remove a replacement character at the cut.
          expect(cleanText(clean, max)).toBe(clean);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('takes linear time on large hostile text', async () => {
    const text = '\u200d'.repeat(3_000_000);
    expect(await measureCpuMillis(() => cleanText(text, CHAT_LIMITS.digestCharsKept))).toBeLessThan(5_000);
  });
});

describe('cleanPage', () => {
  it('removes query and fragment from the URL', () => {
    expect(page([]).url).toBe('https://shop.example.com/a');
  });

  it('keeps fifty unique targets and counts the rest', () => {
    const many = Array.from({ length: 80 }, (_, index) => ({ gp_id: `t${index % 70}`, name: 'Buy' }));
    expect(page(many).targets).toHaveLength(CHAT_LIMITS.targetsKept);
    expect(page(many).targetsDropped).toBe(30);
  });

  it.each([
    { gp_id: 'a', selector: 'input[type=password]', name: 'hunter2' },
    { gp_id: 'a', selector: '#otp[autocomplete=one-time-code]', name: '123456' },
    { gp_id: 'a', name: 'Card number', accessibility: { label: 'Credit card' } },
    { gp_id: 'a', selector: 'input[autocomplete=cc-csc]' },
  ])('drops a field for secrets: $selector $name', (target) => {
    expect(page([target]).targets).toEqual([]);
  });

  it('keeps a link whose label mentions a password', () => {
    expect(page([{ gp_id: 'a', role: 'link', name: 'Change password' }]).targets).toHaveLength(1);
  });

  it('drops a target whose id does not survive cleaning', () => {
    expect(page([{ gp_id: 'a\u202eb' }, { gp_id: 'x'.repeat(300) }]).targets).toEqual([]);
  });

  it('redacts only the values of sensitive fields in the digest', () => {
    const digest = 'h1 Pay\ninput[type=password] value="hunter2"\ninput[name=city] value="Bonn"';
    expect(page([], digest).digest).toBe(
      'h1 Pay\ninput[type=password] value=""\ninput[name=city] value="Bonn"',
    );
  });

  it('joins a label into one line', () => {
    expect(cleanLabel('Buy\n\n  now', 20)).toBe('Buy now');
  });
});

describe('createActionFactory', () => {
  const targets = page([{ gp_id: 'buy', name: 'Buy now', confidence: 0.7 }]).targets;
  const turn = { targets, origin: 'https://shop.example.com', allowed: true };
  const aim = { type: 'action', label: 'Buy now', reason: 'You asked' } as const;

  it('accepts targets of this turn only', () => {
    const propose = createActionFactory(turn);
    expect(propose({ ...aim, kind: 'highlight', gpId: 'buy' }, 0)).toMatchObject({
      target: { gp_id: 'buy', label: 'Buy now' },
    });
    expect(propose({ ...aim, kind: 'highlight', gpId: 'sell' }, 0)).toBeUndefined();
    expect(propose({ ...aim, kind: 'focus' }, 0)).toBeUndefined();
  });

  it.each([
    ['/help?topic=1', 'https://shop.example.com/help?topic=1'],
    ['https://shop.example.com/', 'https://shop.example.com/'],
    ['https://evil.example/', undefined],
    ['//evil.example/', undefined],
    ['https://shop.example.com@evil.example/', undefined],
    ['https://user:secret@shop.example.com/', undefined],
    ['javascript:alert(1)', undefined],
    ['data:text/html,x', undefined],
    ['http://shop.example.com/', undefined],
    ['\\\\evil.example\\a', undefined],
  ])("resolves %s only on the visitor's own origin", (url, allowed) => {
    expect(createActionFactory(turn)({ ...aim, kind: 'navigate', url }, 0)?.url).toBe(allowed);
  });

  it('requires confirmation for navigate and focus', () => {
    const propose = createActionFactory(turn);
    expect(propose({ ...aim, kind: 'navigate', url: '/a' }, 0)?.requires_confirmation).toBe(true);
    expect(propose({ ...aim, kind: 'focus', gpId: 'buy' }, 0)?.requires_confirmation).toBe(true);
  });

  it('allows three actions per turn, and none when actions are disabled', () => {
    const propose = createActionFactory(turn);
    const made = Array.from({ length: 5 }, () => propose({ ...aim, kind: 'highlight', gpId: 'buy' }, 0));
    expect(made.filter(Boolean)).toHaveLength(3);
    expect(
      createActionFactory({ ...turn, allowed: false })({ ...aim, kind: 'highlight', gpId: 'buy' }, 0),
    ).toBeUndefined();
  });
});

describe('isUsableScreenshot', () => {
  const jpeg = (width: number, height: number, padding = 0) =>
    Buffer.concat([
      Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0x00, 0x04, 0x00, 0x00]),
      Buffer.from([
        0xff,
        0xc0,
        0x00,
        0x0b,
        0x08,
        height >> 8,
        height & 255,
        width >> 8,
        width & 255,
        1,
        1,
        0x11,
        0,
      ]),
      Buffer.alloc(padding),
      Buffer.from([0xff, 0xd9]),
    ]);
  const usable = (data: Buffer | string, mime = 'image/jpeg') =>
    isUsableScreenshot({
      data: typeof data === 'string' ? data : data.toString('base64'),
      mime,
      width: 1,
      height: 1,
    });

  it('checks the bytes instead of the claimed type', () => {
    expect(readJpegSize(jpeg(800, 600))).toEqual({ width: 800, height: 600 });
    expect(usable(jpeg(800, 600))).toBe(true);
    expect(usable(jpeg(800, 600), 'image/png')).toBe(false);
    expect(usable(Buffer.from('<svg onload=alert(1)>'))).toBe(false);
    expect(usable(jpeg(800, 600).subarray(0, 20))).toBe(false);
    expect(usable(`data:image/jpeg;base64,${jpeg(8, 8).toString('base64')}`)).toBe(false);
    expect(usable('')).toBe(false);
  });

  it('rejects too many bytes or pixels', () => {
    expect(usable(jpeg(4096, 4096))).toBe(true);
    expect(usable(jpeg(4097, 10))).toBe(false);
    expect(usable(jpeg(0, 10))).toBe(false);
    expect(usable(jpeg(800, 600, CHAT_LIMITS.screenshotBytesMax))).toBe(false);
  });

  it('never throws, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        readJpegSize(Buffer.concat([Buffer.from([0xff, 0xd8]), bytes, Buffer.from([0xff, 0xd9])]));
      }),
    );
  });
});

describe('createAnswerText', () => {
  it('converts UTF-16 positions to code points', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme', maxLength: 20 })), (deltas) => {
        const answer = createAnswerText();
        for (const delta of deltas) answer.append(delta);
        expect(answer.length).toBe([...deltas.join('')].length);
        expect(answer.codePointsAt(answer.text.length)).toBe(answer.length);
      }),
    );
  });
});

const picture = (data: string, size = {}) => ({
  viewport_screenshot: { mime: 'image/jpeg', data, width: 8, height: 8, ...size },
});

const target = { gp_id: 'buy', role: 'button', name: 'Buy' };

describe('a large capture', () => {
  /** Large and malformed screenshots and targets are dropped; the question is still answered. */

  let harness: Harness;
  let jwt: string;
  beforeAll(async () => {
    harness = await openHarness();
    jwt = (await harness.boot()).jwt;
  });
  afterAll(() => harness.close());

  function send(body: Record<string, unknown>): Promise<TestResponse> {
    return readResponse(
      harness.fetch('/chat', { json: question(body), headers: { authorization: `Bearer ${jwt}` } }),
    );
  }

  it.each([
    ['of two megabytes', picture('A'.repeat(2_000_000))],
    ['larger than the rest of the body may be', picture('A'.repeat(CHAT_LIMITS.chatBodyBytesMax + 1))],
    ['of ten megabytes', picture('A'.repeat(10_000_000))],
    [
      'larger than the rest of the body may be, with quotes',
      picture('A"'.repeat(CHAT_LIMITS.chatBodyBytesMax / 2)),
    ],
    [
      'larger than the rest of the body may be, of numbers',
      { viewport_screenshot: Array(2_000_000).fill(1) },
    ],
    ['with a negative width', picture('/9j/2Q==', { width: -8 })],
    ['with a width over every limit', picture('/9j/2Q==', { width: 1e300 })],
    ['with a width that is a string', picture('/9j/2Q==', { width: '8' })],
    ['without data', { viewport_screenshot: { mime: 'image/jpeg', width: 8, height: 8 } }],
    ['with an unknown field', picture('/9j/2Q==', { quality: 1 })],
    ['that is a data URL', { viewport_screenshot: 'data:image/jpeg;base64,/9j/2Q==' }],
    ['that is null', { viewport_screenshot: null }],
    ['that is a list', { viewport_screenshot: [] }],
  ])('answers and drops a screenshot %s with a notice', async (_what, body) => {
    const { status, text } = await send(body);
    expect(status).toBe(200);
    const events = eventsOf(text);
    expect(events).toContainEqual(expect.objectContaining({ type: 'notice', code: 'screenshot_dropped' }));
    expect(events.at(-1)?.type).toBe('message_end');
  });

  it.each([
    ['no member', {}, {}],
    ['only a width', { width: 1024 }, { width: 1024 }],
    ['no pixel ratio', { width: 1024, height: 768 }, { height: 768 }],
  ])('answers when the sizes of the page have %s', async (_what, viewport, document) => {
    const { status, text } = await send({ viewport, document, capture_context: { viewport, document } });
    expect(status).toBe(200);
    expect(eventsOf(text).at(-1)?.type).toBe('message_end');
  });

  it.each([
    ['without an id', { targets: [target, { name: 'Sell' }] }, 1],
    ['that are not objects', { targets: [null, 'Sell', target, 7] }, 3],
    ['with an unknown field', { targets: [{ ...target, onclick: 'steal()' }] }, 1],
    ['with an invalid bounding box', { targets: [{ ...target, viewport_bbox: { x: 'left' } }] }, 1],
    ['with a confidence over 1', { targets: [{ ...target, confidence: 2 }] }, 1],
    ['that are not a list', { targets: 'all' }, 1],
    ['with the focus', { focused_target: { gp_id: 7 }, targets: [target] }, 1],
    ['beyond the limit', { targets: Array(20_000).fill({}) }, CHAT_LIMITS.targetsSentMax],
  ])('answers and drops malformed targets %s with a notice', async (_what, capture_context, dropped) => {
    const { status, text } = await send({ capture_context });
    expect(status).toBe(200);
    const events = eventsOf(text);
    const notice = { type: 'notice', code: 'targets_dropped', text: `${dropped} targets were not kept.` };
    expect(events).toContainEqual(expect.objectContaining(notice));
    expect(events.at(-1)?.type).toBe('message_end');
  });

  it.each([
    [
      'a screenshot larger than any body may be',
      picture('A'.repeat(CHAT_LIMITS.chatArrivingBytesMax)),
      'request/too_large',
    ],
    [
      'a digest that is too large',
      { dom_digest: 'x'.repeat(CHAT_LIMITS.chatBodyBytesMax) },
      'request/too_large',
    ],
    ['an unknown field', { viewport_picture: {} }, 'request/invalid'],
    ['an unknown field of the page context', { capture_context: { pages: [] } }, 'request/invalid'],
  ] as const)('rejects %s', async (_what, body, code) => {
    expectError(await send(body), code);
  });
});
