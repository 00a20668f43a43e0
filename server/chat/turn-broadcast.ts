import type { SseEvent } from '../http/handler.ts';

/** The frames of a running turn, for any number of readers from any position. The turn stops when its last reader leaves. */
export class TurnBroadcast {
  readonly messageId: string;
  readonly visitorId: string;
  readonly frames: SseEvent[];
  readonly #stopping = new AbortController();
  #ended = false;
  #readers = 0;
  /** Shared by all readers that have caught up. */
  #waiters: PromiseWithResolvers<void> | undefined;

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
    this.#notify();
  }

  /** Ends every subscription once it has read all frames. */
  end(): void {
    this.#ended = true;
    this.#notify();
  }

  stop(reason: 'disconnected' | 'shutdown' | 'paused'): void {
    if (!this.#ended) this.#stopping.abort(reason);
  }

  /** Yields the frames from this position on and those still to come, until `disconnected` aborts. */
  async *subscribe(from: number, disconnected: AbortSignal): AsyncGenerator<SseEvent, void, undefined> {
    this.#readers += 1;
    // A waiting reader has to wake up to notice that it is gone.
    const wake = () => this.#notify();
    disconnected.addEventListener('abort', wake, { once: true });
    try {
      for (let at = from; ; ) {
        while (at < this.frames.length) yield this.frames[at++]!;
        if (this.#ended || disconnected.aborted) return;
        this.#waiters ??= Promise.withResolvers();
        await this.#waiters.promise;
      }
    } finally {
      disconnected.removeEventListener('abort', wake);
      this.#readers -= 1;
      if (this.#readers === 0) this.stop('disconnected');
    }
  }

  #notify(): void {
    this.#waiters?.resolve();
    this.#waiters = undefined;
  }
}

/** The turns that run in this process. */
export type LiveTurns = {
  find(messageId: string): TurnBroadcast | undefined;
  /** Includes reserved slots. */
  countByVisitor(visitorId: string): number;
  /** Takes a slot at once, so concurrent requests cannot exceed the limit together. */
  reserve(visitorId: string, onRelease: () => void): StreamSlot;
  /** Stops every turn because the kill switch is on. */
  pause(): void;
  /** Stops every turn and resolves once all have stored what they had. */
  shutDown(): Promise<void>;
};

export type StreamSlot = {
  /** Occupies the slot until the work is done. */
  run(turn: TurnBroadcast, work: Promise<void>): void;
  /** Frees the slot, unless a turn occupies it. */
  release(): void;
};

export function createLiveTurns(onChange: (open: number) => void): LiveTurns {
  const turns = new Map<string, { turn: TurnBroadcast; work: Promise<void> }>();
  /** A running count, because scanning thousands of open turns for each new one is too slow. */
  const slotsByVisitor = new Map<string, number>();
  const count = (visitorId: string, change: 1 | -1) => {
    const open = (slotsByVisitor.get(visitorId) ?? 0) + change;
    if (open === 0) slotsByVisitor.delete(visitorId);
    else slotsByVisitor.set(visitorId, open);
    onChange(turns.size);
  };
  return {
    find: (messageId) => turns.get(messageId)?.turn,
    countByVisitor: (visitorId) => slotsByVisitor.get(visitorId) ?? 0,
    reserve(visitorId, onRelease) {
      let isTaken = false;
      const free = () => {
        count(visitorId, -1);
        onRelease();
      };
      count(visitorId, 1);
      return {
        run(turn, work) {
          isTaken = true;
          turns.set(turn.messageId, { turn, work });
          onChange(turns.size);
          work.finally(() => {
            turns.delete(turn.messageId);
            free();
          });
        },
        release() {
          if (!isTaken) free();
          isTaken = true;
        },
      };
    },
    pause() {
      for (const { turn } of turns.values()) turn.stop('paused');
    },
    async shutDown() {
      const running = [...turns.values()];
      for (const { turn } of running) turn.stop('shutdown');
      await Promise.allSettled(running.map(({ work }) => work));
    },
  };
}
