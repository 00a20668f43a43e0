import type { BootReply } from '../../contract/boot.ts';
import { clock, type Harness, ORIGIN, openHarness } from './harness.ts';
import { readResponse } from './response.ts';

/** One region with opt-in and one with opt-out. */
export const GERMANY = { 'cf-ipcountry': 'DE' };
export const TEXAS = { 'cf-ipcountry': 'US', 'cf-region-code': 'TX' };

export const openEverywhere = () =>
  openHarness({ env: { TRUSTED_PROXIES: 'loopback', EDGE_PROVIDER: 'cloudflare' } });

export type Visitor = BootReply & { jwt: string };

const decision = (visitor: Pick<Visitor, 'visitor_id'>, fields: Record<string, unknown> = {}) => ({
  visitor_id: visitor.visitor_id,
  url: `${ORIGIN}/`,
  copy_version: 'en+0f741bb0372f',
  at: clock.now(),
  decision: 'accepted',
  ...fields,
});

/** Sends a decision with the visitor's own token unless a header overrides it. */
export function decide(
  harness: Harness,
  visitor: Visitor,
  fields: Record<string, unknown> = {},
  headers: Record<string, string> = {},
) {
  const authorization = `Bearer ${visitor.jwt}`;
  return readResponse(
    harness.fetch('/consent', { json: decision(visitor, fields), headers: { authorization, ...headers } }),
  );
}
