/**
 * Loaded into the service under measurement: observes event-loop delay and memory, and reports them
 * on request.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';

const SAMPLE_MILLIS = 10;
/** The interval of the timer, which is part of each measured delay. */
const RESOLUTION_MILLIS = 1;

const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MILLIS });
delay.enable();
let peakBytes = 0;
setInterval(() => {
  peakBytes = Math.max(peakBytes, process.memoryUsage.rss());
}, SAMPLE_MILLIS).unref();

const toMillis = (nanos) => Math.max(0, nanos / 1e6 - RESOLUTION_MILLIS);

process.on('message', () => {
  process.send?.({
    residentBytes: process.memoryUsage.rss(),
    peakBytes,
    loopP99Millis: toMillis(delay.percentile(99)),
    loopMaxMillis: toMillis(delay.max),
  });
  delay.reset();
  peakBytes = 0;
});
process.channel?.unref();
