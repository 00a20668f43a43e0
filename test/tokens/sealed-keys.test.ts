import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ConfigError, readConfig } from '../../server/settings/config.ts';
import { keyFileIn } from '../../server/tokens/key-ring.ts';
import { openSealedKeyRing, readSealedRingId } from '../../server/tokens/sealed-keys.ts';
import { commandLine } from '../support/command-line.ts';
import { clock, openHarness } from '../support/harness.ts';
import { tempDir } from '../support/temp-dir.ts';
import { getTokenStatus, partsOf, secretsIn } from './forged-tokens.ts';

const SECRET = 'a sealing secret of 32 bytes or more of these';
const OTHER = 'quite another secret which has 32 bytes as well';
const env = { GUIDEPOST_SECRET: SECRET };
const kidOf = (jwt: string) => partsOf(jwt).head.kid;

describe('keys sealed in the database', () => {
  it('survive a restart without a file', async () => {
    const harness = await openHarness({ env });
    const { jwt, visitor_id } = await harness.boot();
    const next = await harness.restart();
    expect(existsSync(keyFileIn(next.dataDir))).toBe(false);
    expect(await getTokenStatus(next, jwt)).toBe('accepted');
    expect((await next.boot({ visitor_id })).visitor_id).toBe(visitor_id);
    await next.close();
  });

  it('are the same for two nodes that start together', async () => {
    const harness = await openHarness();
    const { sealedKeys } = harness.service.store;
    const open = () =>
      openSealedKeyRing({
        ...{ sealedKeys, secrets: [SECRET], dataDir: tempDir(), configured: [], expectedId: undefined },
        nowMillis: clock.now(),
      });
    const rings = await Promise.all([open(), open(), open()]);
    expect(new Set(rings.map(({ id }) => id)).size).toBe(1);
    expect(await readSealedRingId({ sealedKeys, secrets: [SECRET] })).toBe(rings[0]!.id);
    await harness.close();
  });

  it('are taken over from the file, so that visitors and tokens remain valid', async () => {
    const harness = await openHarness();
    const { jwt, visitor_id } = await harness.boot();
    const { visitorIdSecret } = secretsIn(harness.dataDir);
    await harness.service.close();
    const sealed = await openHarness({ dataDir: harness.dataDir, env });
    rmSync(keyFileIn(harness.dataDir));
    const next = await sealed.restart();
    expect(await getTokenStatus(next, jwt)).toBe('accepted');
    expect((await next.boot({ visitor_id })).visitor_id).toBe(visitor_id);
    const sealedText = (await next.service.store.sealedKeys.get())!;
    expect(sealedText).not.toContain(visitorIdSecret);
    expect(readFileSync(next.config.database.file, 'latin1')).not.toContain(visitorIdSecret);
    await next.close();
  });

  it('are rotated for every node within a second', async () => {
    const harness = await openHarness({ env });
    const before = (await harness.boot()).jwt;
    const rotated = await commandLine(harness.dataDir, clock.now, env).json(['token', 'rotate']);
    await harness.service.tick();
    expect(kidOf((await harness.boot()).jwt)).toBe(kidOf(before));
    clock.advance(6_000);
    const after = (await harness.boot()).jwt;
    expect(kidOf(after)).toBe(rotated.kid);
    expect(await getTokenStatus(harness, before)).toBe('accepted');
    expect(await getTokenStatus(harness, after)).toBe('accepted');
    await harness.close();
  });

  it('prevent the start with another secret, or without one', async () => {
    const harness = await openHarness({ env });
    await harness.service.close();
    const start = (secret: string) =>
      openHarness({ dataDir: harness.dataDir, env: { GUIDEPOST_SECRET: secret } });
    await expect(start(OTHER)).rejects.toThrow('GUIDEPOST_SECRET is not the secret');
    await expect(start('')).rejects.toThrow('set GUIDEPOST_SECRET');
    const rotate = (settings: Record<string, string>) =>
      commandLine(harness.dataDir, clock.now, settings).runInProcess(['token', 'rotate']);
    expect(await rotate({})).toMatchObject({ code: 1, stderr: expect.stringContaining('GUIDEPOST_SECRET') });
    expect(await rotate({ GUIDEPOST_SECRET: OTHER })).toMatchObject({ code: 1 });
    await (await start(SECRET)).close();
  });

  it('are sealed again under a new secret that is listed before the old one', async () => {
    const harness = await openHarness({ env });
    const { jwt } = await harness.boot();
    await harness.service.close();
    const start = (secret: string) =>
      openHarness({ dataDir: harness.dataDir, env: { GUIDEPOST_SECRET: secret } });
    await (await start(`${OTHER},${SECRET}`)).service.close();
    const next = await start(OTHER);
    expect(await getTokenStatus(next, jwt)).toBe('accepted');
    await next.service.close();
    await expect(start(SECRET)).rejects.toThrow('GUIDEPOST_SECRET is not the secret');
  });

  it('can be replaced when their secret is lost', async () => {
    const harness = await openHarness({ env });
    const { jwt } = await harness.boot();
    await harness.service.close();
    const cli = (secret: string) => commandLine(harness.dataDir, clock.now, { GUIDEPOST_SECRET: secret });
    expect(await cli(SECRET).runInProcess(['token', 'reset'])).toMatchObject({ code: 1 });
    await cli(OTHER).json(['token', 'reset']);
    const next = await openHarness({ dataDir: harness.dataDir, env: { GUIDEPOST_SECRET: OTHER } });
    expect(await getTokenStatus(next, jwt)).toBe('visitor/unauthorized');
    expect(await getTokenStatus(next, (await next.boot()).jwt)).toBe('accepted');
    await next.close();
  });

  it('are in a backup, which needs no file of keys', async () => {
    const harness = await openHarness({ env });
    const { jwt } = await harness.boot();
    const file = join(tempDir(), 'copy.db');
    const backup = await commandLine(harness.dataDir, clock.now, env).json(['backup', file]);
    expect(backup.keys).toBeUndefined();
    await harness.close();
    const dataDir = tempDir();
    const restored = await commandLine(dataDir, clock.now, env).json(['restore', file]);
    expect(restored.keys).toBe('none');
    const next = await openHarness({ dataDir, env });
    expect(await getTokenStatus(next, jwt)).toBe('accepted');
    await next.close();
  });
});

describe('GUIDEPOST_SECRET', () => {
  it('has to be long and random', () => {
    for (const secret of ['short', 'a'.repeat(64), `${SECRET},short`]) {
      expect(() => readConfig({ GUIDEPOST_SECRET: secret })).toThrow(ConfigError);
    }
    expect(readConfig({ GUIDEPOST_SECRET: `${SECRET}, ${OTHER}` }).secrets).toEqual([SECRET, OTHER]);
  });
});
