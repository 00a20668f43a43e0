import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import {
  cli,
  commandLine,
  databaseFile,
  inStore,
  PASSWORD,
  setUpInstallation,
} from '../support/command-line.ts';

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

    const readStartError = async (env: Record<string, string>) => {
      const second = cli.start(['serve'], env);
      second.stdin.end();
      let output = '';
      for await (const piece of second.stderr) output += piece;
      return output;
    };
    expect(await readStartError({ PORT: '0' })).toMatch(
      /^guidepost: .*another server uses the data folder.*\n$/,
    );
    const elsewhere = { PORT: new URL(base).port, DATA_DIR: join(folder, 'elsewhere') };
    expect(await readStartError(elsewhere)).toMatch(/^guidepost: .*already in use.*\n$/);
    const damaged = join(folder, 'damaged');
    mkdirSync(damaged);
    writeFileSync(join(damaged, 'server.lock'), 'no lock '.repeat(100));
    expect(await readStartError({ PORT: '0', DATA_DIR: damaged })).toMatch(
      /^guidepost: .*the lock \S+server\.lock is damaged.*\n$/,
    );
    // Linux has no folder there and creates none.
    expect(await readStartError({ PORT: '0', DATA_DIR: '/proc/guidepost/data' })).toMatch(
      /^guidepost: .*no such file or directory, mkdir '\/proc\/guidepost'.*\n$/,
    );

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

setUpInstallation();

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
  expect((await startAndStop(undefined, 1_000)).address).toBeUndefined();
  expect(
    await inStore((store) => store.users.listByEmail('ada@shop.example').then(([first]) => first)),
  ).toBeDefined();
});

it('serve warns once when other users may read the database', async () => {
  await startAndStop();
  chmodSync(databaseFile(), 0o640);
  const { logged } = await startAndStop();
  const lines = logged.split('\n').filter((line) => line.includes('Other users may read'));
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0]!)).toMatchObject({ level: 40, msg: expect.stringContaining('chmod 600') });
});

it('serve logs an uncaught error without the code that failed', async () => {
  const onSignal = `process.on('SIGUSR2', () => { throw new Error('a broken part') })`;
  const server = cli.start(['serve'], {
    PORT: '0',
    LOG_LEVEL: 'fatal',
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(onSignal)}`,
  });
  let [logged, printed] = ['', ''];
  server.stdout.on('data', (piece) => {
    logged += piece;
  });
  server.stderr.on('data', (piece) => {
    printed += piece;
  });
  await expect.poll(() => printed).toContain('is listening');
  server.kill('SIGUSR2');
  expect((await once(server, 'close'))[0]).toBe(1);
  expect(JSON.parse(logged)).toMatchObject({ level: 60, err: { message: 'a broken part' } });
  expect(printed).not.toContain('a broken part');
});

/** Starts the server, waits until it listens and has printed its messages, then stops it. */
async function startAndStop(
  meanwhile?: (address: string | undefined) => Promise<void>,
  waitMillis = WAIT_MILLIS,
) {
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
    const giveUp = performance.now() + waitMillis;
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
