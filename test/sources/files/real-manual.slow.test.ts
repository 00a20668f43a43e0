import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { extractText } from 'unpdf';
import { expect, it } from 'vitest';
import { findAddress } from '../../../server/knowledge/answer/lines.ts';
import { readFile } from '../../../server/sources/files/read-file.ts';

const LONG_LINE = 60;

/** Part of the Debian package `valgrind`: 380 pages with an outline. */
const MANUAL = '/usr/share/doc/valgrind/valgrind_manual.pdf.gz';

it.runIf(existsSync(MANUAL))(
  'reads a manual of hundreds of pages by its chapters, and cites lines at their pages',
  async () => {
    const bytes = gunzipSync(readFileSync(MANUAL));
    const { signal } = new AbortController();
    const { documents, skipped } = await readFile(
      { name: 'manual.pdf', bytes },
      { sourceLocale: 'en', nowMillis: Date.now(), baseUrl: 'https://shop.example.com/', signal },
    );
    expect(skipped).toEqual([]);
    expect(documents.length).toBeGreaterThan(150);
    expect(new Set(documents.map(({ place }) => place)).size).toBe(documents.length);
    const errors = documents.find(({ title }) => title.endsWith('Reporting of errors'));
    expect(errors?.answer).toMatch(/^When an error-checking tool detects something bad happening/);
    const running = documents.filter(({ answer }) =>
      /^Using and understanding the Valgrind core$/m.test(answer),
    );
    expect(running).toEqual([]);

    // A paragraph or list that continues on the next page is cited where it begins.
    const { text: pages } = await extractText(new Uint8Array(bytes), { mergePages: false });
    const offsets: number[] = [];
    for (const [at, text] of pages.entries()) {
      for (const line of text.split('\n').filter(({ length }) => length >= LONG_LINE)) {
        const [found, ...others] = documents.filter(({ answer }) => answer.includes(line));
        if (!found || others.length > 0 || found.answer.split(line).length > 2) continue;
        const address = findAddress(found.answer, line, found.url!);
        expect(address).toMatch(/^https:\/\/shop\.example\.com\/manual\.pdf#page=\d+$/);
        offsets.push(at + 1 - Number(address.split('=')[1]));
      }
    }
    const share = (offset: number) => offsets.filter((each) => each === offset).length / offsets.length;
    expect(offsets.length).toBeGreaterThan(5_000);
    expect(Math.min(...offsets)).toBe(0);
    expect(share(0)).toBeGreaterThan(0.9);
    expect(share(0) + share(1)).toBeGreaterThan(0.99);
  },
);
