/** Runs a job that may take longer than the pause between its calls. A call while it runs joins that run. */
export function oneAtATime<T>(job: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => {
    running ??= job().finally(() => {
      running = undefined;
    });
    return running;
  };
}
