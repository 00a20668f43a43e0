import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildEmbed } from '../../scripts/build-embed.ts';
import { openHarness } from '../support/harness.ts';

/** Compressed bytes of each file of the script tag. */
const sizes = new Map<string, number>();
const folder = mkdtempSync(join(tmpdir(), 'guide-'));
beforeAll(async () => {
  await buildEmbed(folder);
  const names = ['guide.js', ...readdirSync(join(folder, 'guide')).map((name) => `guide/${name}`)];
  for (const name of names) sizes.set(name, gzipSync(readFileSync(join(folder, name))).length);
});
afterAll(() => rmSync(folder, { recursive: true }));

const sum = (...names: readonly string[]) => names.reduce((total, name) => total + sizes.get(name)!, 0);

it('the script tag costs a page at most 2.5 KB before the page is idle, and 8 KB with the panel closed and its boot, in any language', async () => {
  expect(sum('guide.js')).toBeLessThanOrEqual(2.5 * 1024);
  const labels = Math.max(
    ...[...sizes.keys()].filter((name) => name.endsWith('-launcher.js')).map((name) => sum(name)),
  );
  const harness = await openHarness();
  const booted = await harness.boot({ texts: false });
  await harness.close();
  const reply = gzipSync(JSON.stringify(booted)).length;
  expect(sum('guide.js', 'guide/launcher.js') + labels + reply).toBeLessThanOrEqual(8 * 1024);
});

it('the script tag costs a page at most 36 KB with the panel open, in any language', () => {
  const languages = [...sizes.keys()].filter((name) => /^guide\/[a-z]{2}(-[A-Z]{2})?\.js$/.test(name));
  expect(languages).toHaveLength(30);
  const texts = Math.max(...languages.map((name) => sum(name)));
  expect(sum('guide.js', 'guide/launcher.js', 'guide/panel.js') + texts).toBeLessThanOrEqual(36_000);
});
