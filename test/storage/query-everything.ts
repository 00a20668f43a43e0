import type { WorkspaceStore } from '../../server/storage/store.ts';

const WITHIN = { fromMillis: 0, beforeMillis: 1 };
const FILTERS = [
  {},
  { within: WITHIN },
  { locale: 'de' },
  { visitorId: 'v', within: WITHIN, locale: 'de' },
  { conversationId: 'c' },
  { conversationId: 'c', visitorId: 'v', within: WITHIN, locale: 'de' },
];

/** Runs the queries whose statements depend on their filters, so that all of these are made. */
export async function queryEverything({ events, conversations }: WorkspaceStore): Promise<void> {
  for (const filter of FILTERS) {
    for (const typed of [filter, { ...filter, type: 'turn' } as const]) {
      await events.queryRows(1, typed);
      await events.queryLines(1, typed);
    }
    await conversations.queryTurns(1, filter);
    await conversations.queryConversations(1, filter);
  }
}
