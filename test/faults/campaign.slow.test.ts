import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';

/** A short form of `make test-faults`. */
it('keeps the promises under kills and accidents', { timeout: 600_000 }, async () => {
  const run = spawn(process.execPath, [new URL('./run.ts', import.meta.url).pathname], {
    env: { ...process.env, CYCLES: '5' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const table = await text(run.stdout);
  process.stdout.write(table);
  expect(table).not.toContain('FAILED');
  expect(table).toContain('kill -9 during mixed load  ok');
});
