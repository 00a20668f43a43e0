import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const CLIENT = fileURLToPath(new URL('../../client/', import.meta.url));
const WITH_ALTERNATIVE = /content: ([^;\n]+?) \/ (?:''|"");/g;

it('styles declare generated text without alternative text first, because Firefox before 128 ignores the other form', () => {
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
