/** The file of a worker thread: next to its caller in the sources, next to the bundle after the build. */
export function workerFile(name: string, callerUrl: string): URL {
  return new URL(`./${name}${callerUrl.endsWith('.ts') ? '.ts' : '.js'}`, callerUrl);
}
