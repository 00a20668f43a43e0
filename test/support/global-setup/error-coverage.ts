import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { contract } from '../../../contract/index.ts';
import type { Router } from '../../../contract/route.ts';

/** Sent before the route of a request is known; test/http/overload.test.ts covers it. */
const BEFORE_ROUTING = 'server/overloaded';
/** It reads nothing but the settings of the process. */
const CANNOT_FAIL = 'readSignInOptions internal';

/**
 * Every declared error has to be provoked: test servers record their errors, and a run of the whole
 * suite fails when one that a route declares is missing.
 */
export default function setUp(): (() => void) | undefined {
  // Vitest calls this once for each project.
  if (process.env.ERRORS_SEEN_DIR) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'guidepost-errors-'));
  process.env.ERRORS_SEEN_DIR = folder;
  const options = process.argv.slice(2);
  const files = options.filter((word) => !word.startsWith('-') && word !== 'run');
  const isWholeSuite =
    files.length === 0 &&
    !options.some((option) => /^--project=(browser|slow|release|cluster|deploy)$/.test(option));

  return () => {
    const seen = new Set(
      readdirSync(folder).flatMap((file) => readFileSync(join(folder, file), 'utf8').split('\n')),
    );
    rmSync(folder, { recursive: true });
    if (!isWholeSuite) {
      console.log('Error coverage is checked only when the whole suite runs.');
      return;
    }
    const routers: Record<string, Router> = contract;
    const missing = Object.values(routers)
      .flatMap((router) => Object.values(router))
      .flatMap(({ metadata }) =>
        metadata.errorCodes
          .filter((code) => code !== BEFORE_ROUTING)
          .map((code) => `${metadata.operationId} ${code}`),
      )
      .filter((error) => error !== CANNOT_FAIL && !seen.has(error));
    if (missing.length === 0) return;
    console.error(`Declared errors that no test provoked:\n  ${missing.join('\n  ')}`);
    process.exitCode = 1;
  };
}
