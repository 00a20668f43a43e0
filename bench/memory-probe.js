/** Loaded into a server under measurement: reports its memory on request, and its heap after a full collection. */
process.on('message', (message) => {
  if (message !== 'readMemory') return;
  const residentBytes = process.memoryUsage.rss();
  globalThis.gc?.();
  globalThis.gc?.();
  process.send?.({ residentBytes, heapBytes: process.memoryUsage().heapUsed });
});
process.channel?.unref();
