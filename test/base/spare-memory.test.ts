import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

it('a process returns the memory of its work when it rests', { timeout: 60_000 }, async () => {
  const program = join(import.meta.dirname, 'work-and-rest.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [program]);
  const [resting = 0, busy = 0] = stdout.split(' ').map(Number);
  expect(busy).toBeGreaterThan(50);
  expect(resting).toBeLessThan(busy / 2);
});
