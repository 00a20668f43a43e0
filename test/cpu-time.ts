/** How long this thread has worked, in milliseconds: what others do at the same time on a busy machine is not in it. */
export async function cpuMillisOf(work: () => unknown): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
