import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { expect, test } from 'vitest';

const INDEX = fileURLToPath(new URL('../../client/index.ts', import.meta.url));
const GZIP_BYTES_MAX = 6 * 1024;

test('the whole client is under six kilobytes gzipped and imports nothing at run time', async () => {
  const bundle = await rolldown({ input: INDEX, logLevel: 'silent' });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  await bundle.close();
  expect(output).toHaveLength(1);
  expect(output[0].imports).toEqual([]);
  expect(output[0].exports.sort()).toEqual(['GuideError', 'createGuide', 'isGuideError', 'parseEventStream']);
  const bytes = gzipSync(output[0].code).length;
  expect(bytes).toBeLessThan(GZIP_BYTES_MAX);
});
