import type { BucketName } from '../../contract/limits/rate-limits.ts';

/**
 * The state that the nodes of an installation share while they run: rate limits, running turns, announcements, and
 * which node runs the jobs that only one may run. Nothing here is durable. In memory there is one node; over Redis
 * there are several, and each works as if it were alone while Redis is away. `test/coordination/coordination.suite.ts`
 * defines the behaviour: an adapter is correct when it passes.
 */
export type Coordination = {
  rateLimits: RateLimits;
  liveTurns: LiveTurns;
  announcements: Announcements;
  /** Whether this node runs the jobs that only one node may run. Jobs must tolerate two leaders for a moment. */
  isLeader(): boolean;
  state(): CoordinationState;
  close(): Promise<void>;
};

/** `single`: there are no other nodes. `shared`: connected to the other nodes. `alone`: other nodes are unreachable. */
export type CoordinationState = 'single' | 'shared' | 'alone';

/** Identifies the window in which a bucket counts the requests of one caller. */
export type RateLimitKey = {
  bucket: BucketName;
  key: string;
  /** The caller's network, in a bucket whose windows networks share. */
  network?: string;
};

export type RateLimitOutcome =
  | {
      /** Index of the first window without points left for the caller. No window lost a point. */
      exceededAt: number;
      millisLeft: number;
    }
  | {
      exceededAt?: undefined;
      /** The remaining points of each window after this request. */
      remaining: readonly { points: number; millis: number }[];
    };

export type RateLimits = {
  /**
   * Takes one point from each window in one step, or none at all when a window has no points left or the network has
   * used its share of it (`Sharing`). Shares may be lost in a restart, points may not.
   */
  consume(windows: readonly RateLimitKey[]): Promise<RateLimitOutcome>;
  /** Gives one point back to each window that is still running. */
  refund(windows: readonly RateLimitKey[]): void;
  /** Stores the windows that changed since the last call, if the adapter keeps windows across restarts. */
  save(): Promise<void>;
};

/** One Server-Sent Event of an answer, numbered from 0: `<message_id>:<seq>`. */
export type TurnFrame = { id: string; event: string; data: string };

export type StopReason = 'disconnected' | 'shutdown' | 'paused';

/** A turn that runs on this node. It stops when its last reader on any node has left. */
export type LiveTurn = {
  /** All frames so far, those of earlier attempts included. */
  frames: readonly TurnFrame[];
  /** Aborted with a `StopReason`. */
  signal: AbortSignal;
  put(frame: TurnFrame): void;
  /** Ends every subscription once it has read all frames. */
  end(): void;
  /** Yields the frames from this position on and those still to come, until `disconnected` aborts. */
  subscribe(from: number, disconnected: AbortSignal): AsyncGenerator<TurnFrame, void, undefined>;
};

/** Identifies one run of a turn. */
export type TurnRun = { messageId: string; visitorId: string; attempt: number };

export type LiveTurns = {
  /**
   * Yields the frames of a running turn from this position on; undefined when no node runs it. Throws `TurnLost` when
   * its node goes away: then another attempt may take over.
   */
  follow(
    messageId: string,
    from: number,
    disconnected: AbortSignal,
  ): Promise<AsyncGenerator<TurnFrame, void, undefined> | undefined>;
  /**
   * Takes one of the visitor's slots before anything else, so that concurrent requests cannot exceed the limit
   * together. From then on the other nodes see that the turn runs here. Returns undefined when all slots are taken.
   */
  reserve(run: TurnRun, slotsMax: number, onRelease: () => void): Promise<StreamSlot | undefined>;
  /** Returns the frames that a run sent before its node went away without storing them; empty when they are lost. */
  recover(run: Pick<TurnRun, 'messageId' | 'attempt'>): Promise<readonly TurnFrame[]>;
  /** Stops every turn of this node, because the kill switch is on. */
  pause(): void;
  /** Stops every turn of this node and resolves once all have stored what they had. */
  shutDown(): Promise<void>;
};

export type StreamSlot = {
  /** Opens the turn for readers, after the frames of its earlier attempts. Call `run` in the same tick. */
  open(earlierFrames: readonly TurnFrame[]): LiveTurn;
  /** Occupies the slot until the work is done. */
  run(work: Promise<void>): void;
  /** Frees the slot, unless a turn runs in it. */
  release(): void;
};

/** The node that ran a turn has gone away, or another attempt has begun. The reader may ask again. */
export class TurnLost extends Error {
  override readonly name = 'TurnLost';
}

/** A message from one node to the others, so that they drop what they have cached. */
export type Announcement =
  /** Reject requests of this visitor from now on, unless the erasure fails. */
  | { kind: 'visitor_erased' | 'erasure_failed'; erasureKey: string }
  | { kind: 'dictionaries_learned'; workspaceId: string }
  | { kind: 'texts_embedded'; workspaceId: string };

/** Messages between nodes, delivered at most once. Caches that expire within a second or two do not need them. */
export type Announcements = {
  announce(announcement: Announcement): void;
  /** Calls back for each message of other nodes; with undefined when some may have been missed. */
  listen(callback: (announcement: Announcement | undefined) => void): void;
};
