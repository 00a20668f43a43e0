import type { SseEvent } from '../http/handler.ts';

/**
 * A turn while it runs: frames are put in at one end and followed from any point at the other, by any number of readers. When the
 * last reader hangs up, the work stops.
 */
export class LiveTurn {
  readonly messageId: string;
  readonly visitorId: string;
  readonly frames: SseEvent[];
  readonly #stopping = new AbortController();
  #ended = false;
  #readers = 0;
  /** What the readers that have read everything wait for. */
  #news: PromiseWithResolvers<void> | undefined;

  constructor(identity: {
    readonly messageId: string;
    readonly visitorId: string;
    readonly earlierFrames: readonly SseEvent[];
  }) {
    this.messageId = identity.messageId;
    this.visitorId = identity.visitorId;
    this.frames = [...identity.earlierFrames];
  }

  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  put(frame: SseEvent): void {
    this.frames.push(frame);
    this.#tell();
  }

  /** No more frames will come. */
  end(): void {
    this.#ended = true;
    this.#tell();
  }

  /** Stops the work: nobody listens any more, or the server is going down. */
  stop(reason: 'hang_up' | 'shutdown'): void {
    if (!this.#ended) this.#stopping.abort(reason);
  }

  /** The frames from this position on, then those to come, until the signal says that the reader is gone. */
  async *follow(from: number, gone: AbortSignal): AsyncGenerator<SseEvent, void, undefined> {
    this.#readers += 1;
    // A reader that waits for news has to be woken to notice that nobody reads any more.
    const wake = () => this.#tell();
    gone.addEventListener('abort', wake, { once: true });
    try {
      for (let at = from; ; ) {
        while (at < this.frames.length) yield this.frames[at++]!;
        if (this.#ended || gone.aborted) return;
        this.#news ??= Promise.withResolvers();
        await this.#news.promise;
      }
    } finally {
      gone.removeEventListener('abort', wake);
      this.#readers -= 1;
      if (this.#readers === 0) this.stop('hang_up');
    }
  }

  #tell(): void {
    this.#news?.resolve();
    this.#news = undefined;
  }
}

/** The turns that run in this process. */
export type LiveTurns = {
  /** With the places that are reserved. */
  readonly size: number;
  find(messageId: string): LiveTurn | undefined;
  /** With the places that are reserved. */
  countOf(visitorId: string): number;
  /** Counts from this moment on, so that those who come together do not all find the same place free. */
  reserve(visitorId: string): Place;
  /** Stops every turn and resolves when all have stored what they had. */
  shutDown(): Promise<void>;
};

export type Place = {
  /** The turn runs here until its work is done. */
  take(turn: LiveTurn, work: Promise<void>): void;
  /** For whoever found no turn to run; does nothing once one does. */
  leave(): void;
};

export function createLiveTurns(onChange: (open: number) => void): LiveTurns {
  const turns = new Map<string, { turn: LiveTurn; work: Promise<void> }>();
  /** Counted as they come and go: looking through all that are open, for each new one, is what thousands of them would die of. */
  const ofVisitors = new Map<string, number>();
  let places = 0;
  const count = (visitorId: string, change: 1 | -1) => {
    const open = (ofVisitors.get(visitorId) ?? 0) + change;
    if (open === 0) ofVisitors.delete(visitorId);
    else ofVisitors.set(visitorId, open);
    places += change;
    onChange(turns.size);
  };
  return {
    get size() {
      return places;
    },
    find: (messageId) => turns.get(messageId)?.turn,
    countOf: (visitorId) => ofVisitors.get(visitorId) ?? 0,
    reserve(visitorId) {
      let isTaken = false;
      count(visitorId, 1);
      return {
        take(turn, work) {
          isTaken = true;
          turns.set(turn.messageId, { turn, work });
          onChange(turns.size);
          work.finally(() => {
            turns.delete(turn.messageId);
            count(visitorId, -1);
          });
        },
        leave() {
          if (!isTaken) count(visitorId, -1);
          isTaken = true;
        },
      };
    },
    async shutDown() {
      const running = [...turns.values()];
      for (const { turn } of running) turn.stop('shutdown');
      await Promise.allSettled(running.map(({ work }) => work));
    },
  };
}
