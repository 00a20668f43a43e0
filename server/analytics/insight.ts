import type { insight } from '../../contract/insight.ts';
import { LIMITS } from '../../contract/limits.ts';
import type { Clock } from '../clock.ts';
import { throwApiError } from '../http/errors.ts';
import type { Handlers } from '../http/handler.ts';
import type { Store } from '../storage/store.ts';
import { pageOfConversations, wireSummary, wireTurn } from './conversations.ts';
import { createPace } from './fair-scheduler.ts';
import { pageOfFeedback } from './feedback.ts';
import { readAnalytics } from './read-analytics.ts';

type Deps = { readonly store: Store; readonly clock: Clock };

/** What members learn of the conversations of their workspace; nothing here changes anything. */
export function insightHandlers({ store, clock }: Deps): Handlers<typeof insight> {
  const pace = createPace();
  return {
    async listTenantConversations({ query, caller }) {
      const { conversations } = store.in(caller.workspace.id);
      return { status: 200, body: await pageOfConversations(query, conversations, pace) };
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
          conversation: wireSummary(found),
          turns: turns.map((turn) => wireTurn(turn, ratings.get(turn.messageId))),
        },
      };
    },

    async listFeedback({ query, caller }) {
      const { conversations } = store.in(caller.workspace.id);
      return { status: 200, body: await pageOfFeedback(query, conversations, pace) };
    },

    async readAnalytics({ query, caller, ctx }) {
      const workspace = store.in(caller.workspace.id);
      const deps = { workspace, pace, nowMillis: clock.now(), signal: ctx.signal };
      return { status: 200, body: await readAnalytics(query, deps) };
    },
  };
}
