import { createSecretKey, randomBytes } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { decodeProtectedHeader } from 'jose';
import { describe, expect, it } from 'vitest';
import { CHAT_LIMITS } from '../../contract/limits/chat.ts';
import { ConfigError, readConfig } from '../../server/settings/config.ts';
import { KeyRingRefused, openKeyRing, rotateKeyRing } from '../../server/tokens/key-ring.ts';
import { clock, openHarness } from '../support/harness.ts';
import { tempDir } from '../support/temp-dir.ts';
import { forge, getTokenStatus, partsOf, secretsIn } from './forged-tokens.ts';

const RING = 'visitor-token-keys.json';

describe('the key ring', () => {
  it('rotates under load without a wrong 401; old tokens stay valid until they expire', async () => {
    const harness = await openHarness({ env: { TRUSTED_PROXIES: 'loopback' } });
    const issued: { jwt: string; expiresAtMillis: number }[] = [];
    const kids = new Set<unknown>();
    let checks = 0;
    const wrong: string[] = [];
    const checkAll = () =>
      Promise.all(
        issued
          .filter(({ expiresAtMillis }) => expiresAtMillis > clock.now())
          .map(async ({ jwt }) => {
            checks += 1;
            const is = await getTokenStatus(harness, jwt);
            if (is !== 'accepted') wrong.push(`${is} ${JSON.stringify(partsOf(jwt).head)}`);
          }),
      );
    for (let step = 0; step < 60; step++) {
      if (step % 15 === 5) rotateKeyRing(harness.dataDir, clock.now());
      const booted = await Promise.all(
        Array.from({ length: 4 }, (_, i) => harness.boot({}, { 'x-forwarded-for': `192.0.2.${i}` })),
      );
      for (const { jwt, jwt_expires_at } of booted) {
        issued.push({ jwt, expiresAtMillis: jwt_expires_at * 1000 });
        kids.add(partsOf(jwt).head.kid);
      }
      if (step % 8 === 0) await checkAll();
      clock.advance(17_000);
      await harness.service.tick();
    }
    expect(wrong).toEqual([]);
    expect(checks).toBeGreaterThan(500);
    expect(kids.size).toBe(5);
    await harness.close();
  });

  it('retires a key after every token that it signed has expired', async () => {
    const harness = await openHarness();
    const { jwt } = await harness.boot();
    const { signsFromMillis } = rotateKeyRing(harness.dataDir, clock.now());
    await harness.service.tick();
    clock.advance(signsFromMillis - clock.now() + 1);
    expect(partsOf((await harness.boot()).jwt).head.kid).not.toBe(partsOf(jwt).head.kid);
    expect(await getTokenStatus(harness, jwt)).toBe('accepted');
    clock.advance((CHAT_LIMITS.visitorTokenSeconds + 60) * 1000);
    expect(await getTokenStatus(harness, jwt)).toBe('jwt_expired');
    clock.advance(20 * 60 * 1000);
    expect(await getTokenStatus(harness, jwt)).toBe('visitor/unauthorized');
    // A new token that was signed with the retired key is rejected too.
    const { head, claims } = partsOf(jwt);
    const old = secretsIn(harness.dataDir).keys.find(({ kid }) => kid === head.kid)!;
    const iat = Math.floor(clock.now() / 1000);
    const fresh = { ...claims, iat, nbf: iat, exp: iat + 600 };
    const stolen = forge(head, fresh, Buffer.from(old.secret, 'base64url'));
    expect(await getTokenStatus(harness, stolen)).toBe('visitor/unauthorized');
    await harness.close();
  });

  it('rejects tokens of a key that an operator removed, even if they were just verified', async () => {
    const harness = await openHarness();
    const { jwt } = await harness.boot();
    expect(await getTokenStatus(harness, jwt)).toBe('accepted');
    rotateKeyRing(harness.dataDir, clock.now());
    const file = join(harness.dataDir, 'visitor-token-keys.json');
    const ring = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, JSON.stringify({ ...ring, keys: ring.keys.slice(-1) }));
    await harness.service.tick();
    expect(await getTokenStatus(harness, jwt)).toBe('visitor/unauthorized');
    expect(await getTokenStatus(harness, (await harness.boot()).jwt)).toBe('accepted');
    await harness.close();
  });

  it('works for servers with copies of one ring before, during and after a rotation', async () => {
    const firstServer = await openHarness();
    const secondServer = await firstServer.afterCrash();
    const bothTake = async (jwt: string) =>
      expect([await getTokenStatus(firstServer, jwt), await getTokenStatus(secondServer, jwt)]).toEqual([
        'accepted',
        'accepted',
      ]);
    const before = (await firstServer.boot()).jwt;
    await bothTake(before);
    await bothTake((await secondServer.boot()).jwt);
    rotateKeyRing(firstServer.dataDir, clock.now());
    cpSync(join(firstServer.dataDir, RING), join(secondServer.dataDir, RING));
    // Only one server has read the new ring, so neither may sign with the new key yet.
    await firstServer.service.tick();
    await bothTake((await firstServer.boot()).jwt);
    await secondServer.service.tick();
    clock.advance(6000);
    const after = [(await firstServer.boot()).jwt, (await secondServer.boot()).jwt];
    expect(after.map((jwt) => partsOf(jwt).head.kid)).not.toContain(partsOf(before).head.kid);
    for (const jwt of [before, ...after]) await bothTake(jwt);
    const { visitor_id } = await firstServer.boot();
    expect((await secondServer.boot({ visitor_id })).visitor_id).toBe(visitor_id);
    await secondServer.close();
    await firstServer.close();
  });

  it('is created once when several servers start on an empty folder at the same time', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'guidepost-ring-'));
    const gate = new SharedArrayBuffer(4);
    const workers = Array.from(
      { length: 6 },
      () => new Worker(new URL('key-ring-worker.ts', import.meta.url), { workerData: { dataDir, gate } }),
    );
    const next = (worker: Worker) =>
      new Promise<string>((resolve, reject) => worker.once('message', resolve).once('error', reject));
    await Promise.all(workers.map(next));
    const opened = Promise.all(workers.map(next));
    Atomics.store(new Int32Array(gate), 0, 1);
    Atomics.notify(new Int32Array(gate), 0);
    expect(new Set(await opened).size).toBe(1);
    await Promise.all(workers.map((worker) => worker.terminate()));
    rmSync(dataDir, { recursive: true });
  });

  it('uses configured keys instead of the file: the first one signs, all verify', async () => {
    const secrets = { newer: randomBytes(32), older: randomBytes(32) };
    const setting = (names: readonly (keyof typeof secrets)[]) => ({
      VISITOR_TOKEN_KEYS: names.map((name) => `${name}:${secrets[name].toString('base64url')}`).join(','),
    });
    const first = await openHarness();
    const ofFile = (await first.boot()).jwt;
    await first.service.close();
    const second = await openHarness({ dataDir: first.dataDir, env: setting(['older']) });
    const ofOlder = (await second.boot()).jwt;
    expect(decodeProtectedHeader(ofOlder).kid).toBe('older');
    expect(await getTokenStatus(second, ofFile)).toBe('visitor/unauthorized');
    await second.service.close();
    const third = await openHarness({ dataDir: first.dataDir, env: setting(['newer', 'older']) });
    const ofNewer = (await third.boot()).jwt;
    expect(decodeProtectedHeader(ofNewer).kid).toBe('newer');
    for (const jwt of [ofOlder, ofNewer]) expect(await getTokenStatus(third, jwt)).toBe('accepted');
    await third.service.close();
    const fourth = await openHarness({ dataDir: first.dataDir, env: setting(['newer']) });
    expect(await getTokenStatus(fourth, ofOlder)).toBe('visitor/unauthorized');
    expect(await getTokenStatus(fourth, ofNewer)).toBe('accepted');
    await fourth.close();
  });

  it.each([
    ['too short', `a:${Buffer.alloc(31, 'abcdefghijk').toString('base64url')}`],
    ['not random', `a:${Buffer.alloc(32, 'ab').toString('base64url')}`],
    ['without a name', randomBytes(32).toString('base64url')],
    ['with a name that is none', `a b:${randomBytes(32).toString('base64url')}`],
    [
      'of the same name',
      `a:${randomBytes(32).toString('base64url')},a:${randomBytes(32).toString('base64url')}`,
    ],
  ])('rejects configured keys that are %s, without printing them', (_why, keys) => {
    expect(() => readConfig({ VISITOR_TOKEN_KEYS: keys })).toThrow(ConfigError);
    for (const secret of keys.split(',').map((key) => key.split(':').at(-1)!)) {
      expect(() => readConfig({ VISITOR_TOKEN_KEYS: keys })).not.toThrow(secret);
    }
  });

  it('is stored in a file with mode 600 and its secrets are never logged', async () => {
    const harness = await openHarness();
    const file = join(harness.dataDir, 'visitor-token-keys.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    rotateKeyRing(harness.dataDir, clock.now());
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const { keys, visitorIdSecret } = secretsIn(harness.dataDir);
    const { jwt } = await harness.boot();
    await getTokenStatus(harness, jwt);
    await getTokenStatus(harness, `${jwt}x`);
    // With a damaged file, a running server logs an error and keeps the keys that it has read.
    const text = readFileSync(file, 'utf8');
    for (const damaged of [
      text.replace('{', ''),
      text.replace('"secret"', '"secrets"'),
      `${keys[0]!.secret}`,
    ]) {
      writeFileSync(file, damaged);
      await harness.service.tick();
      expect(await getTokenStatus(harness, jwt)).toBe('accepted');
      expect(() => openKeyRing(harness.dataDir, [], clock.now())).toThrow('does not hold visitor token keys');
    }
    const log = JSON.stringify(harness.logged);
    expect(log).toContain('does not hold visitor token keys');
    for (const secret of [visitorIdSecret, ...keys.map(({ secret }) => secret)]) {
      expect(log).not.toContain(secret.slice(0, 12));
    }
    expect(log).not.toContain(jwt.split('.')[2]);
    await harness.close();
  });

  it('rejects a key file with a secret that is too short', () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'guidepost-ring-'));
    openKeyRing(dataDir, [], clock.now());
    const ring = secretsIn(dataDir);
    const short = { ...ring, keys: [{ ...ring.keys[0], secret: 'c2hvcnQ' }] };
    writeFileSync(join(dataDir, 'visitor-token-keys.json'), JSON.stringify(short));
    expect(() => openKeyRing(dataDir, [], clock.now())).toThrow(/shorter than 32 bytes/);
    rmSync(dataDir, { recursive: true });
  });

  it.skipIf(process.platform === 'win32')('rejects a key file that other users can read', () => {
    const dataDir = tempDir();
    openKeyRing(dataDir, [], clock.now());
    chmodSync(join(dataDir, 'visitor-token-keys.json'), 0o644);
    expect(() => openKeyRing(dataDir, [], clock.now())).toThrow(KeyRingRefused);
    expect(() => rotateKeyRing(dataDir, clock.now())).toThrow(/chmod 600/);
    // A group may read it: containers mount volumes that way.
    chmodSync(join(dataDir, 'visitor-token-keys.json'), 0o640);
    openKeyRing(dataDir, [], clock.now());
    rmSync(dataDir, { recursive: true });
  });

  it('does not start without the ring, or with the ring of another database', async () => {
    const harness = await openHarness();
    const file = join(harness.dataDir, 'visitor-token-keys.json');
    await harness.service.close();
    renameSync(file, `${file}.lost`);
    await expect(openHarness({ dataDir: harness.dataDir })).rejects.toThrow(
      /keys of this database are missing.*token reset/,
    );
    expect(existsSync(file)).toBe(false);
    openKeyRing(harness.dataDir, [], clock.now());
    await expect(openHarness({ dataDir: harness.dataDir })).rejects.toThrow(/keys of another database/);
    renameSync(`${file}.lost`, file);
    await (await openHarness({ dataDir: harness.dataDir })).close();
  });

  it('keeps the key of visitor ids apart from signing keys when it rotates', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'guidepost-ring-'));
    const ring = openKeyRing(dataDir, [], clock.now());
    const before = ring.visitorIdKey.export();
    rotateKeyRing(dataDir, clock.now());
    ring.refresh();
    expect(openKeyRing(dataDir, [], clock.now()).visitorIdKey.equals(createSecretKey(before))).toBe(true);
    expect(ring.signing(clock.now()).key.equals(ring.visitorIdKey)).toBe(false);
    rmSync(dataDir, { recursive: true });
  });
});
