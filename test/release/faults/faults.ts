import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { damageTable } from '../../support/database-file.ts';
import { question } from '../../support/harness.ts';
import {
  ask,
  boot,
  command,
  createPlace,
  end,
  type Place,
  post,
  readReady,
  type Server,
  serve,
} from '../../support/service-process.ts';
import { expectThat, Skipped, type Trial } from '../campaign/campaign.ts';

/** Each fault happens to a service of its own. */

const database = ({ dataDir }: Place) => join(dataDir, 'guidepost.db');

async function expectUnavailable(server: Server, place: Place, problem: string): Promise<string> {
  const visitor = await boot(server, place.appId);
  const { status, text } = await ask(server, visitor);
  expectThat(status !== 200, 'a turn was acknowledged');
  expectThat(text.includes('storage/unavailable'), `an unexpected answer: ${status} ${text}`);
  const { status: ready, body } = await readReady(server);
  expectThat(ready === 503 && body.problems.includes(problem), `readyz: ${ready} ${JSON.stringify(body)}`);
  return `writes get 503, readyz says ${problem}`;
}

function whileRunning(name: string, happen: (place: Place) => void): Trial {
  return {
    name,
    async run() {
      const place = await createPlace();
      const server = await serve(place.dataDir);
      expectThat((await ask(server, await boot(server, place.appId))).status === 200, 'no answer before');
      happen(place);
      await wait(100);
      const seen = await expectUnavailable(server, place, 'file_replaced');
      await end(server, 'SIGKILL');
      return seen;
    },
  };
}

/** Kills the service, changes its files, and starts it again. */
function beforeStart(
  name: string,
  happen: (place: Place) => void,
  expected: RegExp,
  isSettled: (server: Server) => boolean = () => true,
): Trial {
  return {
    name,
    async run() {
      const place = await createPlace();
      const server = await serve(place.dataDir);
      await waitUntil(() => isSettled(server));
      await ask(server, await boot(server, place.appId));
      await untilMarked(place, Date.now());
      await end(server, 'SIGKILL');
      happen(place);
      const outcome = await serve(place.dataDir).then(
        async (again) => {
          await waitUntil(() => expected.test(again.printed()));
          await end(again, 'SIGKILL');
          return again.printed();
        },
        (error: Error) => error.message,
      );
      expectThat(expected.test(outcome), `it printed: ${outcome.slice(-400)}`);
      return outcome.includes('is listening') ? 'starts and reports it' : 'does not start, and says why';
    },
  };
}

/** Waits until the commit mark records a commit after this time. */
const untilMarked = (place: Place, since: number) =>
  waitUntil(() => statSync(`${database(place)}-mark`, { throwIfNoEntry: false })!.mtimeMs >= since);

/** Waits for a condition, at most twenty seconds. */
async function waitUntil(isMet: () => boolean): Promise<void> {
  for (let attempt = 0; attempt < 200 && !isMet(); attempt += 1) await wait(100);
}

/** Empties the write-ahead log, which contains only the data since the last checkpoint. */
function cutLog(place: Place): void {
  truncateSync(`${database(place)}-wal`, 0);
}

const corruptedPage: Trial = {
  name: 'corrupted page',
  async run() {
    const place = await createPlace();
    damageTable(database(place), 'turns');
    const server = await serve(place.dataDir);
    const visitor = await boot(server, place.appId);
    await ask(server, visitor);
    const seen = await expectUnavailable(server, place, 'corrupt');
    await end(server, 'SIGTERM');
    const startError = await serve(place.dataDir).then(
      () => 'it started again with a damaged file',
      (error: Error) => error.message,
    );
    expectThat(/is damaged/.test(startError), startError);
    return `${seen}; does not start again`;
  },
};

const fullDisk: Trial = {
  name: 'disk full',
  async run() {
    const place = await createPlace();
    const folder = join(dirname(place.dataDir), 'small');
    spawnSync('mkdir', ['-p', folder]);
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=6m', 'tmpfs', folder]).status === 0;
    if (!mounted) throw new Skipped('mounting a small tmpfs needs root');
    try {
      cpSync(place.dataDir, folder, { recursive: true });
      const server = await serve(folder);
      const visitor = await boot(server, place.appId);
      writeFileSync(join(folder, 'filler'), Buffer.alloc(64 * 1024));
      spawnSync('sh', ['-c', `cat /dev/zero > ${join(folder, 'filler')}`]);
      let rejected = 0;
      for (let turn = 0; turn < 40 && rejected === 0; turn += 1) {
        const { status, text } = await ask(server, await boot(server, place.appId), {
          message: 'x'.repeat(1_500),
        });
        if (status !== 200) {
          expectThat(text.includes('storage/unavailable'), `an unexpected answer: ${status} ${text}`);
          rejected += 1;
        }
      }
      expectThat(rejected > 0, 'no write was refused');
      expectThat((await readReady(server)).status === 503, 'readyz says ready');
      rmSync(join(folder, 'filler'));
      const after = await ask(server, visitor);
      expectThat(after.status === 200, `no recovery: ${after.status} ${after.text}`);
      await end(server, 'SIGTERM');
      return 'writes get 503; recovers by itself';
    } finally {
      spawnSync('umount', ['-l', folder]);
    }
  },
};

const readOnlyFolder: Trial = {
  name: 'read-only folder',
  async run() {
    const place = await createPlace();
    const folder = join(dirname(place.dataDir), 'fixed');
    spawnSync('mkdir', ['-p', folder]);
    if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', folder]).status !== 0)
      throw new Skipped('remounting read-only needs root');
    try {
      cpSync(place.dataDir, folder, { recursive: true });
      spawnSync('mount', ['-o', 'remount,ro', folder]);
      const outcome = await serve(folder).then(
        () => 'started',
        (error: Error) => error.message,
      );
      expectThat(/cannot start|read-only|EROFS/i.test(outcome), outcome);
      return 'does not start, and says why';
    } finally {
      spawnSync('umount', ['-l', folder]);
    }
  },
};

const stopped: Trial = {
  name: 'SIGSTOP for three seconds',
  async run() {
    const place = await createPlace();
    const server = await serve(place.dataDir);
    const visitor = await boot(server, place.appId);
    server.child.kill('SIGSTOP');
    const answering = ask(server, visitor);
    await wait(3_000);
    server.child.kill('SIGCONT');
    expectThat((await answering).status === 200, 'the waiting turn got no answer');
    expectThat((await readReady(server)).status === 200, 'not ready afterwards');
    await end(server, 'SIGTERM');
    return 'the waiting turn is answered';
  },
};

const terminated: Trial = {
  name: 'SIGTERM with open streams',
  async run() {
    const place = await createPlace();
    const server = await serve(place.dataDir);
    const visitors = await Promise.all(Array.from({ length: 40 }, () => boot(server, place.appId)));
    const streams = visitors.map(({ jwt }, index) =>
      post(server, '/chat', question({ conversation_id: `conv-${index}` }), {
        authorization: `Bearer ${jwt}`,
      })
        .then((response) => response.text())
        .catch(() => 'refused'),
    );
    await wait(20);
    const code = await end(server, 'SIGTERM');
    expectThat(code === 0, `exit code ${code}`);
    const texts = await Promise.all(streams);
    const cut = texts.filter((text) => text.startsWith('event:') && !/message_end|shutting_down/.test(text));
    expectThat(cut.length === 0, `${cut.length} streams were cut`);
    return `exit code 0, ${texts.length} streams ended or were refused, 0 cut`;
  },
};

const secondProcess: Trial = {
  name: 'second process',
  async run() {
    const place = await createPlace();
    const server = await serve(place.dataDir);
    const outcome = await serve(place.dataDir).then(
      () => 'started',
      (error: Error) => error.message,
    );
    expectThat(/another server uses/.test(outcome), outcome);
    const { code } = await command(place.dataDir, ['killswitch', 'status']);
    expectThat(code === 0, 'the command line does not work beside the server');
    expectThat(
      (await ask(server, await boot(server, place.appId))).status === 200,
      'the first one is disturbed',
    );
    await end(server, 'SIGTERM');
    return 'does not start, and says why; commands work beside the server';
  },
};

const FAKETIME = [
  '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1',
  '/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1',
];

const clockSteps: Trial = {
  name: 'clock steps by an hour',
  async run() {
    const library = FAKETIME.find(existsSync);
    if (!library) throw new Skipped('libfaketime is not installed (apt-get install libfaketime)');
    const place = await createPlace();
    const stamp = join(dirname(place.dataDir), 'clock');
    writeFileSync(stamp, '+0');
    const server = await serve(place.dataDir, {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: stamp,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    });
    const statuses: number[] = [];
    for (const step of ['+0', '+3600', '-3600', '+0']) {
      writeFileSync(stamp, step);
      await wait(300);
      statuses.push((await ask(server, await boot(server, place.appId))).status);
    }
    expectThat(
      statuses.every((status) => status === 200),
      `statuses ${statuses}`,
    );
    expectThat((await readReady(server)).status === 200, 'not ready afterwards');
    await end(server, 'SIGTERM');
    return 'boots and turns go on after each step';
  },
};

const OVERLOAD_CONNECTIONS = 400;
const OVERLOAD_MILLIS = 4_000;

const overload: Trial = {
  name: 'overload',
  async run() {
    const place = await createPlace();
    const server = await serve(place.dataDir, { LOOP_DELAY_MILLIS_MAX: '50' });
    const counts = new Map<number, number>();
    const until = Date.now() + OVERLOAD_MILLIS;
    const worker = async () => {
      while (Date.now() < until) {
        const status = await boot(server, place.appId).then(
          async (visitor) => (await ask(server, visitor)).status,
          (error: Error) => Number(/boot: (\d+)/.exec(error.message)?.[1] ?? -1),
        );
        counts.set(status, (counts.get(status) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: OVERLOAD_CONNECTIONS }, worker));
    const unexpected = [...counts.keys()].filter((status) => ![200, 429, 503].includes(status));
    const text = [...counts].map(([status, many]) => `${status}: ${many}`).join(', ');
    expectThat(unexpected.length === 0, `unexpected statuses: ${text}`);
    expectThat((counts.get(200) ?? 0) > 0, `nothing was served: ${text}`);
    expectThat((await readReady(server)).status === 200, 'not ready afterwards');
    await end(server, 'SIGTERM');
    return text;
  },
};

export const faults: readonly Trial[] = [
  whileRunning('folder removed', ({ dataDir }) => rmSync(dataDir, { recursive: true })),
  whileRunning('folder moved', ({ dataDir }) => renameSync(dataDir, `${dataDir}.moved`)),
  whileRunning('database file replaced', (place) => {
    writeFileSync(`${database(place)}.new`, readFileSync(database(place)));
    renameSync(`${database(place)}.new`, database(place));
  }),
  whileRunning('write-ahead log removed', (place) => rmSync(`${database(place)}-wal`)),
  beforeStart(
    'write-ahead log truncated',
    cutLog,
    /lacks commits that were acknowledged/,
    // The large write of the dictionaries would move the commits of the log into the database file.
    (server) => server.printed().includes('dictionaries learned'),
  ),
  corruptedPage,
  beforeStart(
    'missing table',
    (place) => {
      const db = new Database(database(place));
      db.exec('DROP TABLE feedback');
      db.close();
    },
    /it lacks the .*table feedback/,
  ),
  beforeStart(
    'missing key ring',
    ({ dataDir }) => rmSync(join(dataDir, 'visitor-token-keys.json')),
    /keys of this database are missing/,
  ),
  beforeStart(
    'world-readable key ring',
    ({ dataDir }) => chmodSync(join(dataDir, 'visitor-token-keys.json'), 0o644),
    /chmod 600/,
  ),
  fullDisk,
  readOnlyFolder,
  stopped,
  terminated,
  secondProcess,
  clockSteps,
  overload,
];
