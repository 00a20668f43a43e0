import type { Analytics } from '../../contract/analytics.ts';
import type { ChatEvent } from '../../contract/chat-event.ts';
import { decide, TEXAS, type Visitor } from './decisions.ts';
import type { HarnessOptions } from './harness.ts';
import { readResponse } from './response.ts';
import { openTeam, type Team } from './team.ts';

/** Visitors chat with the guide while members read the analytics. */

export const KNOWN = 'How do I reset my password?';
export const UNKNOWN = 'Do you sell submarines in Norway?';

export const openShop = (options: HarnessOptions = {}): Promise<Team> =>
  openTeam({ env: { TRUSTED_PROXIES: 'loopback', EDGE_PROVIDER: 'cloudflare' }, ...options });

/** Boots a visitor from a region that allows analytics without asking. */
export const visit = ({ harness }: Team, region: Record<string, string> = TEXAS): Promise<Visitor> =>
  harness.boot({}, region);

type SentTurn = { messageId: string; events: readonly ChatEvent[] };

export async function sendMessage(
  { harness }: Team,
  visitor: Visitor,
  conversationId: string,
  message: string,
  more: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<SentTurn> {
  harness.clock.advance(10);
  const events = await harness.ask(
    visitor.jwt,
    { message, conversation_id: conversationId, ...more },
    headers,
  );
  const [start] = events;
  return { messageId: start?.type === 'message_start' ? start.message_id : '', events };
}

export function rate({ harness }: Team, visitor: Visitor, json: Record<string, unknown>) {
  const headers = { authorization: `Bearer ${visitor.jwt}` };
  return readResponse(harness.fetch('/feedback', { json, headers }));
}

export const deny = ({ harness }: Team, visitor: Visitor) => decide(harness, visitor, { decision: 'denied' });

export const accept = ({ harness }: Team, visitor: Visitor) => decide(harness, visitor);

export const analyticsOf = async (team: Team, query = ''): Promise<Analytics> =>
  (await team.as('member').get<Analytics>(`/analytics${query}`)).json;

export const rowsOf = ({ harness, workspace }: Team) =>
  harness.service.store.in(workspace.id).events.list(10_000);

/** A target that the guide suggests scrolling to. */
export const RESET_TARGET = {
  gp_id: 'reset',
  role: 'button',
  name: 'Reset my password',
  confidence: 1,
  in_viewport: true,
};
