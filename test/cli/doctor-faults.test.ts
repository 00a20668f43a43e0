import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import {
  request as ask,
  createServer,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import SqliteDatabase from 'better-sqlite3';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openService } from '../../server/app.ts';
import { nameBackup } from '../../server/backup/kept-backups.ts';
import { readConfig } from '../../server/settings/config.ts';
import { resetKeyRing } from '../../server/tokens/key-ring.ts';
import { commandLine } from '../support/command-line.ts';
import {
  CITED,
  openScriptedModel,
  refuse,
  type Script,
  say,
  stream,
} from '../support/fake-model/scripted-model.ts';
import { type Harness, openHarness } from '../support/harness.ts';
import { tempDir } from '../support/temp-dir.ts';
import { certified, trustCertificate } from '../support/tls/front.ts';

type Finding = {
  check: string;
  status: 'ok' | 'warning' | 'problem';
  message: string;
};
type Plant = {
  env?: Readonly<Record<string, string>>;
  /** The clock of the command, if it differs from the machine's. */
  now?: () => number;
};

const SECRET = 'sk-never-to-be-printed-0123456789';
let harness: Harness;
const open: Server[] = [];

/** Starts a server and returns its address. */
async function listen(server: Server, scheme = 'http', host = '127.0.0.1'): Promise<string> {
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, host === 'localhost' ? '127.0.0.1' : host, resolve));
  return `${scheme}://${host}:${(server.address() as AddressInfo).port}`;
}

/** Forwards requests to the service. `spoil` changes the response as a faulty proxy would. */
function proxy(
  spoil: (body: Buffer, response: ServerResponse) => void,
  headers: object = {},
): RequestListener {
  return (request, response) => {
    const target = harness.baseUrl + request.url;
    ask(target, { headers: { ...request.headers, ...headers } }, (answer) => {
      const { 'content-length': _, 'transfer-encoding': __, ...kept } = answer.headers;
      const isStream = request.url === '/healthz/stream';
      if (!isStream) response.writeHead(answer.statusCode!, kept);
      if (spoil === pass) {
        if (isStream) response.writeHead(200, kept);
        answer.pipe(response);
        return;
      }
      const pieces: Buffer[] = [];
      answer.on('data', (piece) => pieces.push(piece));
      answer.on('end', () => {
        const body = Buffer.concat(pieces);
        if (isStream) spoil(body, response);
        else response.end(body);
      });
    }).end();
  };
}
const pass = () => {};

const publish = async (listener: RequestListener) => ({ PUBLIC_URL: await listen(createServer(listener)) });
const answering = (status: number, headers: Record<string, string> = {}) =>
  listen(createServer((_request, response) => response.writeHead(status, headers).end(SECRET)));
const llm = (address: string) => ({ LLM_BASE_URL: `${address}/v1`, LLM_API_KEY: SECRET, LLM_MODEL: 'small' });
/** Starts a model that answers as the script says. */
async function scripted(script: Script) {
  const model = await openScriptedModel(script);
  open.push(model.server);
  return { env: { LLM_BASE_URL: model.baseUrl, LLM_API_KEY: SECRET, LLM_MODEL: 'small' } };
}
const closedPort = async () => {
  const address = await listen(createServer());
  await new Promise((resolve) => open.pop()!.close(resolve));
  return address;
};

/** Faults of the settings, the address and third parties, on an installation that is in order. */
const OUTSIDE: readonly [string, string, RegExp, () => Promise<Plant> | Plant][] = [
  ['an invalid setting', 'settings', /PORT: expected a whole number/, () => ({ env: { PORT: 'eighty' } })],
  ['half of the settings of a model', 'settings', /needs all three/, () => ({ env: { LLM_MODEL: 'small' } })],
  ['a misspelled setting', 'settings', /did you mean LLM_BASE_URL/, () => ({ env: { LLM_BASEURL: 'x' } })],
  [
    'a region provider without a proxy',
    'settings',
    /TRUSTED_PROXIES/,
    () => ({ env: { EDGE_PROVIDER: 'fastly' } }),
  ],
  [
    'an unknown workspace in the rollout',
    'settings',
    /no such workspace/,
    () => ({ env: { ROLLOUT: 'gp_none' } }),
  ],
  [
    'a missing region database',
    'settings',
    /Correct GEOIP_DB/,
    () => ({ env: { GEOIP_DB: '/nowhere.mmdb' } }),
  ],
  [
    'a heap that is too small',
    'memory',
    /a heap of 48 MB.*to 64 or more/,
    () => ({ env: { NODE_OPTIONS: '--max-old-space-size=48' } }),
  ],
  ['the kill switch', 'settings', /KILL_SWITCH=on/, () => ({ env: { KILL_SWITCH: 'on' } })],
  [
    'a stopped server',
    'server',
    /start it/,
    async () => ({ env: { PORT: (await closedPort()).split(':')[2]! } }),
  ],
  [
    'another program on the port',
    'server',
    /set PORT to a free port/,
    async () => ({ env: { PORT: (await answering(200)).split(':')[2]! } }),
  ],
  [
    'no public address',
    'address',
    /set it to the address that browsers use/,
    () => ({ env: { PUBLIC_URL: '' } }),
  ],
  [
    'an address without a proxy',
    'address',
    /start the proxy/,
    async () => ({ env: { PUBLIC_URL: await closedPort() } }),
  ],
  [
    'an address of another site',
    'address',
    /lead the proxy to/,
    async () => ({ env: { PUBLIC_URL: await answering(200) } }),
  ],
  [
    'a proxy without a server behind it',
    'address',
    /status 502/,
    async () => ({ env: { PUBLIC_URL: await answering(502) } }),
  ],
  [
    'an address that redirects',
    'address',
    /redirects to/,
    async () => ({ env: { PUBLIC_URL: await answering(301, { location: 'https://elsewhere.example/' }) } }),
  ],
  [
    'an address without encryption',
    'tls',
    /put a TLS proxy in front/,
    () => ({ env: { PUBLIC_URL: 'http://guide.invalid' } }),
  ],
  [
    'a certificate for another host',
    'tls',
    /Browsers reject the certificate/,
    async () => {
      trustCertificate();
      const server = createSecureServer(certified(), proxy(pass));
      const address = await listen(server, 'https', '127.0.0.2');
      return { env: { PUBLIC_URL: address } };
    },
  ],
  [
    'a certificate that ends soon',
    'tls',
    /ends in \d days/,
    async () => {
      trustCertificate();
      const server = createSecureServer(certified(), proxy(pass));
      return {
        env: { PUBLIC_URL: await listen(server, 'https', 'localhost') },
        now: () => Date.UTC(2126, 9, 25),
      };
    },
  ],
  [
    'a proxy that buffers',
    'stream',
    /proxy_buffering off/,
    async () => ({ env: await publish(proxy((body, response) => response.end(body))) }),
  ],
  [
    'a proxy that compresses',
    'stream',
    /exclude text\/event-stream/,
    async () => ({
      env: await publish(
        proxy((body, response) =>
          response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(body)),
        ),
      ),
    }),
  ],
  [
    'a proxy that breaks streams off',
    'stream',
    /raise its timeouts/,
    async () => ({ env: await publish(proxy((body, response) => response.end(body.subarray(0, 20)))) }),
  ],
  [
    'a proxy that is not trusted',
    'proxy',
    /TRUSTED_PROXIES/,
    async () => ({ env: await publish(proxy(pass, { 'x-forwarded-for': '198.51.100.7' })) }),
  ],
  [
    'a proxy that hides visitors',
    'proxy',
    /X-Forwarded-For/,
    async () => ({ env: { ...(await publish(proxy(pass))), TRUSTED_PROXIES: 'loopback' } }),
  ],
  [
    'an unreachable model',
    'model',
    /\(unreachable, ECONNREFUSED\): check the address/,
    async () => ({ env: llm(await closedPort()) }),
  ],
  [
    'a rejected key of the model',
    'model',
    /status 401.*the key/,
    async () => ({ env: llm(await answering(401)) }),
  ],
  [
    'a used-up quota of the model',
    'model',
    /status 429.*quota/,
    async () => ({ env: llm(await answering(429)) }),
  ],
  [
    'a model that is unknown to its server, with the words of its error',
    'model',
    /refused, status 404, code model_not_found, type invalid_request_error.*LLM_MODEL/,
    () =>
      scripted({
        answer: refuse(404, { message: SECRET, type: 'invalid_request_error', code: 'model_not_found' }),
      }),
  ],
  ['a model that answers nothing', 'model', /answers without text/, () => scripted({ answer: stream([]) })],
  [
    'a model that only thinks',
    'model',
    /only thinks/,
    () => scripted({ answer: stream([{ reasoning_content: 'Well' }], 'length') }),
  ],
  [
    'a model that thinks within its answer',
    'model',
    /thinks within its answer/,
    () => scripted({ answer: say(`<think>Well</think> ${CITED}`) }),
  ],
  [
    'a model without tools',
    'model',
    /takes no tools.*status 400, code unsupported_parameter, param tools/,
    () =>
      scripted({
        answer: (response, request) =>
          (request.tools ? refuse(400, { code: 'unsupported_parameter', param: 'tools' }) : say(CITED))(
            response,
            request,
          ),
      }),
  ],
  [
    'a model that cites nothing',
    'model',
    /visitors get quotes/,
    () => scripted({ answer: say('Just open it.') }),
  ],
  [
    'a wrong model for embeddings',
    'embeddings',
    /EMBEDDINGS_MODEL/,
    async () => ({
      env: {
        EMBEDDINGS: 'on',
        EMBEDDINGS_BASE_URL: `${await answering(404)}/v1`,
        EMBEDDINGS_API_KEY: SECRET,
        EMBEDDINGS_MODEL: 'none',
      },
    }),
  ],
  [
    'a rejected key of a speech provider',
    'speech',
    /provider_b.*check the key \(SPEECH_B_API_KEY/,
    async () => ({ env: { SPEECH_B_BASE_URL: await answering(401), SPEECH_B_API_KEY: SECRET } }),
  ],
  ['no backups', 'backup', /set BACKUP_DIR/, () => ({ env: { BACKUP_DIR: '' } })],
  [
    'a missing folder of backups',
    'backup',
    /no folder yet/,
    () => ({ env: { BACKUP_DIR: '/nowhere/backups' } }),
  ],
  ['a folder without backups', 'backup', /no backup in/, () => ({ env: { BACKUP_DIR: tempDir() } })],
  ['an old backup', 'backup', /50 h old.*log/, () => ({ env: backedUp(50) })],
  ['a damaged backup', 'backup', /check the disk/, () => ({ env: backedUp(1, Buffer.alloc(9000, 7)) })],
  [
    'a wrong clock',
    'clock',
    /differs by \d+ s.*NTP/,
    async () => ({ env: llm(await answering(200, { date: 'Sat, 03 Jan 2009 18:15:05 GMT' })) }),
  ],
];

/** Makes a folder with a backup of this age, and returns its setting. */
function backedUp(
  hours: number,
  content: Buffer = readFileSync(harness.config.database.file),
): Record<string, string> {
  const folder = tempDir();
  const file = join(folder, nameBackup(Date.now() - hours * 3_600_000));
  writeFileSync(file, content);
  return { BACKUP_DIR: folder };
}

/** Faults of the data folder, each created by `plant`. */
const INSIDE: readonly [string, string, RegExp, (folder: string) => void][] = [
  ['a missing database', 'database', /set DATA_DIR/, (folder) => rmSync(join(folder, 'guidepost.db'))],
  ['a folder that others may read', 'folder', /chmod 700/, (folder) => chmodSync(folder, 0o755)],
  [
    'a database that others may read',
    'permissions',
    /chmod 600/,
    (folder) => chmodSync(join(folder, 'guidepost.db'), 0o644),
  ],
  [
    'keys that others may read',
    'keys',
    /chmod 600/,
    (folder) => chmodSync(join(folder, 'visitor-token-keys.json'), 0o644),
  ],
  [
    'lost keys',
    'keys',
    /are missing.*token reset/,
    (folder) => rmSync(join(folder, 'visitor-token-keys.json')),
  ],
  ['keys of another database', 'keys', /another database/, (folder) => void resetKeyRing(folder, Date.now())],
  [
    'a damaged database',
    'database',
    /restore a backup/,
    (folder) => {
      const handle = openSync(join(folder, 'guidepost.db'), 'r+');
      writeSync(handle, Buffer.alloc(8192, 7), 0, 8192, 8192);
      closeSync(handle);
    },
  ],
  [
    'a database of a newer version',
    'database',
    /newer version/,
    (folder) => {
      const db = new SqliteDatabase(join(folder, 'guidepost.db'));
      db.exec("INSERT INTO migrations VALUES ('9999_future', 'x', 0, '[]')");
      db.close();
    },
  ],
  [
    'lost commits',
    'commits',
    /Restore a newer backup/,
    (folder) => writeMark(folder, { commits: 1_000_000, at: '2026-01-02T03:04:05.000Z', damaged: false }),
  ],
  [
    'a clock before the last write',
    'clock',
    /before the last write.*NTP/,
    (folder) => writeMark(folder, { commits: 0, at: '2199-01-01T00:00:00.000Z', damaged: false }),
  ],
  [
    'a file in place of the data folder',
    'folder',
    /set DATA_DIR to a folder/,
    (folder) => {
      renameSync(folder, `${folder}.away`);
      writeFileSync(folder, '');
    },
  ],
];

const writeMark = (folder: string, mark: object) =>
  writeFileSync(join(folder, 'guidepost.db-mark'), JSON.stringify(mark));

async function diagnose(
  dataDir: string,
  { env = {}, now }: Plant,
): Promise<{ code: number | null; findings: Finding[] }> {
  const cli = commandLine(dataDir, now, env);
  const { code, stdout, stderr } = await cli.runInProcess(['doctor', '--json']);
  expect(stdout + stderr).not.toContain(SECRET);
  return { code, findings: JSON.parse(stdout).findings };
}

describe('guidepost doctor', () => {
  let settings: Record<string, string>;
  beforeAll(async () => {
    harness = await openHarness({ articles: [] });
    settings = { PUBLIC_URL: harness.baseUrl, PORT: new URL(harness.baseUrl).port };
  });
  afterEach(async () => {
    for (const server of open.splice(0)) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });
  afterAll(() => harness.close());

  it('finds nothing wrong with an installation in order', async () => {
    const env = { ...settings, ...backedUp(1) };
    const { code, findings } = await diagnose(harness.config.dataDir, { env });
    // Here, backups and the database are on the same disk.
    expect(findings.filter(({ check, status }) => status !== 'ok' && check !== 'backup')).toEqual([]);
    expect(code).toBe(0);
    const checks = [
      'settings',
      'folder',
      'database',
      'permissions',
      'disk',
      'keys',
      'clock',
      'server',
      'backup',
    ];
    for (const check of [...checks, 'address', 'stream', 'proxy', 'model', 'embeddings', 'speech'])
      expect(findings.map((finding) => finding.check)).toContain(check);
  });

  it('asks a model three questions, and says how fast it is', async () => {
    const { env } = await scripted({});
    const { findings } = await diagnose(harness.config.dataDir, { env: { ...settings, ...env } });
    expect(findings.filter(({ check }) => check === 'model')).toEqual([
      {
        check: 'model',
        status: 'ok',
        message: expect.stringMatching(/small answers with citations.*first text after \d+ ms/),
      },
    ]);
  });

  it('tries the embedding model inside the service', async () => {
    const { findings } = await diagnose(harness.config.dataDir, { env: { ...settings, EMBEDDINGS: 'on' } });
    expect(findings).toContainEqual(
      expect.objectContaining({
        check: 'embeddings',
        status: 'ok',
        message: expect.stringMatching(/inside/),
      }),
    );
  });

  it.each(OUTSIDE)('finds %s', async (_, check, message, plant) => {
    const { env, ...more } = await plant();
    const { code, findings } = await diagnose(harness.config.dataDir, {
      env: { ...settings, ...env },
      ...more,
    });
    const found = findings.filter((finding) => finding.check === check && finding.status !== 'ok');
    expect(found, JSON.stringify(findings)).toContainEqual(
      expect.objectContaining({ message: expect.stringMatching(message) }),
    );
    expect(code).toBe(findings.some(({ status }) => status === 'problem') ? 1 : 0);
  });

  it.each(INSIDE)('finds %s', async (_, check, message, plant) => {
    const dataDir = join(tempDir(), 'data');
    await commandLine(dataDir).createWorkspace();
    const env = { DATA_DIR: dataDir, PORT: '0', GUIDEPOST_DEMO: 'off', LOG_LEVEL: 'silent' };
    await (await openService(readConfig(env))).close();
    plant(dataDir);
    const { findings } = await diagnose(dataDir, {});
    const found = findings.filter((finding) => finding.check === check && finding.status !== 'ok');
    expect(found, JSON.stringify(findings)).toContainEqual(
      expect.objectContaining({ message: expect.stringMatching(message) }),
    );
  });

  it('finds a full disk', async ({ skip }) => {
    const disk = mkdtempSync(join(tmpdir(), 'guidepost-disk-'));
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=16m,mode=700', 'guidepost', disk]);
    skip(mounted.status !== 0, `the full disk was not tried: ${mounted.stderr}`);
    try {
      const dataDir = join(disk, 'data');
      await commandLine(dataDir).createWorkspace();
      const file = openSync(join(disk, 'other'), 'w');
      expect(() => {
        for (;;) writeSync(file, Buffer.alloc(65_536));
      }).toThrow(/ENOSPC/);
      closeSync(file);
      const { code, findings } = await diagnose(dataDir, {});
      expect(findings).toContainEqual({
        check: 'disk',
        status: 'problem',
        message: '0 MiB are free on the disk: writes will fail soon. Make room.',
      });
      // The file is undamaged, so a backup would not help.
      for (const { message } of findings) expect(message).not.toMatch(/damaged|restore/);
      expect(code).toBe(1);
    } finally {
      spawnSync('umount', ['--lazy', disk]);
      rmdirSync(disk);
    }
  });
});
