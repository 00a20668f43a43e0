import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';

/** A short form of `make test-abuse`. */
it('withstands the attacks of the abuse campaign', { timeout: 900_000 }, async () => {
  const run = spawn(process.execPath, [new URL('./run.ts', import.meta.url).pathname], {
    env: { ...process.env, QUICK: 'on' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const table = await text(run.stdout);
  process.stdout.write(table);
  expect(table).not.toContain('FAILED');
  expect(table).toContain('ok');
});
