import type { LiveTurn, LiveTurns, StopReason, StreamSlot, TurnFrame, TurnRun } from '../coordination.ts';

/** Hooks by which an adapter for several nodes shares the frames and looks for readers at other nodes. */
type BroadcastHooks = {
  onFrame?: (frame: TurnFrame) => void;
  onEnd?: () => void;
  /** Called when the last reader of this node has left. Without this hook, the turn stops then. */
  onUnread?: (turn: TurnBroadcast) => void;
};

/** The frames of a running turn, for readers from any position. The turn stops when its last reader leaves. */
export class TurnBroadcast implements LiveTurn {
  readonly frames: TurnFrame[];
  readonly #hooks: BroadcastHooks;
  readonly #stopping = new AbortController();
  #ended = false;
  #readers = 0;
  /** Shared by all readers that have caught up. */
  #waiters: PromiseWithResolvers<void> | undefined;

  constructor(earlierFrames: readonly TurnFrame[], hooks: BroadcastHooks = {}) {
    this.frames = [...earlierFrames];
    this.#hooks = hooks;
  }

  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  get isRead(): boolean {
    return this.#readers > 0;
  }

  put(frame: TurnFrame): void {
    this.frames.push(frame);
    this.#hooks.onFrame?.(frame);
    this.#notify();
  }

  end(): void {
    this.#ended = true;
    this.#hooks.onEnd?.();
    this.#notify();
  }

  stop(reason: StopReason): void {
    if (!this.#ended) this.#stopping.abort(reason);
  }

  async *subscribe(from: number, disconnected: AbortSignal): AsyncGenerator<TurnFrame, void, undefined> {
    this.#readers += 1;
    // Wakes a waiting reader that has disconnected.
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
      if (this.#readers === 0) this.#abandon();
    }
  }

  #abandon(): void {
    if (this.#hooks.onUnread && !this.#ended) this.#hooks.onUnread(this);
    else this.stop('disconnected');
  }

  #notify(): void {
    this.#waiters?.resolve();
    this.#waiters = undefined;
  }
}

/** The turns that run in this process, and the slots of their visitors. */
export class LocalTurns {
  readonly #turns = new Map<string, { turn: TurnBroadcast; work: Promise<void> }>();
  /** A running count, because scanning thousands of open turns for each new one is too slow. */
  readonly #slotsByVisitor = new Map<string, number>();
  readonly #onChange: (open: number) => void;

  constructor(onChange: (open: number) => void) {
    this.#onChange = onChange;
  }

  find(messageId: string): TurnBroadcast | undefined {
    return this.#turns.get(messageId)?.turn;
  }

  /** Returns undefined when all slots of the visitor are taken. */
  reserve(
    { messageId, visitorId }: TurnRun,
    slotsMax: number,
    onRelease: () => void,
    hooks?: BroadcastHooks,
  ): StreamSlot | undefined {
    if ((this.#slotsByVisitor.get(visitorId) ?? 0) >= slotsMax) return undefined;
    let turn: TurnBroadcast | undefined;
    let isTaken = false;
    const free = () => {
      this.#count(visitorId, -1);
      onRelease();
    };
    this.#count(visitorId, 1);
    return {
      open: (earlierFrames) => {
        turn = new TurnBroadcast(earlierFrames, hooks);
        return turn;
      },
      run: (work) => {
        isTaken = true;
        const running = { turn: turn!, work };
        this.#turns.set(messageId, running);
        this.#onChange(this.#turns.size);
        work.finally(() => {
          // A later attempt may have begun meanwhile.
          if (this.#turns.get(messageId) === running) this.#turns.delete(messageId);
          free();
        });
      },
      release() {
        if (!isTaken) free();
        isTaken = true;
      },
    };
  }

  stopAll(reason: StopReason): void {
    for (const { turn } of this.#turns.values()) turn.stop(reason);
  }

  async shutDown(): Promise<void> {
    const running = [...this.#turns.values()];
    this.stopAll('shutdown');
    await Promise.allSettled(running.map(({ work }) => work));
  }

  #count(visitorId: string, change: 1 | -1): void {
    const open = (this.#slotsByVisitor.get(visitorId) ?? 0) + change;
    if (open === 0) this.#slotsByVisitor.delete(visitorId);
    else this.#slotsByVisitor.set(visitorId, open);
    this.#onChange(this.#turns.size);
  }
}

/** Creates the live turns of a single node, which knows all turns. */
export function createMemoryLiveTurns(onChange: (open: number) => void): LiveTurns {
  const turns = new LocalTurns(onChange);
  return {
    follow: async (messageId, from, disconnected) => turns.find(messageId)?.subscribe(from, disconnected),
    reserve: async (run, slotsMax, onRelease) => turns.reserve(run, slotsMax, onRelease),
    recover: async () => [],
    pause: () => turns.stopAll('paused'),
    shutDown: () => turns.shutDown(),
  };
}
