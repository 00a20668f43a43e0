import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { writeBackup } from '../../server/backup/backup.ts';
import { VERSION } from '../../server/base/version.ts';
import { decide } from '../support/decisions.ts';
import { openHarness } from '../support/harness.ts';
import { tempDir } from '../support/temp-dir.ts';
import { RELEASE_ENV } from './releases.ts';

/** Writes the filled database of this version, for upgrades by later ones: `node test/backup/write-release.ts`. */
const folder = tempDir();
const harness = await openHarness({ env: RELEASE_ENV });
const visitor = await harness.boot();
const { status } = await decide(harness, visitor);
if (status !== 200) throw new Error(`The decision was answered with ${status}.`);
for (const message of ['How long do refunds take?', 'Where is my order?'])
  await harness.ask(visitor.jwt, { message });
const file = join(folder, 'release.db');
await writeBackup(harness.service.store, file, harness.config.dataDir);
const target = join(import.meta.dirname, 'releases', VERSION.version);
writeFileSync(`${target}.db.gz`, gzipSync(readFileSync(file), { level: 9 }));
await harness.close();
rmSync(folder, { recursive: true });
