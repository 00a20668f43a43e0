/**
 * Lets only a few computations begin in each turn of the event loop. When a commit ends, many begin together; in one
 * long turn they would delay new connections, of which each listener accepts one in a turn.
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
