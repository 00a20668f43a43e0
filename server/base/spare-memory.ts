import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const CHECK_MILLIS = 1000;
/** Processor time in a second below which the process counts as quiet. */
const QUIET_MICROS_MAX = 100_000;
const QUIET_CHECKS = 5;
/** Work since the last collection that makes another one worthwhile. */
const WORK_MICROS = 3_000_000;

/**
 * Collects garbage once the process is quiet after much work. V8 collects only when it needs room, so a process at rest
 * would keep what its busiest moment took, and the memory of threads that have ended.
 */
export function collectWhenQuiet(workMicros = WORK_MICROS): void {
  let collect: (() => void) | undefined;
  let before = readProcessorMicros();
  let collectedAt = before;
  let quietChecks = 0;
  setInterval(() => {
    const now = readProcessorMicros();
    quietChecks = now - before <= QUIET_MICROS_MAX ? quietChecks + 1 : 0;
    before = now;
    if (quietChecks < QUIET_CHECKS || now - collectedAt < workMicros) return;
    collect ??= openCollector();
    collect();
    collectedAt = readProcessorMicros();
  }, CHECK_MILLIS).unref();
}

/** Processor time of all threads. */
function readProcessorMicros(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** Node offers the collector only with a flag. */
function openCollector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}
