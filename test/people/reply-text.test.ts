import { describe, expect, it } from 'vitest';
import { readReplyText } from '../../server/people/reply-text.ts';

const SENDER = 'guide@shop.example';
const read = (text: string) => readReplyText({ text, html: '' }, SENDER);
const MAIL = '##--## Write your answer above this line. ##--##\n\nAda asked:\n\n-- \nSent by Guidepost.';
const QUOTED = MAIL.replace(/^/gm, '> ');

describe('the text of a reply by mail', () => {
  it.each([
    ['Gmail', `Tomorrow.\n\nOn Sat, Nov 28, 2026 at 10:42 AM Guidepost <\n${SENDER}> wrote:\n\n${QUOTED}`],
    [
      'Gmail in French',
      `Tomorrow.\n\nLe sam. 28 nov. 2026 à 10:42, Guidepost <${SENDER}> a écrit :\n\n${QUOTED}`,
    ],
    ['Apple Mail', `Tomorrow.\n\n> On 28. Nov 2026, at 10:42, Guidepost <${SENDER}> wrote:\n> \n${QUOTED}`],
    ['Thunderbird in Japanese', `Tomorrow.\n\n2026/11/28 10:42、Guidepost のメール:\n${QUOTED}`],
    [
      'Outlook',
      `Tomorrow.\n\nFrom: Guidepost <${SENDER}>\nSent: Saturday\nTo: Desk\nSubject: Ada asks\n\n${MAIL}`,
    ],
    [
      'Outlook in German',
      `Tomorrow.\n________________________________\nVon: Guidepost <${SENDER}>\nAn: Desk\n\n${MAIL}`,
    ],
    ['an old Outlook', `Tomorrow.\n\n-----Ursprüngliche Nachricht-----\nVon: Guidepost\n\n${MAIL}`],
    ['a signature', `Tomorrow.\n\n-- \nAna\nA shop`],
    ['an answer below the quoted text', `On Sat, Nov 28, 2026, Guidepost wrote:\n${QUOTED}\n\nTomorrow.`],
    ['no quoted text', 'Tomorrow.\n'],
    ['line breaks of Windows', 'Tomorrow.\r\n\r\n\r\n\r\n'],
  ])('is found in a mail with %s', (_, text) => {
    expect(read(text)).toBe('Tomorrow.');
  });

  it('keeps its paragraphs, a greeting and lines that end with a colon', () => {
    const text = 'Hello Ada,\n\nthere are two ways:\n\n- by post\n- by train\n\nBest regards,\nAna';
    expect(read(`${text}\n\n${MAIL}`)).toBe(text);
    expect(read(text)).toBe(text);
  });

  it('is undefined where nobody wrote anything', () => {
    for (const text of ['', ' \n\u200b', QUOTED, `\n\n${MAIL}`]) expect(read(text)).toBeUndefined();
  });

  it('is found in time, whatever the mail has', () => {
    const startedAt = performance.now();
    const lines = ['\n', ' ', '> ', '-', '_', 'a: ', 'On a ', '\u0301', '-- \n', '1:\n', '##--## '];
    for (const line of lines) {
      read(line.repeat(1_000_000 / line.length));
      readReplyText({ text: '', html: `<p>${line.repeat(100_000)}` }, SENDER);
    }
    read('a\n'.repeat(20_000) + '>\n'.repeat(10_000));
    readReplyText({ text: '', html: '<b><i>'.repeat(200_000) }, SENDER);
    readReplyText({ text: '', html: '<table>'.repeat(200_000) }, SENDER);
    expect(performance.now() - startedAt).toBeLessThan(20_000);
  });
});
