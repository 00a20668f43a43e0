import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { generatedFiles, staleFiles } from '../contract/openapi/write.ts';

it('has committed what the contract says; run `make generate` otherwise', async () => {
  expect(await staleFiles()).toEqual([]);
});

it('names the files that are stale', async () => {
  const files = generatedFiles();
  const changed = { ...files, 'generated/errors.md': 'something else', 'generated/missing.md': 'new' };
  expect(await staleFiles(changed)).toEqual(['generated/errors.md', 'generated/missing.md']);
});

it('writes the same bytes every time', () => {
  expect(generatedFiles()).toEqual(generatedFiles());
});

it('serves as JSON what it publishes as YAML', () => {
  const files = generatedFiles();
  expect(JSON.parse(files['generated/openapi.json']!)).toEqual(parse(files['openapi.yaml']!));
});
