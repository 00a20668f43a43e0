import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const CHECK_MILLIS = 1000;
/** Processor time in a second below which the process counts as quiet. */
const QUIET_MICROS_MAX = 100_000;
const QUIET_CHECKS = 5;
/** Growth since the last collection that makes another one worthwhile. */
const GROWTH_BYTES = 32 * 1024 * 1024;

/**
 * Collects garbage once the process is quiet after it has grown. V8 collects only when it needs room, so a process at
 * rest would keep what its busiest moment took, and the memory of threads that have ended.
 */
export function collectWhenQuiet(): void {
  let collect: (() => void) | undefined;
  let before = readProcessorMicros();
  /** The least memory since the last collection, because the system takes back what was collected a little later. */
  let leastBytes = process.memoryUsage.rss();
  let quietChecks = 0;
  setInterval(() => {
    const now = readProcessorMicros();
    quietChecks = now - before <= QUIET_MICROS_MAX ? quietChecks + 1 : 0;
    before = now;
    const bytes = process.memoryUsage.rss();
    leastBytes = Math.min(leastBytes, bytes);
    if (quietChecks < QUIET_CHECKS || bytes < leastBytes + GROWTH_BYTES) return;
    collect ??= openCollector();
    collect();
    leastBytes = process.memoryUsage.rss();
  }, CHECK_MILLIS).unref();
}

/** Processor time of all threads. */
function readProcessorMicros(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** Node offers the collector only with a flag. The last resort gives free pages back at once, others much later or never. */
function openCollector(): () => void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as NodeJS.GCFunction;
  return () => collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
