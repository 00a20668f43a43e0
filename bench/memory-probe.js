/**
 * Loaded into a server under measurement: reports its memory on request, before and after a full
 * collection.
 */
process.on('message', (message) => {
  if (message !== 'readMemory') return;
  const beforeCollection = process.memoryUsage();
  globalThis.gc?.();
  globalThis.gc?.();
  const afterCollection = process.memoryUsage();
  process.send?.({
    residentBytes: beforeCollection.rss,
    residentAfterBytes: afterCollection.rss,
    heapBytes: afterCollection.heapUsed,
    outsideBytes: afterCollection.external,
  });
});
process.channel?.unref();
