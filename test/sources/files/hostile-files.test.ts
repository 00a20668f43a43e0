import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { SOURCE_LIMITS } from '../../../contract/limits/sources.ts';
import type { SkipReason } from '../../../contract/source-fields.ts';
import { readFile } from '../../../server/sources/files/read-file.ts';
import { buildDocx, heading, paragraph } from './docx-file.ts';
import { buildPdf } from './pdf-file.ts';
import { buildZip, type ZipEntry } from './zip-file.ts';

const { signal } = new AbortController();
const options = { sourceLocale: 'en', nowMillis: Date.now(), signal };
const MIB = 1024 * 1024;

const GOOD: ZipEntry = { name: 'good.md', content: '# Good\n\nIt is read all the same.' };
const zipWith = (...entries: ZipEntry[]) => buildZip([...entries, GOOD]);
const text = Buffer.from;

/** Files, each with the name of its upload, which the refusal has to name, and the expected reason. */
const ALONE: readonly (readonly [what: string, name: string, bytes: () => Uint8Array, reason: SkipReason])[] =
  [
    ['an empty file', 'a.md', () => text(''), 'no_content'],
    ['a file of spaces', 'a.md', () => text('  \n\n  '), 'no_content'],
    ['an executable', 'setup.exe', () => text('MZ'), 'unsupported_type'],
    ['a file without a type', 'README', () => text('Hello'), 'unsupported_type'],
    ['an executable that is called text', 'a.txt', () => text('\x7fELF\x02\0\0\0'), 'unreadable'],
    ['NUL bytes', 'a.md', () => text('# A\n\nB\0C'), 'unreadable'],
    ['invalid UTF-8', 'a.md', () => Buffer.of(0x23, 0x20, 0x41, 0xff, 0xfe, 0xc3, 0x28), 'invalid_encoding'],
    ['a picture that is called PDF', 'a.pdf', () => text('\x89PNG\r\n\x1a\n'), 'unreadable'],
    ['aliases without end in front matter', 'a.md', () => text(buildAliasBomb()), 'invalid_article'],
    ['an answer that is too long', 'a.md', () => text(`# A\n\n${'word '.repeat(21_000)}`), 'invalid_article'],
    ['a table with an open quote', 'a.csv', () => text('title,answer\nA,"never closed\nB,C'), 'unreadable'],
    [
      'a table of a million columns',
      'a.csv',
      () => text(`title,answer${',x'.repeat(1e6)}\nA,B`),
      'too_large',
    ],
    ['a table without an answer', 'a.csv', () => text('question,other\nA,B'), 'unreadable'],
    ['deep nesting in HTML', 'a.html', () => text(`${'<div>'.repeat(1e5)}A`), 'too_deep'],
    ['no zip', 'a.zip', () => text('no zip'), 'unreadable'],
    ['a zip that was cut off', 'a.zip', () => buildZip([GOOD]).subarray(0, -30), 'unreadable'],
    ['an empty zip', 'a.zip', () => buildZip([]), 'no_content'],
    [
      'a zip of too many files',
      'a.zip',
      () => buildZip(countTo(SOURCE_LIMITS.zipFilesMax + 1)),
      'too_many_files',
    ],
    [
      'a zip that says that it unpacks to too much',
      'a.zip',
      () => zipWith(...countTo(5).map((entry) => ({ ...entry, claimedSize: 45 * MIB }))),
      'zip_bomb',
    ],
    [
      'a Word document that was cut off',
      'a.docx',
      () => buildDocx(paragraph('A')).subarray(0, 900),
      'unreadable',
    ],
    ['a zip that is called Word', 'a.docx', () => buildZip([GOOD]), 'unreadable'],
    [
      'entities without end in Word',
      'a.docx',
      () => buildDocx(paragraph('&c;'), { prolog: ENTITIES }),
      'unreadable',
    ],
    ['deep nesting in Word', 'a.docx', () => buildDocx(nest('w:smartTag', 50_000)), 'too_deep'],
    ['a Word document without text', 'a.docx', () => buildDocx(paragraph(' ')), 'no_content'],
    ['a PDF with a password', 'a.pdf', () => buildPdf([[[10, 'A']]], { trailer: ENCRYPTION }), 'encrypted'],
    ['a PDF that was cut off', 'a.pdf', () => buildPdf([[[10, 'A']]]).subarray(0, 200), 'unreadable'],
    ['a PDF without text', 'a.pdf', () => buildPdf([[]]), 'no_content'],
    [
      'a PDF of too many pages',
      'a.pdf',
      () => {
        const kids = '5 0 R '.repeat(SOURCE_LIMITS.pdfPagesMax + 1);
        const pageTree = `<< /Type /Pages /Count ${SOURCE_LIMITS.pdfPagesMax + 1} /Kids [${kids}] >>`;
        return buildPdf([[[10, 'A']]], { pageTree });
      },
      'too_many_pages',
    ],
    [
      'a PDF whose pages contain each other',
      'a.pdf',
      () => buildPdf([[[10, 'A']]], { pageTree: '<< /Type /Pages /Count 2 /Kids [2 0 R 2 0 R] >>' }),
      'unreadable',
    ],
  ];

/** Files of a zip that are refused, while their neighbor is read. */
const ZIPPED: readonly (readonly [what: string, entry: ZipEntry, reason: SkipReason])[] = [
  ['a path that leads out of the zip', { name: '../../etc/cron.d/job.md', content: 'A' }, 'invalid_path'],
  ['an absolute path', { name: '/etc/job.md', content: 'A' }, 'invalid_path'],
  ['a path of Windows', { name: 'C:\\Windows\\job.md', content: 'A' }, 'invalid_path'],
  ['control characters in a name', { name: 'a\u0007\n.md', content: 'A' }, 'invalid_path'],
  ['a name that is there twice', GOOD, 'duplicate'],
  ['an encrypted file', { name: 'secret.md', content: 'A', isEncrypted: true }, 'encrypted'],
  ['a symbolic link', { name: 'passwd.md', content: '/etc/passwd', mode: 0o120777 }, 'unsupported_type'],
  ['a zip in the zip', { name: 'inner.zip', content: buildZip([GOOD]) }, 'unsupported_type'],
  [
    'a file that is larger than the list says',
    { name: 'a.md', content: 'A'.repeat(MIB), claimedSize: 10 },
    'unreadable',
  ],
  ['a file that is too large', { name: 'a.md', content: 'A', claimedSize: 51 * MIB }, 'too_large'],
];

function countTo(count: number): ZipEntry[] {
  return Array.from({ length: count }, (_, at) => ({ name: `${at}.md`, content: 'A' }));
}

function buildAliasBomb(): string {
  const lines = 'abcdefghij'.split('').map((name, at, names) => {
    const before = names[at - 1];
    return `${name}: &${name} [${Array(10)
      .fill(before ? `*${before}` : 'x')
      .join(', ')}]`;
  });
  return `---\ntitle: A\n${lines.join('\n')}\n---\nB`;
}

const ENTITIES =
  '<!DOCTYPE w [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;">]>';
const ENCRYPTION = `/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <${'41'.repeat(32)}> /U <${'42'.repeat(32)}> >> /ID [<00> <00>]`;

const nest = (tag: string, depth: number) =>
  `<w:p>${`<${tag}>`.repeat(depth)}<w:r><w:t>A</w:t></w:r>${`</${tag}>`.repeat(depth)}</w:p>`;

describe('readFile refuses, with name and reason,', () => {
  it.each(ALONE)('%s', async (_, name, bytes, reason) => {
    const { documents, skipped } = await readFile({ name, bytes: bytes() }, options);
    expect(documents).toEqual([]);
    expect(skipped).toMatchObject([{ place: name, reason }]);
  });

  it.each(ZIPPED)('%s, and reads the file beside it', async (_, entry, reason) => {
    const { documents, skipped } = await readFile({ name: 'a.zip', bytes: zipWith(entry) }, options);
    expect(documents).toMatchObject([{ place: 'a.zip/good.md' }]);
    expect(skipped).toMatchObject([{ place: expect.stringMatching(/^a\.zip\//), reason }]);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters must not be shown
    expect(skipped[0]!.place).not.toMatch(/[\x00-\x1f]/);
  });

  it('lines of JSON that are too long or nest too deeply, and reads the one after them', async () => {
    const good = JSON.stringify({ slug: 'good', locale: 'en', title: 'Good', answer: 'Yes.' });
    const lines = [`"${'x'.repeat(33 * MIB)}"`, '['.repeat(MIB), good];
    const { documents, skipped } = await readFile(
      { name: 'a.jsonl', bytes: text(lines.join('\n')) },
      options,
    );
    expect(documents).toMatchObject([{ place: 'a.jsonl#good' }]);
    expect(skipped).toMatchObject([
      { place: 'a.jsonl#line-1', reason: 'too_large' },
      { place: 'a.jsonl#line-2', reason: 'invalid_article' },
    ]);
  });
});

/** Builds a page that takes minutes to draw nothing. */
function buildEndlessPdf(): Uint8Array {
  return buildPdf([[[10, 'A']]], { content: deflateSync(Buffer.alloc(100 * MIB, 'q Q ')) });
}

/** Builds a page that draws a form, which draws the next form ten times, and so on. */
function buildRecursivePdf(): Uint8Array {
  return buildPdf([[[10, 'A']]], { forms: 12 });
}

/** Builds a page whose content unpacks to a thousand times its size. */
function buildPdfBomb(): Uint8Array {
  return buildPdf([[[10, 'A']]], { content: deflateSync(Buffer.alloc(200 * MIB, ' ')) });
}

/** A little more memory than an ordinary page takes: these files need long to fill more. */
const LIMITED = { secondsMax: 60, uploadSecondsMax: 180, memoryBytesMax: 52 * MIB };

describe('a file that takes too much time or memory', () => {
  it('is refused for its time, and the file beside it is read in a new thread', async () => {
    const bytes = zipWith({ name: 'endless.pdf', content: buildEndlessPdf() });
    const limits = { ...LIMITED, secondsMax: 3, memoryBytesMax: SOURCE_LIMITS.readMemoryBytesMax };
    const { documents, skipped } = await readFile({ name: 'a.zip', bytes }, options, limits);
    expect(skipped).toEqual([{ place: 'a.zip/endless.pdf', reason: 'timeout' }]);
    expect(documents).toMatchObject([{ place: 'a.zip/good.md' }]);
  });

  it.each([
    ['unpacks to too much', buildPdfBomb],
    ['draws itself again and again', buildRecursivePdf],
  ])('is refused for its memory if it %s, while other work goes on', async (_, build) => {
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 10);
    const { skipped } = await readFile({ name: 'bomb.pdf', bytes: build() }, options, LIMITED);
    clearInterval(timer);
    expect(skipped).toEqual([{ place: 'bomb.pdf', reason: 'memory' }]);
    expect(turns).toBeGreaterThan(5);
    const after = await readFile(
      {
        name: 'a.docx',
        bytes: buildDocx(heading(1, 'A') + paragraph('It is read all the same, in a new thread.')),
      },
      options,
      LIMITED,
    );
    expect(after.documents).toHaveLength(1);
  });
});
