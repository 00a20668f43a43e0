import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Exchange, toShape } from './exchange.ts';
import { findMismatches } from './find-mismatches.ts';

/** Checks recorded traffic against openapi.yaml; its argument is the folder in which test processes recorded it. */

const PRINTED_MAX = 30;

function parseLines(file: string): Exchange[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Exchange);
}

/** Several processes may have recorded equal exchanges. */
function distinct(exchanges: readonly Exchange[]): Exchange[] {
  return [...new Map(exchanges.map((exchange) => [toShape(exchange), exchange])).values()];
}

const folder = process.argv[2]!;
const exchanges = distinct(readdirSync(folder).flatMap((file) => parseLines(join(folder, file))));
const mismatches = await findMismatches(exchanges);
const seconds = process.uptime().toFixed(1);
console.log(`${exchanges.length} distinct exchanges were validated against openapi.yaml in ${seconds} s.`);
if (mismatches.length > 0) {
  const printed = mismatches.slice(0, PRINTED_MAX).join('\n  ');
  console.error(`The service and openapi.yaml disagree in ${mismatches.length} cases:\n  ${printed}`);
  process.exitCode = 1;
}
