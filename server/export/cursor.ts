import { createHmac, timingSafeEqual } from 'node:crypto';
import { formatRowPosition, parseRowPosition } from '../cursor.ts';
import { throwApiError } from '../http/errors.ts';
import type { EventPosition } from '../storage/events.ts';

/** What a cursor belongs to: the workspace, what is read, and the filters. */
export type Bound = readonly (string | number | undefined)[];

export type Cursors = {
  /** Names the place behind which the next page begins. */
  cursorFor(place: EventPosition, bound: Bound): string;
  /** Refuses what was not made here, and what belongs to something else. */
  placeOf(cursor: string, bound: Bound): EventPosition;
};

const SEAL_BYTES = 16;

/** A cursor is a place with a seal, so that nobody makes one up or takes one from elsewhere. */
export function createCursors(secret: string): Cursors {
  const sealOf = (place: string, bound: Bound) =>
    createHmac('sha256', secret)
      .update(JSON.stringify([...bound.map((part) => part ?? null), place]))
      .digest()
      .subarray(0, SEAL_BYTES);
  return {
    cursorFor(place, bound) {
      const text = formatRowPosition(place);
      return Buffer.concat([sealOf(text, bound), Buffer.from(text)]).toString('base64url');
    },
    placeOf(cursor, bound) {
      const bytes = Buffer.from(cursor, 'base64url');
      const text = bytes.subarray(SEAL_BYTES).toString('utf8');
      const seal = bytes.subarray(0, SEAL_BYTES);
      const isGenuine = seal.length === SEAL_BYTES && timingSafeEqual(seal, sealOf(text, bound));
      const place = isGenuine ? parseRowPosition(text) : undefined;
      return place ?? throwApiError('export/cursor_mismatch');
    },
  };
}
