import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../../contract-validation/validate-recorded.ts', import.meta.url));

/**
 * Test servers record their traffic; after the tests, express-openapi-validator checks it against
 * openapi.yaml. It does so in a process of its own: the validator computes for many seconds, in which Vitest
 * could not notice that its workers have ended.
 */
export default function setUp(): (() => Promise<void>) | undefined {
  // Vitest calls this once for each project.
  if (process.env.TRAFFIC_SEEN_DIR) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'guidepost-traffic-'));
  process.env.TRAFFIC_SEEN_DIR = folder;

  return async () => {
    if (readdirSync(folder).length > 0) {
      const [code] = await once(spawn(process.execPath, [PROGRAM, folder], { stdio: 'inherit' }), 'exit');
      if (code !== 0) process.exitCode = 1;
    }
    rmSync(folder, { recursive: true });
  };
}
