import { afterEach, beforeEach } from 'vitest';
import type { ConsentRecord } from '../../server/visitors/consent/consent-log.ts';
import { decide as decideAt, GERMANY, openEverywhere, type Visitor } from './decisions.ts';
import type { Harness } from './harness.ts';

/** A service with visitors from every region, and its consent log. */

export let harness: Harness;

export function openServiceBeforeEach(): void {
  beforeEach(async () => {
    harness = await openEverywhere();
  });
  afterEach(() => harness.close());
}

export const decide = (
  visitor: Visitor,
  fields?: Record<string, unknown>,
  headers?: Record<string, string>,
) => decideAt(harness, visitor, fields, headers);

/** Sends a turn in the visitor's own conversation. */
export const ask = (
  visitor: Visitor,
  fields: Record<string, unknown> = {},
  headers: Record<string, string> = {},
) => harness.ask(visitor.jwt, { conversation_id: `conv-${visitor.visitor_id}`, ...fields }, headers);

export const bootAgain = (visitor: Visitor, headers: Record<string, string> = GERMANY) =>
  harness.boot({ visitor_id: visitor.visitor_id }, headers);

export const RECORDED = { ok: true, recorded: true };

export const store = () => harness.service.store.in(harness.workspace.id);
export const chain = () => store().consents.chain(1000);
export const events = () => store().events.list(1000);
export const records = async () => (await chain()).map(({ content }) => JSON.parse(content) as ConsentRecord);
