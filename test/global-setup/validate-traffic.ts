import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type SeenExchange, shapeOf } from '../contract-validation/exchange.ts';

const FINDINGS_TOLD_MAX = 30;

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
    const exchanges = distinct(readdirSync(folder).flatMap((file) => linesOf(join(folder, file))));
    rmSync(folder, { recursive: true });
    if (exchanges.length === 0) return;
    const { findingsIn } = await import('../contract-validation/findings.ts');
    const findings = await findingsIn(exchanges);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    console.log(
      `${exchanges.length} distinct exchanges were validated against openapi.yaml in ${seconds} s.`,
    );
    if (findings.length === 0) return;
    const told = findings.slice(0, FINDINGS_TOLD_MAX).join('\n  ');
    console.error(`The service and openapi.yaml disagree in ${findings.length} cases:\n  ${told}`);
    process.exitCode = 1;
  };
}

function linesOf(file: string): SeenExchange[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as SeenExchange);
}

/** Processes record the same exchanges. */
function distinct(exchanges: readonly SeenExchange[]): SeenExchange[] {
  return [...new Map(exchanges.map((exchange) => [shapeOf(exchange), exchange])).values()];
}
