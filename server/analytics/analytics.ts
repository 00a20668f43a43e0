import type { analytics } from '../../contract/analytics.ts';
import { LIMITS } from '../../contract/limits.ts';
import type { Clock } from '../clock.ts';
import { throwApiError } from '../http/errors.ts';
import type { Handlers } from '../http/handler.ts';
import type { Store } from '../storage/store.ts';
import { listConversations, toConversationBody, toTurnBody } from './conversations.ts';
import { createFairScheduler } from './fair-scheduler.ts';
import { listFeedback } from './feedback.ts';
import { readAnalytics } from './read-analytics.ts';

type Deps = { readonly store: Store; readonly clock: Clock };

export function analyticsHandlers({ store, clock }: Deps): Handlers<typeof analytics> {
  const waitForTurn = createFairScheduler();
  return {
    async listTenantConversations({ query, caller }) {
      const { conversations } = store.in(caller.workspace.id);
      return { status: 200, body: await listConversations(query, conversations, waitForTurn) };
    },

    async readTenantConversation({ params, caller }) {
      const { conversations } = store.in(caller.workspace.id);
      const found = await conversations.findKept(params.conversationId);
      if (!found) return throwApiError('conversation/not_found');
      const turns = await conversations.turns(found.id, LIMITS.turnsPerConversationMax);
      const ratings = new Map(
        (await conversations.ratings(found.id)).map((rated) => [rated.messageId, rated]),
      );
      return {
        status: 200,
        body: {
          conversation: toConversationBody(found),
          turns: turns.map((turn) => toTurnBody(turn, ratings.get(turn.messageId))),
        },
      };
    },

    async listFeedback({ query, caller }) {
      const { conversations } = store.in(caller.workspace.id);
      return { status: 200, body: await listFeedback(query, conversations, waitForTurn) };
    },

    async readAnalytics({ query, caller, ctx }) {
      const workspace = store.in(caller.workspace.id);
      const deps = { workspace, waitForTurn, nowMillis: clock.now(), signal: ctx.signal };
      return { status: 200, body: await readAnalytics(query, deps) };
    },
  };
}
