import {
  createHandover,
  eraseVisitor,
  getConversation,
  listHelpArticles,
  listOwnConversations,
  listOwnHandovers,
  rateMessage,
  readHelpArticle,
  recordConsent,
  searchHelpArticles,
  sendMessage,
} from '../../generated/routes.ts';
import type {
  BadFeedback,
  BootReply,
  ChatEvent,
  ChatRequest,
  ConsentReply,
  ConsentRequest,
  Conversation,
  ErasureReply,
  FeedbackRating,
  FeedbackReply,
  HelpArticleText,
  HelpPage,
  HelpSearch,
  NewHandover,
  Operation,
  VisitorConversations,
  VisitorDecision,
  VisitorHandover,
  VisitorHandovers,
} from '../../generated/types.ts';
import { GuideError } from './errors.ts';
import { streamAnswer } from './event-stream.ts';
import {
  type Answer,
  type AnyInput,
  abortable,
  anySignal,
  type CallOptions,
  type Http,
  type HttpCall,
  openHttp,
  RETRY_DEFAULT,
  type RetryOptions,
  randomId,
  toAnswer,
  withResponse,
} from './http.ts';
import type { CallInput, JsonOperation, Reply } from './operations.ts';
import { attachInternals, type GuideInternals, openSession, type Session } from './session.ts';
import {
  type GuideStorage,
  type KnownConversation,
  openVisitorStorage,
  setConversation,
  setConversations,
  type VisitorStorage,
} from './visitor-storage.ts';

/** What a visitor may say with a rating; with `up`, only a comment. */
export type RatingDetails = {
  [Name in Exclude<keyof BadFeedback, 'message_id' | 'rating'>]?: Readonly<BadFeedback[Name]>;
};

export type GuideOptions = {
  /** URL of the service, such as `https://guide.example.com`. */
  baseUrl: string;
  /** App id of the workspace, from the install script (`gp_…`). */
  appId: string;
  /** Origin of the page, sent as `Origin`. Required outside of a browser, which sends it by itself. */
  origin?: string | undefined;
  /** Path of the page; by default that of the document at each boot. */
  path?: string | undefined;
  /** An earlier visitor to continue as. */
  visitorId?: string | undefined;
  /** Says whom the site has signed in: a JWT that the site signs, or a function that returns the newest one at each boot. */
  userToken?: string | (() => string | undefined) | undefined;
  /** The Global Privacy Control signal; by default that of the browser. */
  gpc?: boolean | undefined;
  /** The visitor's languages, as in the HTTP header; by default those of the browser. */
  acceptLanguage?: string | undefined;
  userAgentHint?: string | undefined;
  /** Sent with every request, for callers outside of a browser: a server that boots for a visitor passes the visitor's `user-agent`. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** The reply to a boot that the page has made already; the guide then does not boot again. */
  booted?: BootReply | undefined;
  /** Keeps the visitor between pages, such as `localStorage`. Used only while the service allows it. */
  storage?: GuideStorage | undefined;
  fetch?: typeof globalThis.fetch | undefined;
  clock?: { now: () => number } | undefined;
  retry?: Partial<RetryOptions> | undefined;
  /** A stream without a byte for this long counts as broken, 45 by default. The service writes at least every 15 seconds. */
  streamIdleSeconds?: number | undefined;
};

export type ConsentDetails = {
  /** URL of the page; by default `origin` and `path`. */
  url?: string | undefined;
  copyVersion?: string | undefined;
  /** When the visitor decided, in milliseconds since 1970; by default now. */
  at?: number | undefined;
  region?: ConsentRequest['region'] | undefined;
  overrideSource?: ConsentRequest['override_source'] | undefined;
  signal?: AbortSignal | undefined;
};

/** One question. Omitted fields are taken from the guide. */
export type ChatTurn = {
  message: string;
  /** Text that describes the page to the guide, such as its title and headings. */
  domDigest: string;
  url: string;
  conversationId?: string | undefined;
  turnIdx?: number | undefined;
  viewport?: ChatRequest['viewport'] | undefined;
  document?: ChatRequest['document'] | undefined;
  scrollPos?: number | undefined;
  captureContext?: ChatRequest['capture_context'] | undefined;
  viewportScreenshot?: ChatRequest['viewport_screenshot'] | undefined;
  actionResults?: ChatRequest['action_results'] | undefined;
  /** Sending a turn again with the same key attaches to it instead of asking twice; random by default. */
  idempotencyKey?: string | undefined;
  signal?: AbortSignal | undefined;
};

export type ArticlesOptions = CallOptions & {
  /** The `id` of a collection. */
  collection?: string | undefined;
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined;
};

/** The guide of one visitor. Every method boots first when needed, and rejects with a `GuideError`. */
export type Guide = {
  /** The last boot reply; undefined before the first. */
  state: BootReply | undefined;
  /** The conversation of the next turn; undefined before the first turn. */
  conversationId: string | undefined;
  /**
   * The visitor's conversations that this device knows, most recently active first. Kept between pages like the
   * visitor.
   */
  conversations: readonly KnownConversation[];
  /**
   * Lists in `conversations` those that the service keeps, also from the other devices of a known customer, and continues the last
   * one unless one has begun.
   */
  readConversations(options?: CallOptions): Answer<readonly KnownConversation[]>;
  /** Makes the next turn start a new conversation. */
  startConversation(): void;
  /** Starts or renews the session of the visitor. Optional: the first call does it. */
  boot(): Answer<BootReply>;
  /**
   * Asks a question and yields the answer as it is written. The request is sent when the loop starts and aborted when it is
   * left. The last event is `message_end` or `error`. Ignore event types that you do not know.
   */
  chat(turn: ChatTurn): AsyncGenerator<ChatEvent, void, void>;
  /** Records a consent decision and boots again, so that `state` reflects it. */
  consent(decision: VisitorDecision, details?: ConsentDetails): Answer<ConsentReply>;
  /** Reads a conversation, by default the current one, and continues it. Rejects with `conversation/not_found`. */
  conversation(conversationId?: string, options?: CallOptions): Answer<Conversation>;
  /** Rates an answer; the last rating counts. */
  rate(
    messageId: string,
    rating: FeedbackRating,
    details?: CallOptions & RatingDetails,
  ): Answer<FeedbackReply>;
  /** Sends a question to the team. The same question with the same key is sent once; the key is random by default. */
  askPerson(
    question: NewHandover,
    options?: CallOptions & { idempotencyKey?: string | undefined },
  ): Answer<VisitorHandover>;
  /** Lists the visitor's questions to the team with the replies, newest first. */
  handovers(options?: CallOptions): Answer<VisitorHandovers>;
  /**
   * Lists published articles by title: those of a collection, or those in no collection together with all collections. Nothing is
   * recorded of what visitors browse, search and read.
   */
  articles(options?: ArticlesOptions): Answer<HelpPage>;
  /** Finds published articles by words or a question, best first. */
  searchArticles(question: string, options?: CallOptions): Answer<HelpSearch>;
  /** Reads a published article. Rejects with `article/not_found`. */
  article(articleId: string, options?: CallOptions): Answer<HelpArticleText>;
  /** Deletes the visitor's data at the service and on the device. The next call starts as a new visitor. */
  erase(options?: CallOptions): Answer<ErasureReply>;
  /** Calls any operation for visitors by its constant from `@guidepost/client/operations`. */
  call<Id extends JsonOperation<'visitor'>>(
    operation: Operation<Id>,
    ...[input]: CallInput<Id>
  ): Answer<Reply<Id>>;
  /** Aborts running calls and stops timers. Later calls reject with `aborted`. */
  close(): void;
};

const RESUMPTIONS_MAX = 3;

/** Shared by the functions below. */
type GuideContext = {
  options: GuideOptions;
  page: Page;
  now: () => number;
  retry: RetryOptions;
  http: Http;
  session: Session;
  visitor: VisitorStorage;
  closing: AbortSignal;
  /** True after a denial until the service has recorded it. Meanwhile nothing may be stored. */
  denial: { isPending: boolean };
};

/** Opens the guide of one visitor on one page. Nothing is sent before the first call. */
export function createGuide(options: GuideOptions): Guide {
  const closing = new AbortController();
  const context = openContext(options, closing.signal);
  const { session, visitor } = context;
  const internals = createInternals(context);

  const call = <T>(route: Operation, { signal, ...input }: AnyInput = {}): Answer<T> =>
    toAnswer((read) => internals.call<T>(signal, { ...input, route, read }));

  const guide: Guide = {
    get state() {
      return session.state();
    },
    get conversationId() {
      return visitor.conversationId;
    },
    get conversations() {
      return visitor.conversations;
    },
    startConversation: () => setConversation(visitor, undefined, 0),
    boot: () => withResponse(abortable(session.boot(), closing.signal), session.response),
    chat: (turn) => chat(context, turn),
    consent: (decision, details = {}) => toAnswer((read) => consent(context, decision, details, read)),
    conversation: (id = visitor.conversationId, { signal } = {}) =>
      toAnswer(async (read) => {
        const params = { conversation_id: id ?? '' };
        const conversation = await internals.call<Conversation>(signal, {
          route: getConversation,
          params,
          read,
        });
        const { conversation_id, next_turn_idx, turns } = conversation;
        const askedAt = (turns.at(-1)?.asked_at ?? 0) * 1000;
        setConversation(visitor, conversation_id, next_turn_idx, turns[0]?.message, askedAt);
        return conversation;
      }),
    readConversations: ({ signal } = {}) =>
      toAnswer(async (read) => {
        const route = listOwnConversations;
        const { data } = await internals.call<VisitorConversations>(signal, { route, read });
        return setConversations(visitor, data);
      }),
    rate: (messageId, rating, { signal, ...details } = {}) => {
      const comment = details.comment || undefined;
      const body = { message_id: messageId, rating, ...details, comment };
      return call(rateMessage, { signal, body, idempotent: true });
    },
    askPerson: (body, { signal, idempotencyKey = randomId() } = {}) =>
      call(createHandover, {
        ...{ signal, body, idempotent: true },
        headers: { 'idempotency-key': idempotencyKey },
      }),
    handovers: (options) => call(listOwnHandovers, options),
    articles: ({ signal, collection, cursor } = {}) =>
      call(listHelpArticles, { signal, query: { collection, cursor } }),
    searchArticles: (q, { signal } = {}) => call(searchHelpArticles, { signal, query: { q } }),
    article: (article_id, { signal } = {}) => call(readHelpArticle, { signal, params: { article_id } }),
    erase: ({ signal } = {}) =>
      toAnswer(async (read) => {
        const erased = await internals.call<ErasureReply>(signal, { route: eraseVisitor, read });
        visitor.clear();
        session.clear();
        return erased;
      }),
    call: call as Guide['call'],
    close: () => closing.abort(),
  };
  return attachInternals(guide, internals);
}

type Page = {
  origin: string;
  getPath: () => string;
  gpc: boolean | undefined;
};

function describePage(options: GuideOptions): Page {
  const page = (globalThis as { location?: { origin: string; pathname: string } }).location;
  const browser = (globalThis as { navigator?: { globalPrivacyControl?: boolean } }).navigator;
  return {
    origin: options.origin ?? page?.origin ?? '',
    // Read again for each boot: a single-page application changes it without loading.
    getPath: () => options.path ?? page?.pathname ?? '/',
    gpc: options.gpc ?? browser?.globalPrivacyControl,
  };
}

function openContext(options: GuideOptions, closing: AbortSignal): GuideContext {
  const { appId, clock = Date, userAgentHint, userToken } = options;
  const page = describePage(options);
  const { origin, gpc } = page;
  const now = () => clock.now();
  const denial = { isPending: false };
  const visitor = openVisitorStorage(appId, options.storage);
  if (options.visitorId) visitor.visitorId = options.visitorId;
  const retry = { ...RETRY_DEFAULT, ...options.retry };
  const http = openHttp({
    baseUrl: options.baseUrl.replace(/\/+$/, ''),
    fetch: options.fetch,
    headers: {
      ...(options.origin ? { origin } : {}),
      ...(options.acceptLanguage ? { 'accept-language': options.acceptLanguage } : {}),
      ...options.headers,
    },
    retry,
  });
  const session = openSession({
    http,
    now,
    signal: closing,
    request: () => ({
      app_id: appId,
      origin,
      path: page.getPath(),
      visitor_id: visitor.visitorId,
      user_token: typeof userToken === 'function' ? userToken() : userToken,
      gpc,
      user_agent_hint: userAgentHint,
    }),
    onBoot: (reply) => {
      visitor.visitorId = reply.visitor_id;
      visitor.setAllowed(reply.features.persist_visitor && !denial.isPending);
    },
    booted: options.booted,
  });
  return { options, page, now, retry, http, session, visitor, closing, denial };
}

function createInternals({ http, session, closing }: GuideContext): GuideInternals {
  return {
    closing,
    call: (callerSignal, call) => {
      const signal = anySignal(closing, callerSignal);
      const sending = session.authorized(signal, (token) => http({ ...call, token, signal }));
      return abortable(sending, signal);
    },
    lastCall: (call) => http({ ...call, token: session.state()?.jwt, signal: new AbortController().signal }),
  };
}

async function* chat(context: GuideContext, turn: ChatTurn): AsyncGenerator<ChatEvent, void, void> {
  const { visitor, closing, now } = context;
  const leaving = new AbortController();
  const signal = anySignal(closing, turn.signal, leaving.signal);
  let conversationId = turn.conversationId ?? visitor.conversationId ?? `conv_${randomId()}`;
  if (conversationId !== visitor.conversationId) visitor.nextTurnIdx = 0;
  visitor.conversationId = conversationId;
  const body = toChatRequest(turn, conversationId, turn.turnIdx ?? visitor.nextTurnIdx);
  /** Makes this conversation the current one, unless another has started since. Never goes back to an earlier turn. */
  const follow = (id: string, nextTurnIdx: number) => {
    const knownIdx = id === conversationId ? visitor.nextTurnIdx : 0;
    if (visitor.conversationId === conversationId)
      setConversation(visitor, id, Math.max(knownIdx, nextTurnIdx), turn.message, now());
    conversationId = id;
  };
  try {
    for await (const event of streamTurn(context, body, turn.idempotencyKey ?? randomId(), signal)) {
      if (event.type === 'message_start') follow(event.conversation_id, event.turn_idx + 1);
      if (event.type === 'message_end') follow(conversationId, event.next_turn_idx);
      yield event;
    }
  } finally {
    leaving.abort();
  }
}

function streamTurn(
  { session, http, retry, options }: GuideContext,
  body: ChatRequest,
  idempotencyKey: string,
  signal: AbortSignal,
) {
  return streamAnswer({
    signal,
    deadlineSeconds: retry.deadlineSeconds,
    idleMillis: (options.streamIdleSeconds ?? 45) * 1000,
    resumptionsMax: RESUMPTIONS_MAX,
    open: (lastEventId, deadlineSeconds) => {
      const headers = {
        'idempotency-key': idempotencyKey,
        ...(lastEventId ? { 'last-event-id': lastEventId } : {}),
      };
      const call = { route: sendMessage, body, headers, signal, deadlineSeconds };
      return session.authorized(signal, (token) =>
        http({ ...call, token, read: async (response) => response }),
      );
    },
  });
}

function toChatRequest(turn: ChatTurn, conversationId: string, turnIdx: number): ChatRequest {
  return {
    message: turn.message,
    dom_digest: turn.domDigest,
    conversation_id: conversationId,
    turn_idx: turnIdx,
    url: turn.url,
    viewport: turn.viewport,
    document: turn.document,
    scroll_pos: turn.scrollPos,
    capture_context: turn.captureContext,
    viewport_screenshot: turn.viewportScreenshot,
    action_results: turn.actionResults,
  };
}

async function consent(
  context: GuideContext,
  decision: VisitorDecision,
  details: ConsentDetails,
  read: HttpCall<ConsentReply>['read'],
): Promise<ConsentReply> {
  const { session, visitor, http, closing, now, denial } = context;
  const isDenial = decision !== 'accepted' && decision !== 'dismissed';
  if (decision !== 'dismissed') denial.isPending = isDenial;
  if (isDenial) visitor.setAllowed(false);
  const at = details.at ?? now();
  const signal = anySignal(closing, details.signal);
  const send = () =>
    session.authorized(signal, (token) => {
      const body = toConsentRequest(context, decision, { ...details, at });
      return http({ route: recordConsent, body, token, signal, idempotent: true, read });
    });
  const sendTwice = async () => {
    const first = await send();
    if (first.recorded) return first;
    // The service does not reject an expired token here; it only leaves the decision unrecorded.
    await session.boot();
    return send();
  };
  const reply = await abortable(sendTwice(), signal);
  if (!reply.recorded) return reply;
  if (isDenial) denial.isPending = false;
  // The decision is recorded even when this boot fails; the next call then boots.
  await session.boot(true).catch(session.clear);
  return reply;
}

function toConsentRequest(
  { session, page }: GuideContext,
  decision: VisitorDecision,
  details: ConsentDetails & { at: number },
): ConsentRequest {
  const state = session.state();
  if (state === undefined) throw new GuideError('protocol', 'Boot before asking for consent.');
  const directive = state.consent_directive;
  return {
    visitor_id: state.visitor_id,
    url: details.url ?? page.origin + page.getPath(),
    copy_version: details.copyVersion ?? state.config.consent.copy.version,
    at: details.at,
    decision,
    mode: directive.mode,
    policy_version: directive.policy_version,
    gpc: page.gpc,
    region: details.region,
    override_source: details.overrideSource,
  };
}
