import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { anInstallationForEach, cli, inStore, PASSWORD } from './command-line.ts';

anInstallationForEach();

/** Generous for busy machines: the URL follows within milliseconds. */
const WAIT_MILLIS = 20_000;

it('serve prints a set-up URL at each start until an owner exists, and never logs it', async () => {
  const first = await startAndStop();
  const second = await startAndStop(async (address) => {
    const { origin, hash } = new URL(address!);
    const response = await fetch(`${origin}/api/setup`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
      body: JSON.stringify({
        token: hash.replace('#token=', ''),
        email: 'ada@shop.example',
        password: PASSWORD,
        workspaceName: 'Shop',
        allowedOrigins: ['https://shop.example'],
      }),
    });
    expect(response.status).toBe(201);
  });
  expect(first.address).toBeDefined();
  expect(second.address).not.toBe(first.address);
  for (const { address, logged } of [first, second]) {
    expect(logged).not.toBe('');
    expect(logged).not.toContain(new URL(address!).hash.replace('#token=', ''));
  }
  expect((await startAndStop()).address).toBeUndefined();
  expect(await inStore((store) => store.users.findByEmail('ada@shop.example'))).toBeDefined();
});

/** Starts the server, waits until it listens and has printed its messages, then stops it. */
async function startAndStop(meanwhile?: (address: string | undefined) => Promise<void>) {
  const server = cli.start(['serve'], { PORT: '0', LOG_LEVEL: 'trace' });
  const closed = once(server, 'close');
  let logged = '';
  server.stdout.on('data', (piece) => {
    logged += piece;
  });
  const lines: string[] = [];
  const listens = Promise.withResolvers<string>();
  createInterface({ input: server.stderr }).on('line', (line) => {
    lines.push(line);
    const base = /is listening on (http:\/\/\S+)/.exec(line)?.[1];
    if (base) listens.resolve(base);
  });
  try {
    const base = await listens.promise;
    const find = () => lines.map((line) => /^Set-up +(http:\S+)$/.exec(line)?.[1]).find(Boolean);
    const giveUp = performance.now() + WAIT_MILLIS;
    while (!find() && performance.now() < giveUp) await pause(20);
    await fetch(`${base}/api/session`);
    const address = find();
    await meanwhile?.(address);
    server.kill('SIGTERM');
    await closed;
    return { address, logged };
  } finally {
    server.kill('SIGKILL');
  }
}
