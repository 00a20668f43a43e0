/**
 * Loaded into a server under measurement: reports its memory on request, before and after a full
 * collection.
 */
process.on('message', (message) => {
  if (message !== 'readMemory') return;
  const asIs = process.memoryUsage();
  globalThis.gc?.();
  globalThis.gc?.();
  const live = process.memoryUsage();
  process.send?.({
    residentBytes: asIs.rss,
    residentAfterBytes: live.rss,
    heapBytes: live.heapUsed,
    outsideBytes: live.external,
  });
});
process.channel?.unref();
