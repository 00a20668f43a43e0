/** Returns the file of a worker thread: beside its caller in the sources, beside the bundle after the build. */
export function getWorkerFile(name: string, callerUrl: string): URL {
  return new URL(`./${name}${callerUrl.endsWith('.ts') ? '.ts' : '.js'}`, callerUrl);
}
