import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';

/** Short forms of `make test-abuse` and `make test-faults`. */

async function runCampaign(name: 'abuse' | 'faults', env: Record<string, string>): Promise<string> {
  const run = spawn(process.execPath, [new URL(`../${name}/run.ts`, import.meta.url).pathname], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const table = await text(run.stdout);
  process.stdout.write(table);
  return table;
}

it('the service withstands the attacks of the abuse campaign', { timeout: 900_000 }, async () => {
  const table = await runCampaign('abuse', { QUICK: 'on' });
  expect(table).not.toContain('FAILED');
  expect(table).toContain('ok');
});

it('the service loses nothing acknowledged during kills and faults', { timeout: 900_000 }, async () => {
  const table = await runCampaign('faults', { CYCLES: '5', COMMAND_KILLS: '2' });
  expect(table).not.toContain('FAILED');
  expect(table).toMatch(/kill -9 during mixed load +ok/);
});
