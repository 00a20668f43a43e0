import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Exchange, toShape } from '../contract-validation/exchange.ts';

const PRINTED_MAX = 30;

/**
 * Test servers record their traffic; after the tests, express-openapi-validator checks it against
 * openapi.yaml.
 */
export default function setUp(): (() => Promise<void>) | undefined {
  // Vitest calls this once for each project.
  if (process.env.TRAFFIC_SEEN_DIR) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'guidepost-traffic-'));
  process.env.TRAFFIC_SEEN_DIR = folder;

  return async () => {
    const started = performance.now();
    const exchanges = distinct(readdirSync(folder).flatMap((file) => parseLines(join(folder, file))));
    rmSync(folder, { recursive: true });
    if (exchanges.length === 0) return;
    const { findMismatches } = await import('../contract-validation/find-mismatches.ts');
    const mismatches = await findMismatches(exchanges);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    console.log(
      `${exchanges.length} distinct exchanges were validated against openapi.yaml in ${seconds} s.`,
    );
    if (mismatches.length === 0) return;
    const printed = mismatches.slice(0, PRINTED_MAX).join('\n  ');
    console.error(`The service and openapi.yaml disagree in ${mismatches.length} cases:\n  ${printed}`);
    process.exitCode = 1;
  };
}

function parseLines(file: string): Exchange[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Exchange);
}

/** Several processes may have recorded equal exchanges. */
function distinct(exchanges: readonly Exchange[]): Exchange[] {
  return [...new Map(exchanges.map((exchange) => [toShape(exchange), exchange])).values()];
}
