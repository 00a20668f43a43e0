import type { Frame } from '../http/handler.ts';

/**
 * A turn while it runs: frames are put in at one end and followed from any point at the other, by any number of readers. When the
 * last reader hangs up, the work stops.
 */
export type LiveTurn = {
  readonly messageId: string;
  readonly visitorId: string;
  readonly signal: AbortSignal;
  readonly frames: readonly Frame[];
  put(frame: Frame): void;
  /** No more frames will come. */
  end(): void;
  /** Stops the work: nobody listens any more, or the server is going down. */
  stop(reason: 'hang_up' | 'shutdown'): void;
  /** The frames from this position on, then those to come, until the signal says that the reader is gone. */
  follow(from: number, gone: AbortSignal): AsyncGenerator<Frame, void, undefined>;
};

export function createLiveTurn(identity: {
  readonly messageId: string;
  readonly visitorId: string;
  readonly earlierFrames: readonly Frame[];
}): LiveTurn {
  const { earlierFrames, ...named } = identity;
  const frames: Frame[] = [...earlierFrames];
  const stopping = new AbortController();
  let ended = false;
  let readers = 0;
  let news = Promise.withResolvers<void>();
  const tell = () => {
    news.resolve();
    news = Promise.withResolvers();
  };
  const turn: LiveTurn = {
    ...named,
    signal: stopping.signal,
    frames,
    put(frame) {
      frames.push(frame);
      tell();
    },
    end() {
      ended = true;
      tell();
    },
    stop(reason) {
      if (!ended) stopping.abort(reason);
    },
    async *follow(from, gone) {
      readers += 1;
      // A reader that waits for news has to be woken to notice that nobody reads any more.
      gone.addEventListener('abort', tell, { once: true });
      try {
        for (let at = from; ; ) {
          while (at < frames.length) yield frames[at++]!;
          if (ended || gone.aborted) return;
          await news.promise;
        }
      } finally {
        gone.removeEventListener('abort', tell);
        readers -= 1;
        if (readers === 0) turn.stop('hang_up');
      }
    },
  };
  return turn;
}

/** The turns that run in this process. */
export type LiveTurns = {
  readonly size: number;
  find(messageId: string): LiveTurn | undefined;
  countOf(visitorId: string): number;
  add(turn: LiveTurn, work: Promise<void>): void;
  /** Stops every turn and resolves when all have stored what they had. */
  shutDown(): Promise<void>;
};

export function createLiveTurns(onChange: (open: number) => void): LiveTurns {
  const turns = new Map<string, { turn: LiveTurn; work: Promise<void> }>();
  return {
    get size() {
      return turns.size;
    },
    find: (messageId) => turns.get(messageId)?.turn,
    countOf: (visitorId) => [...turns.values()].filter(({ turn }) => turn.visitorId === visitorId).length,
    add(turn, work) {
      turns.set(turn.messageId, { turn, work });
      onChange(turns.size);
      work.finally(() => {
        turns.delete(turn.messageId);
        onChange(turns.size);
      });
    },
    async shutDown() {
      const running = [...turns.values()];
      for (const { turn } of running) turn.stop('shutdown');
      await Promise.allSettled(running.map(({ work }) => work));
    },
  };
}
