import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  anArchiveAndAFolderForEach,
  archive,
  changed,
  cli,
  fileOf,
  folder,
  lineOf,
  lines,
  rowsLeft,
  set,
} from './installations.ts';

anArchiveAndAFolderForEach();

const without = (type: string) => changed(type, () => []);
/** The final count is correct, so only the duplicate is wrong. */
const twice = (type: string) =>
  changed(type, (line) => [line, line]).replace(/"lines":\d+/, `"lines":${lines.length}`);

describe('importing an invalid archive', () => {
  const OTHER = 'art_01kakv2fxse7wtg6x5r0h8rjbm';
  it.each([
    ['of a newer format', () => set('workspace', { format: 2 }), () => 'has the format 2'],
    ['without its workspace', () => without('workspace'), () => 'line 1, field type: expected an archive'],
    ['that is empty', () => '', () => 'line 1, field type'],
    ['with invalid JSON', () => `${lines[0]}\n{"type"`, () => 'line 2: expected a JSON object'],
    ['with a line of unknown type', () => set('member', { type: 'pigeon' }), () => 'line 2, field type'],
    [
      'with an unknown field',
      () => set('member', { wings: 2 }),
      () => 'line 2, field wings: expected a known field',
    ],
    ['with an invalid value', () => set('member', { role: 'king' }), () => 'line 2, field role'],
    ['with a second workspace', () => twice('workspace'), () => 'line 2, field type: expected one workspace'],
    ['with a duplicate member', () => twice('member'), () => 'line 3: expected something new'],
    ['with a gap in the consent log', () => without('consent_record'), () => 'line'],
    [
      'with a changed consent record',
      () =>
        changed('consent_record', ({ content, ...line }) => [
          { ...line, content: (content as string).replace('accepted', 'denied') },
        ]),
      () => `line ${lineOf('consent_record')}: expected an unbroken chain of evidence (hash_mismatch)`,
    ],
    [
      'with a consent log of another workspace',
      () => set('consent_record', { subjectId: 'sub_01kakv2fxse7wtg6x5r0h8rjbm' }),
      () => `line ${lineOf('consent_record')}, field subjectId`,
    ],
    [
      'with a missing revision',
      () => without('article_revision'),
      () => `line ${lineOf('article_revision')}`,
    ],
    [
      'with a revision of another article',
      () => set('article_revision', { articleId: OTHER }),
      () => `line ${lineOf('article_revision')}, field articleId: expected the id of the article above`,
    ],
    [
      'with a changed text',
      () => set('article_revision', { answer: 'Something else.' }),
      () => `line ${lineOf('article_revision')}, field contentHash`,
    ],
    [
      'with a translation of another article',
      () => set('translation', { articleId: OTHER }),
      () => `line ${lineOf('translation')}, field articleId`,
    ],
    [
      'with a turn of another conversation',
      () => set('turn', { conversationId: 'another' }),
      () => `line ${lineOf('turn')}, field conversationId`,
    ],
    [
      'with a rating of another turn',
      () => set('feedback', { messageId: 'msg_01kakv2fxse7wtg6x5r0h8rjbm' }),
      () => 'messageId',
    ],
    [
      'with details that are invalid JSON',
      () => set('audit', { details: '{{' }),
      () => 'field details: expected a JSON object',
    ],
    [
      'with a changed audit row',
      () => set('audit', { subject: OTHER }),
      () => `line ${lineOf('audit')}: expected an unbroken chain of audit rows (hash_mismatch)`,
    ],
    [
      'with a gap in the audit log',
      () => without('audit'),
      () => 'expected an unbroken chain of audit rows (link_broken)',
    ],
    ['that is truncated', () => lines.slice(0, -1).join('\n'), () => 'not whole'],
    ['with a missing line', () => without('event'), () => 'field lines'],
    [
      'with lines after the end line',
      () => `${archive}${lines.at(-1)}\n`,
      () => 'expected nothing after the last line',
    ],
    [
      'with lines in the wrong order',
      () => [lines[0], lines[lineOf('event') - 1], ...lines.slice(1)].join('\n'),
      () => 'line 3, field type: expected no member here any more',
    ],
  ])('rejects an archive %s and stores nothing', async (_, text, expected) => {
    const { code, stderr } = await cli.here(['workspace', 'import', fileOf(text())]);
    expect(stderr).toContain(expected());
    expect(code).toBe(1);
    expect(rowsLeft()).toEqual([]);
  });

  it('rejects a missing file', async () => {
    const { code, stderr } = await cli.here(['workspace', 'import', join(folder, 'nothing.ndjson')]);
    expect([code, stderr]).toEqual([1, expect.stringContaining('cannot be read: ENOENT')]);
  });
});
