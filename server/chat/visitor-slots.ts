import { setTimeout as pause } from 'node:timers/promises';
import { CHAT_LIMITS } from '../../contract/limits/chat.ts';
import { BUCKETS } from '../../contract/limits/rate-limits.ts';
import type { LiveTurns, StreamSlot, TurnRun } from '../coordination/coordination.ts';
import { ClientDisconnected, throwApiError } from '../http/errors.ts';

/** Other nodes may free the slot, so the first in line looks again and again. */
const LOOK_AGAIN_MILLIS = 50;

type Line = { length: number; last: Promise<void> };

/**
 * The slots for turns at work of each visitor. Further turns of a visitor wait for one, first in, first out, at most as
 * many as the visitor's burst.
 */
export class VisitorSlots {
  readonly #liveTurns: LiveTurns;
  readonly #lines = new Map<string, Line>();

  constructor(liveTurns: LiveTurns) {
    this.#liveTurns = liveTurns;
  }

  /** @throws ClientDisconnected if the client leaves while its turn waits. */
  async take(run: TurnRun, disconnected: AbortSignal, onRelease: () => void): Promise<StreamSlot> {
    const { visitorId } = run;
    const { streamsPerVisitorMax } = CHAT_LIMITS;
    const line = this.#lines.get(visitorId) ?? { length: 0, last: Promise.resolve() };
    if (line.length >= BUCKETS['chat/visitor-burst'].points) throwApiError('chat/too_many_streams');
    const { promise, resolve: letNextTry } = Promise.withResolvers<void>();
    const before = line.last;
    line.last = promise;
    line.length += 1;
    this.#lines.set(visitorId, line);
    try {
      await before;
      for (;;) {
        if (disconnected.aborted) throw new ClientDisconnected();
        const slot = await this.#liveTurns.reserve(run, streamsPerVisitorMax, onRelease);
        if (slot) return slot;
        await pause(LOOK_AGAIN_MILLIS);
      }
    } finally {
      letNextTry();
      line.length -= 1;
      if (line.length === 0) this.#lines.delete(visitorId);
    }
  }
}
