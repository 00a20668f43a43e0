import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { readFile } from '../../../server/sources/files/read-file.ts';

/** Part of the Debian package `valgrind`: 380 pages with an outline. */
const MANUAL = '/usr/share/doc/valgrind/valgrind_manual.pdf.gz';

it.runIf(existsSync(MANUAL))('reads a manual of hundreds of pages by its chapters', async () => {
  const bytes = gunzipSync(readFileSync(MANUAL));
  const { signal } = new AbortController();
  const { documents, refusals } = await readFile(
    { name: 'manual.pdf', bytes },
    { sourceLocale: 'en', signal },
  );
  expect(refusals).toEqual([]);
  expect(documents.length).toBeGreaterThan(150);
  expect(new Set(documents.map(({ place }) => place)).size).toBe(documents.length);
  const errors = documents.find(({ title }) => title.endsWith('Reporting of errors'));
  expect(errors?.answer).toMatch(/^When an error-checking tool detects something bad happening/);
  const running = documents.filter(({ answer }) =>
    /^Using and understanding the Valgrind core$/m.test(answer),
  );
  expect(running).toEqual([]);
});
