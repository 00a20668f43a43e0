import type { handovers } from '../../contract/handovers.ts';
import { CHAT_LIMITS } from '../../contract/limits/chat.ts';
import { HANDOVER_LIMITS } from '../../contract/limits/handovers.ts';
import type { Clock } from '../base/clock.ts';
import { newId } from '../base/ids.ts';
import { parseContentLocale } from '../base/locale-registry.ts';
import { normalizeLine, normalizeText, toStorableText, truncate } from '../base/text.ts';
import { throwApiError, throwInvalidRequest } from '../http/errors.ts';
import type { HandlerInput, Handlers, VisitorCaller } from '../http/handler.ts';
import { hashBody, parsePageUrl } from '../http/visitor-request.ts';
import type { Handover, HandoverReply } from '../storage/handovers.ts';
import type { Store } from '../storage/store.ts';
import { takesHandovers } from '../storage/workspace-settings.ts';
import { type NoticeDeps, toCreatedNotices } from './handover-notices.ts';
import { type SummaryDeps, summarizeTranscript } from './summarize-transcript.ts';

/** What visitors do: send a question to a person, and read the replies. */

export type VisitorHandlers = Pick<Handlers<typeof handovers>, 'createHandover' | 'listOwnHandovers'>;

type Deps = NoticeDeps & SummaryDeps & { store: Store; clock: Clock };
type Input = HandlerInput<typeof handovers.createHandover>;

export function sendHandoverHandlers(deps: Deps): VisitorHandlers {
  const { store, clock } = deps;
  return {
    async createHandover(input) {
      const { body, caller, ctx } = input;
      const { workspace, visitorId } = caller;
      if (!takesHandovers(workspace.settings)) throwApiError('handover/off');
      const fields = parseFields(body, caller);
      const isAutomated = body.website || body.shown_seconds < HANDOVER_LIMITS.formSecondsMin;
      if (isAutomated) throwApiError('handover/automated', body.website ? 'hidden field' : 'too fast');
      const conversation = await readConversation(store, caller, body);
      const idempotency = toIdempotency(input);
      const { handovers } = store.in(workspace.id);
      const { idempotencyKey } = idempotency;
      const sent = idempotencyKey && (await handovers.findSent(visitorId, idempotencyKey));
      const summary = sent ? undefined : await summarizeTranscript(conversation, workspace, ctx, deps);
      const handover: Handover = {
        ...{ id: newId('ho'), visitorId, summary },
        ...idempotency,
        state: 'open',
        ...fields,
        ...conversation,
        createdAt: clock.now(),
      };
      const notices = await toCreatedNotices(handover, workspace, deps);
      const stored = await handovers.create(handover, notices);
      if (stored.payloadHash !== handover.payloadHash) throwApiError('request/idempotency_mismatch');
      return { status: 201, body: toVisitorBody({ ...stored, replies: [] }) };
    },

    async listOwnHandovers({ caller }) {
      const rows = store.in(caller.workspace.id).handovers;
      const found = await rows.ofVisitor(caller.visitorId, HANDOVER_LIMITS.visitorHandoversMax);
      return { status: 200, body: { data: found.map(toVisitorBody) } };
    },
  };
}

function toIdempotency({ headers, body }: Input) {
  const idempotencyKey = headers['idempotency-key'];
  // How long the form was shown differs between attempts.
  return idempotencyKey === undefined
    ? {}
    : { idempotencyKey, payloadHash: hashBody({ ...body, shown_seconds: 0 }) };
}

/** Brings what the visitor entered into the form in which it is stored: a name is one line without control characters. */
function parseFields({ message, url, locale, ...sender }: Input['body'], caller: VisitorCaller) {
  // The site has proved who its customer is.
  const { name = sender.name, email = sender.email } = caller.customer ?? {};
  if (email === undefined) {
    const message = 'Expected an address, which the user token does not have.';
    return throwInvalidRequest({ path: 'body.email', code: 'missing_email', message });
  }
  const page = parsePageUrl(url, caller.origin);
  const text = normalizeText(message, CHAT_LIMITS.messageCharsMax);
  if (text === undefined) {
    return throwInvalidRequest({
      path: 'body.message',
      code: 'custom',
      message: 'Expected text with visible characters.',
    });
  }
  const line = name === undefined ? undefined : normalizeLine(name, HANDOVER_LIMITS.nameCharsMax);
  return {
    message: text,
    ...(line !== undefined && { name: line }),
    email,
    pageUrl: page.origin + page.pathname,
    locale: parseContentLocale(locale) ?? caller.workspace.settings.sourceLocale,
  };
}

/** Copies the turns that the visitor agreed to send, in their order. */
async function readConversation(
  store: Store,
  { workspace, visitorId }: VisitorCaller,
  { conversation_id, transcript: messageIds }: Input['body'],
): Promise<Pick<Handover, 'conversationId' | 'transcript'>> {
  if (conversation_id === undefined) return messageIds ? throwApiError('conversation/not_found') : {};
  const { conversations } = store.in(workspace.id);
  const conversationId = toStorableText(conversation_id);
  const conversation = await conversations.find(conversationId);
  if (conversation?.visitorId !== visitorId) return throwApiError('conversation/not_found');
  if (!messageIds) return { conversationId };
  const turns = await conversations.turns(conversationId, CHAT_LIMITS.turnsPerConversationMax);
  const sent = turns.filter(({ messageId }) => messageIds.includes(messageId));
  if (sent.length !== new Set(messageIds).size) return throwApiError('message/not_found');
  const transcript = sent.map(({ question, answer }) => ({
    question,
    answer: truncate(answer, HANDOVER_LIMITS.answerCharsMax),
  }));
  return { conversationId, transcript: JSON.stringify(transcript) };
}

const toVisitorBody = (handover: Handover & { replies: readonly HandoverReply[] }) => ({
  handover_id: handover.id,
  state: handover.state,
  message: handover.message,
  conversation_id: handover.conversationId,
  at: toUnixSeconds(handover.createdAt),
  replies: handover.replies.map(({ id, text, createdAt }) => ({
    ...{ reply_id: id, text },
    at: toUnixSeconds(createdAt),
  })),
});

const toUnixSeconds = (millis: number) => Math.floor(millis / 1000);
