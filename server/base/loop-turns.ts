/**
 * Hands out the turns of the event loop, a few to each. Long computations that begin together, such as those that one
 * commit releases, would otherwise run behind each other in one turn, which accepts only one connection.
 */
export function createLoopTurns(atOnce: number): () => Promise<void> {
  const waiting: (() => void)[] = [];
  const begin = () => {
    for (const next of waiting.splice(0, atOnce)) next();
    if (waiting.length > 0) setImmediate(begin);
  };
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (waiting.length === 1) setImmediate(begin);
    });
}
