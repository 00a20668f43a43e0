import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { chat } from '../../contract/chat.ts';
import { CHAT_LIMITS } from '../../contract/limits/chat.ts';
import { toGrants } from '../base/audience.ts';
import type { Clock } from '../base/clock.ts';
import { newId } from '../base/ids.ts';
import { parseAcceptLanguage } from '../base/locale.ts';
import type { Log } from '../base/log.ts';
import { toStorableText } from '../base/text.ts';
import { type LiveTurns, type StreamSlot, TurnLost, type TurnRun } from '../coordination/coordination.ts';
import type { Engine, WorkspaceEngine, WorkspaceEngines } from '../engine/engine.ts';
import { overloaded, throwApiError } from '../http/errors.ts';
import type { HandlerInput, Handlers, SseEvent, SseResponse, VisitorCaller } from '../http/handler.ts';
import type { ResourceLimits } from '../http/resource-limits.ts';
import type { EndWork, TurnQueue } from '../http/turn-queue.ts';
import { hashBody, parsePageUrl } from '../http/visitor-request.ts';
import type { Retriever } from '../knowledge/search/retrieve.ts';
import type { Conversation, Turn } from '../storage/conversation-queries.ts';
import type { Conversations } from '../storage/conversations.ts';
import type { Store, WorkspaceStore } from '../storage/store.ts';
import { GUIDE_DEFAULTS, takesHandovers } from '../storage/workspace-settings.ts';
import { getEventSubject } from '../visitors/consent/event-subject.ts';
import { hasGpcHeader, readCallerConsent, type VisitorConsent } from '../visitors/consent/visitor-consent.ts';
import type { TokenBudget } from '../workspaces/token-budget.ts';
import { toUiMessageStream } from './ai-sdk-stream.ts';
import { toOutcomeRows } from './analytics-events.ts';
import { type AnswerDeps, getRecentTurnsMax, type PastTurn } from './answer-message.ts';
import { type CleanPage, cleanPage, isUsableScreenshot } from './capture.ts';
import { isWritten, readCitations } from './citations.ts';
import type { Dropped } from './output-rules.ts';
import { type Notice, type Prompt, runTurn, type TurnInput } from './turn.ts';
import { VisitorSlots } from './visitor-slots.ts';

export type TurnDeps = {
  store: Store;
  clock: Clock;
  log: Log;
  engines: Pick<WorkspaceEngines, 'get'>;
  retriever: Retriever;
  embedMessages: AnswerDeps['embedMessages'];
  liveTurns: LiveTurns;
  erasedVisitors: { has: (erasureKey: string) => boolean };
  resourceLimits: ResourceLimits;
  turnQueue: TurnQueue;
  tokenBudget: TokenBudget;
  onTurnFinish: (finishReason: string, dropped: Readonly<Dropped>) => void;
};

type Deps = TurnDeps & { visitorSlots: VisitorSlots };

type ChatInput = HandlerInput<typeof chat.sendMessage>;

/** A response whose stream carries events of the contract, before they are encoded in the requested format. */
type ChatResponse = SseResponse & { stream: AsyncIterable<SseEvent> };

/** A validated request: its page URL, and the key under which it can be repeated. */
type ChatRequest = {
  input: ChatInput;
  url: URL;
  idempotency: { key: string; payloadHash: string } | undefined;
} & WorkspaceEngine;

/** Two turns that collide in storage succeed at the second try; more tries guard against bugs. */
const OPEN_TRIES_MAX = 4;
const RETRY_STREAM_SECONDS = 1;

/** Starts a turn, or continues the one that an earlier request with the same idempotency key started. */
export function sendMessageHandler(given: TurnDeps): Pick<Handlers<typeof chat>, 'sendMessage'> {
  const deps = { ...given, visitorSlots: new VisitorSlots(given.liveTurns) };
  return {
    async sendMessage(input) {
      const request = { ...validateRequest(input), ...(await deps.engines.get(input.caller.workspace.id)) };
      for (let tries = 0; tries < OPEN_TRIES_MAX; tries++) {
        const earlier = await findEarlierTurn(deps, request);
        // A retry without an earlier turn means that the conversation belongs to another visitor.
        const reply = earlier
          ? await continueTurn(deps, request, earlier)
          : await startTurn(deps, request, tries > 0);
        if (reply) return isUiMessageStream(input) ? toUiMessageStream(reply.stream) : reply;
      }
      throw new Error(`could not open the turn after ${OPEN_TRIES_MAX} attempts`);
    },
  };
}

function isUiMessageStream({ query }: ChatInput): boolean {
  return query.stream === 'ai-sdk-ui-v1';
}

function validateRequest(input: ChatInput): Omit<ChatRequest, keyof WorkspaceEngine> {
  const url = parsePageUrl(input.body.url, input.caller.origin);
  const key = input.headers['idempotency-key'];
  return {
    input,
    url,
    idempotency: key === undefined ? undefined : { key, payloadHash: hashBody(input.body) },
  };
}

async function findEarlierTurn(
  { store }: TurnDeps,
  { input: { caller }, idempotency }: Pick<ChatRequest, 'input' | 'idempotency'>,
): Promise<Turn | undefined> {
  if (!idempotency) return undefined;
  const { conversations } = store.in(caller.workspace.id);
  const earlier = await conversations.findTurnByKey(caller.visitorId, idempotency.key);
  if (earlier && earlier.payloadHash !== idempotency.payloadHash)
    return throwApiError('chat/idempotency_mismatch');
  return earlier;
}

/** Attaches to a running turn, replays a complete one, or runs an interrupted one again. */
async function continueTurn(
  deps: Deps,
  request: ChatRequest,
  earlier: Turn,
): Promise<ChatResponse | undefined> {
  const { liveTurns, clock } = deps;
  const { input } = request;
  const { messageId } = earlier;
  const from = parseResumePosition(input, messageId);
  if (earlier.state === 'complete') return { status: 200, stream: replayFrames(toFrames(earlier), from) };
  const live = await followLive(liveTurns, earlier, from, input.ctx.signal);
  if (live) return { status: 200, stream: endWhenLost(live) };
  const attempt = earlier.attempt + 1;
  return withSlot(deps, input, { messageId, attempt }, async (slot, endWork) => {
    const { conversations } = storeFor(deps, input);
    const recoveredFrames = earlier.state === 'running' ? await liveTurns.recover(earlier) : [];
    // Fails if a concurrent request has claimed the turn: the next try follows that one.
    const reopened = await conversations.reopenTurn(messageId, earlier.attempt, clock.now());
    if (reopened === 'conflict') return undefined;
    const frames = recoveredFrames.length > 0 ? recoveredFrames : toFrames(earlier);
    const turn = await buildTurnInput(request, {
      messageId,
      attempt,
      seenFrames: from,
      conversationId: earlier.conversationId,
      previousConversationId: undefined,
      turnIdx: earlier.turnIdx,
      nextTurnIdx: earlier.turnIdx + 1,
      first: earlier.turnIdx === 0,
      consent: await readConsent(deps, input),
      recentTurns: [],
    });
    return streamTurn(deps, request, turn, { earlierFrames: frames, from, slot, endWork });
  });
}

/** Follows a live turn. A turn that is stored as running may be about to start, so looks again after pending work. */
async function followLive(
  liveTurns: LiveTurns,
  { messageId, state }: Turn,
  from: number,
  disconnected: AbortSignal,
): Promise<AsyncIterable<SseEvent> | undefined> {
  const live = await liveTurns.follow(messageId, from, disconnected);
  if (live || state !== 'running') return live;
  await yieldToEventLoop();
  return liveTurns.follow(messageId, from, disconnected);
}

/** Ends the stream without a terminal event when the turn is lost: the client retries as after a broken connection. */
async function* endWhenLost(stream: AsyncIterable<SseEvent>): AsyncGenerator<SseEvent> {
  try {
    yield* stream;
  } catch (error) {
    if (!(error instanceof TurnLost)) throw error;
  }
}

function parseResumePosition(input: ChatInput, messageId: string): number {
  // A UI message stream can be read only from its start.
  if (isUiMessageStream(input)) return 0;
  const [message, seq] = (input.headers['last-event-id'] ?? '').split(':');
  return message === messageId && /^\d{1,7}$/.test(seq ?? '') ? Number(seq) + 1 : 0;
}

function toFrames(turn: Turn): SseEvent[] {
  return turn.frames.map((data, seq) => ({
    id: `${turn.messageId}:${seq}`,
    event: (JSON.parse(data) as { type: string }).type,
    data,
  }));
}

async function* replayFrames(frames: readonly SseEvent[], from: number): AsyncGenerator<SseEvent> {
  yield* frames.slice(from);
}

/** Stores the question before the answer begins. Undefined when another turn was stored first. */
function startTurn(deps: Deps, request: ChatRequest, isForeign: boolean): Promise<ChatResponse | undefined> {
  const { input } = request;
  const run = { messageId: newId('msg'), attempt: 1, seenFrames: 0 };
  return withSlot(deps, input, run, async (slot, endWork) => {
    const { body, caller } = input;
    const consent = await readConsent(deps, input);
    const { conversations } = storeFor(deps, input);
    const sentId = toStorableText(body.conversation_id);
    const existing = await conversations.find(sentId);
    const isRotated = isForeign || (existing !== undefined && !canContinue(existing, caller.visitorId));
    const conversationId = isRotated ? newId('conv') : sentId;
    const turnIdx = isRotated ? 0 : body.turn_idx;
    const isContinuation = !isRotated && existing !== undefined && existing.turnCount > 0;
    const turn = await buildTurnInput(request, {
      ...run,
      conversationId,
      previousConversationId: isRotated ? sentId : undefined,
      turnIdx,
      nextTurnIdx: Math.max(isRotated ? 0 : (existing?.nextTurnIdx ?? 0), turnIdx + 1),
      first: isRotated || existing === undefined,
      consent,
      recentTurns: isContinuation ? await listPastTurns(conversations, conversationId, request.engine) : [],
    });
    const opened = await openTurn(deps, request, turn, consent);
    if (opened === 'conflict') return undefined;
    return streamTurn(deps, request, turn, { earlierFrames: [], from: 0, slot, endWork });
  });
}

async function listPastTurns(
  conversations: Conversations,
  conversationId: string,
  engine: Engine,
): Promise<PastTurn[]> {
  const turns = await conversations.turns(conversationId, getRecentTurnsMax(engine));
  return turns.map((turn) => ({
    question: turn.question,
    answer: isWritten(turn) ? turn.answer : '',
    articleIds: [...new Set(readCitations(turn).map((citation) => citation.article_id))],
  }));
}

function canContinue(conversation: Conversation, visitorId: string): boolean {
  return (
    conversation.visitorId === visitorId &&
    !conversation.ended &&
    conversation.turnCount < CHAT_LIMITS.turnsPerConversationMax
  );
}

function openTurn(deps: Deps, { input, idempotency }: ChatRequest, turn: TurnInput, consent: VisitorConsent) {
  const { body, caller } = input;
  const askedAt = deps.clock.now();
  // An erasure that came after authentication would miss what is written from here on.
  if (deps.erasedVisitors.has(caller.erasureKey)) throwApiError('chat/unauthorized', 'erased visitor');
  const { deleteConversationsWithinMillis } = consent.permissions;
  const subject = getEventSubject(consent, caller, turn.conversationId);
  return storeFor(deps, input).conversations.openTurn(
    {
      messageId: turn.messageId,
      conversationId: turn.conversationId,
      visitorId: caller.visitorId,
      turnIdx: turn.turnIdx,
      question: body.message,
      requestedLocale: turn.requestedLocale,
      askedAt,
      ...(idempotency ? { idempotencyKey: idempotency.key, payloadHash: idempotency.payloadHash } : {}),
      ...(deleteConversationsWithinMillis === undefined
        ? {}
        : { deleteAfterMillis: askedAt + deleteConversationsWithinMillis }),
    },
    subject ? toOutcomeRows(body.action_results ?? [], subject, askedAt) : [],
  );
}

type TurnStart = { earlierFrames: readonly SseEvent[]; from: number; slot: StreamSlot; endWork: EndWork };

function streamTurn(
  deps: Deps,
  { input, engine, isOwn }: ChatRequest,
  turn: TurnInput,
  { earlierFrames, from, slot, endWork }: TurnStart,
): ChatResponse {
  const { clock } = deps;
  // The closures below live as long as the answer: they must capture these values and never the whole input.
  const { caller, ctx } = input;
  const { conversations, consents } = storeFor(deps, input);
  const { tokenBudget } = deps;
  const owners = engine.costsTokens ? ctx.owners : {};
  const gpc = hasGpcHeader(ctx.headers);
  const acceptLanguage = ctx.headers['accept-language'];
  const { conversationId } = turn;
  const workspaceId = caller.workspace.id;
  const reader = toGrants(caller.customer);
  const broadcast = slot.open(earlierFrames);
  // Subscribe before the work starts: a turn without readers stops.
  const stream = broadcast.subscribe(from, ctx.signal);
  const work = runTurn(broadcast, turn, {
    conversations,
    engine,
    reserveTokens: engine.costsTokens
      ? () => tokenBudget.reserve(caller.workspace, owners, isOwn)
      : undefined,
    clock,
    log: deps.log,
    search: (question, context) =>
      deps.retriever.retrieve({
        workspaceId,
        question,
        acceptLanguage,
        reader,
        // Without a model, an answer quotes the first result.
        quotedMax: engine.costsTokens ? undefined : 1,
        ...(context ? { context } : {}),
      }),
    listTopics: () => deps.retriever.listTopics(workspaceId, parseAcceptLanguage(acceptLanguage), reader),
    embedMessages: deps.embedMessages,
    keepsAnonymousQuestions: caller.workspace.settings.retention?.anonymousQuestions ?? false,
    // Read again at the end, because the visitor may have refused meanwhile.
    getEventSubject: async () => {
      const consent = await readCallerConsent(caller, consents, gpc, clock.now());
      return getEventSubject(consent, caller, conversationId);
    },
    endWork,
    onFinish: deps.onTurnFinish,
  });
  slot.run(work);
  return { status: 200, stream };
}

/** Maximum characters of a stored path; longer paths are cut, as at boot. */
const PATH_CHARS_MAX = 1024;

async function buildTurnInput(
  { input, url, engine }: ChatRequest,
  opening: Pick<
    TurnInput,
    | 'messageId'
    | 'attempt'
    | 'seenFrames'
    | 'conversationId'
    | 'previousConversationId'
    | 'turnIdx'
    | 'nextTurnIdx'
    | 'first'
  > & { consent: VisitorConsent; recentTurns: Prompt['recentTurns'] },
): Promise<TurnInput> {
  const { body, caller, ctx } = input;
  const { consent, recentTurns, ...identity } = opening;
  const { settings } = caller.workspace;
  const page = cleanPage({ url, digest: body.dom_digest, capture: body.capture_context });
  const { rules, generalAnswers } = settings.guide ?? GUIDE_DEFAULTS;
  const { screenshot, notice } = checkScreenshot(
    body,
    settings.features.screenshot && consent.permissions.screenshot,
  );
  return {
    ...identity,
    requestId: ctx.id,
    requestedLocale: getRequestedLocale(caller, ctx.headers['accept-language']),
    workspace: {
      sourceLocale: settings.sourceLocale,
      workspaceName: caller.workspace.name,
      contact: settings.contact,
      takesHandovers: takesHandovers(settings),
      origins: settings.allowedOrigins,
    },
    origin: caller.origin,
    path: url.pathname.slice(0, PATH_CHARS_MAX),
    page: { targets: page.targets },
    prompt: {
      question: body.message,
      page,
      recentTurns,
      guide: { generalAnswers, rules: rules?.filter(({ enabled }) => enabled) },
      screenshot: engine.acceptsImages ? screenshot : undefined,
    },
    actionsAllowed: settings.features.pageActions,
    notices: [...(notice ? [notice] : []), ...getCaptureNotices(body, page)],
  };
}

/** Returns a valid screenshot that may be read, or a notice that says why one was dropped. */
function checkScreenshot(
  { viewport_screenshot: screenshot }: ChatInput['body'],
  isAllowed: boolean,
): { screenshot?: NonNullable<Prompt['screenshot']>; notice?: Notice } {
  const drop = (text: string) => ({ notice: { code: 'screenshot_dropped', text } as const });
  if (!screenshot) return {};
  if (!isAllowed) return drop('Screenshots are not read for this visitor.');
  if (!isUsableScreenshot(screenshot)) return drop('The screenshot is not a JPEG of an accepted size.');
  return { screenshot: { mime: 'image/jpeg', base64: screenshot.data } };
}

function getCaptureNotices({ dom_digest: digest }: ChatInput['body'], page: CleanPage): Notice[] {
  const notices: Notice[] = [];
  if (page.targetsDropped > 0)
    notices.push({ code: 'targets_dropped', text: `${page.targetsDropped} targets were not kept.` });
  if (digest.length > CHAT_LIMITS.digestCharsKept)
    notices.push({ code: 'capture_cut', text: 'The page digest was cut.' });
  return notices;
}

/** Returns the visitor's first preference, even if the workspace has no articles in it. */
function getRequestedLocale({ workspace }: VisitorCaller, acceptLanguage: string | undefined): string {
  return parseAcceptLanguage(acceptLanguage).wanted[0] ?? workspace.settings.sourceLocale;
}

function storeFor({ store }: TurnDeps, { caller }: ChatInput): WorkspaceStore {
  return store.in(caller.workspace.id);
}

function readConsent(deps: Deps, input: ChatInput): Promise<VisitorConsent> {
  const { consents } = storeFor(deps, input);
  return readCallerConsent(input.caller, consents, hasGpcHeader(input.ctx.headers), deps.clock.now());
}

/** Waits for a stream slot and for the turn to begin work; releases both unless the work started a turn. */
async function withSlot(
  { visitorSlots, turnQueue, resourceLimits }: Deps,
  { caller: { visitorId }, ctx }: ChatInput,
  run: Pick<TurnRun, 'messageId' | 'attempt'>,
  work: (slot: StreamSlot, endWork: EndWork) => Promise<ChatResponse | undefined>,
): Promise<ChatResponse | undefined> {
  const reservation = resourceLimits.open('streams', ctx.owners);
  if (reservation.add(1)) throw overloaded('streams', RETRY_STREAM_SECONDS);
  let slot: StreamSlot | undefined;
  let endWork: EndWork | undefined;
  let response: ChatResponse | undefined;
  try {
    turnQueue.forget(ctx);
    slot = await visitorSlots.take({ ...run, visitorId }, ctx.signal, reservation.release);
    endWork = await turnQueue.enter(ctx);
    response = await work(slot, endWork);
    return response;
  } finally {
    if (!slot) reservation.release();
    slot?.release();
    if (!response) endWork?.();
  }
}
