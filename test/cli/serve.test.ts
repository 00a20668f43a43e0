import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { commandLine } from './command-line.ts';

/** Generous for busy machines: command-line changes take effect within a second. */
const SEEN_MILLIS_MAX = 20_000;

it('serve applies changes of the command line while it runs and stops on SIGTERM', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'guidepost-serve-'));
  const cli = commandLine(folder);
  const { app_id } = await cli.createWorkspace();
  const server = cli.start(['serve'], { PORT: '0' });
  const closed = once(server, 'close');
  try {
    const base = await addressOf(server.stderr);
    const boot = async () => {
      const response = await fetch(`${base}/boot`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: 'https://shop.example' },
        body: JSON.stringify({ app_id, origin: 'https://shop.example', path: '/' }),
      });
      const { error } = (await response.json()) as { error?: string };
      return error;
    };
    const until = async (wanted: (error: string | undefined) => boolean) => {
      const giveUp = performance.now() + SEEN_MILLIS_MAX;
      while (!wanted(await boot()) && performance.now() < giveUp) await pause(50);
      return boot();
    };

    expect(await boot()).toBeUndefined();
    await cli.json(['killswitch', 'on']);
    expect(await until((error) => error === 'boot/unavailable')).toBe('boot/unavailable');
    await cli.json(['killswitch', 'off']);
    expect(await until((error) => error === undefined)).toBeUndefined();
    await cli.json(['workspace', 'disable', app_id]);
    expect(await until((error) => error === 'boot/workspace_disabled')).toBe('boot/workspace_disabled');

    const second = cli.start(['serve'], { PORT: new URL(base).port });
    second.stdin.end();
    let complaint = '';
    for await (const piece of second.stderr) complaint += piece;
    expect(complaint).toMatch(/^guidepost: .*already in use.*\n$/);

    server.kill('SIGTERM');
    expect(await closed).toEqual([0, null]);
  } finally {
    server.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
});

async function addressOf(stderr: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: stderr })) {
    const address = /http:\/\/\S+/.exec(line);
    if (address) return address[0];
  }
  throw new Error('the server ended before it listened');
}
