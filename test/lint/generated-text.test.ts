import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const CLIENT = fileURLToPath(new URL('../../client/', import.meta.url));
const WITH_ALTERNATIVE = /content: ([^;\n]+?) \/ (?:''|"");/g;

it('declares generated text first without its alternative, which Firefox before 128 does not know', () => {
  const styles = globSync('{embed,dashboard,react}/**/*.{css,ts}', { cwd: CLIENT });
  const declared = styles.flatMap((name) => {
    const style = readFileSync(CLIENT + name, 'utf8');
    return [...style.matchAll(WITH_ALTERNATIVE)].map(({ 0: whole, 1: value, index }) => ({
      where: `${name}: ${whole}`,
      hasPlain: style.slice(0, index).includes(`content: ${value};`),
    }));
  });
  expect(declared.length).toBeGreaterThan(2);
  expect(declared.filter(({ hasPlain }) => !hasPlain)).toEqual([]);
});
