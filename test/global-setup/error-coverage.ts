import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { contract } from '../../contract/index.ts';
import type { Router } from '../../contract/route.ts';

/**
 * A refusal that no test can provoke is a promise that nobody has seen kept. Every test server writes down what it refused; when the whole
 * suite has run, each refusal that a route declares must be among it.
 */
export default function setUp(): (() => void) | undefined {
  // Each project of the configuration calls this; together they are one suite.
  if (process.env.REFUSALS_SEEN_DIR) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'guidepost-refusals-'));
  process.env.REFUSALS_SEEN_DIR = folder;
  const isWholeSuite =
    process.argv
      .slice(2)
      .filter((word) => !word.startsWith('-'))
      .join(' ') === 'run';

  return () => {
    const seen = new Set(
      readdirSync(folder).flatMap((file) => readFileSync(join(folder, file), 'utf8').split('\n')),
    );
    rmSync(folder, { recursive: true });
    if (!isWholeSuite) {
      console.log('Only part of the suite ran, so that its refusals were not counted.');
      return;
    }
    const surfaces: Record<string, Router> = contract;
    const missing = Object.values(surfaces)
      .flatMap((router) => Object.values(router))
      .flatMap(({ metadata }) => metadata.errorCodes.map((code) => `${metadata.operationId} ${code}`))
      .filter((refusal) => !seen.has(refusal));
    if (missing.length === 0) return;
    console.error(`Declared refusals that no test provoked:\n  ${missing.join('\n  ')}`);
    process.exitCode = 1;
  };
}
