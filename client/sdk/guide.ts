import {
  eraseVisitor,
  getConversation,
  rateMessage,
  recordConsent,
  sendMessage,
} from '../../generated/routes.ts';
import type {
  BootReply,
  ChatEvent,
  ConsentReply,
  ConsentRequest,
  Conversation,
  ErasureReply,
  FeedbackRating,
  FeedbackReply,
  VisitorDecision,
} from '../../generated/types.ts';
import { answerStream } from './answer-stream.ts';
import { GuideError } from './errors.ts';
import {
  type Answer,
  abortable,
  answerOf,
  type HttpCall,
  openHttp,
  RETRY_DEFAULT,
  type RetryOptions,
  withResponse,
} from './http.ts';
import { type GuideLine, keepLine, linkedTo } from './internals.ts';
import { openSession } from './session.ts';
import { type ChatTurn, chatBody } from './turn.ts';
import { type GuideStorage, rememberVisitor } from './visitor-storage.ts';

export type GuideOptions = {
  /** Where the service is, such as `https://guide.example.com`. */
  readonly baseUrl: string;
  /** The `gp_` token of the install script. */
  readonly appId: string;
  /** The origin of the page. A browser states it by itself; elsewhere it must be given and is sent as `Origin`. */
  readonly origin?: string;
  /** The path of the page; that of the document at each boot when omitted. */
  readonly path?: string;
  /** An earlier visitor to go on as. */
  readonly visitorId?: string;
  /** The Global Privacy Control signal; that of the browser when omitted. */
  readonly gpc?: boolean;
  /** The languages of the visitor in the form of the header; those of the browser when omitted. */
  readonly acceptLanguage?: string;
  readonly userAgentHint?: string;
  /** Sent with every request, for callers that are no browsers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The answer to a boot that the page has made already; the guide goes on from it. */
  readonly booted?: BootReply;
  /** Where the visitor is kept between pages. Used only while the service says that it may be. */
  readonly storage?: GuideStorage;
  readonly fetch?: typeof globalThis.fetch;
  readonly clock?: { readonly now: () => number };
  readonly retry?: Partial<RetryOptions>;
  /** A stream without a byte for this long counts as broken; the service writes at least every 15 seconds. */
  readonly streamIdleSeconds?: number;
};

export type ConsentDetails = {
  /** The page of the decision; made of `origin` and `path` when omitted. */
  readonly url?: string;
  readonly copyVersion?: string;
  /** When the visitor decided, in milliseconds; now when omitted. */
  readonly at?: number;
  readonly region?: ConsentRequest['region'];
  readonly overrideSource?: ConsentRequest['override_source'];
  readonly signal?: AbortSignal;
};

export type CallOptions = { readonly signal?: AbortSignal | undefined };

/** One visitor of one page. Every method boots first when that has not happened yet, and rejects with a `GuideError`. */
export type Guide = {
  /** The last boot reply; undefined before the first. */
  readonly state: BootReply | undefined;
  /** The conversation that the next turn belongs to; undefined before the first turn. */
  readonly conversationId: string | undefined;
  boot(): Answer<BootReply>;
  /**
   * Asks, and yields the answer as it comes; the request is sent when the first event is asked for. The last event is
   * `message_end` or `error`. Leaving the loop aborts the request. Treat types of event that you do not know as absent.
   */
  chat(turn: ChatTurn): AsyncGenerator<ChatEvent, void, void>;
  /** Records a decision and boots again, so that `state` shows what it changed. */
  consent(decision: VisitorDecision, details?: ConsentDetails): Answer<ConsentReply>;
  /** Reads a conversation, the current one when no id is given, and goes on with it. */
  conversation(conversationId?: string, options?: CallOptions): Answer<Conversation>;
  rate(
    messageId: string,
    rating: FeedbackRating,
    details?: CallOptions & { readonly comment?: string },
  ): Answer<FeedbackReply>;
  /** Erases the visitor at the service and on the device; the next call starts as a new one. */
  erase(options?: CallOptions): Answer<ErasureReply>;
  /** Ends running calls and timers; later calls are refused with `aborted`. */
  close(): void;
};

const RESUMPTIONS_MAX = 3;

/** Opens a guide for one visitor of one page. Nothing is sent before the first call. */
export function createGuide(options: GuideOptions): Guide {
  const { appId, clock = Date, streamIdleSeconds = 45 } = options;
  const page = (globalThis as { location?: { origin: string; pathname: string } }).location;
  const browser = (globalThis as { navigator?: { globalPrivacyControl?: boolean } }).navigator;
  const gpc = options.gpc ?? browser?.globalPrivacyControl;
  const origin = options.origin ?? page?.origin ?? '';
  // A page that changes its address without being loaded again is another page to the service.
  const path = () => options.path ?? page?.pathname ?? '/';
  const closing = new AbortController();
  const memory = rememberVisitor(appId, options.storage);
  if (options.visitorId) memory.visitorId = options.visitorId;
  const retry = { ...RETRY_DEFAULT, ...options.retry };
  /** True from a refusal until the service has it: till then it may allow what the visitor does not. */
  let isRefusing = false;

  const http = openHttp({
    baseUrl: options.baseUrl.replace(/\/+$/, ''),
    // A browser's fetch refuses to be called as a method of something else.
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    headers: {
      ...(options.origin ? { origin } : {}),
      ...(options.acceptLanguage ? { 'accept-language': options.acceptLanguage } : {}),
      ...options.headers,
    },
    retry,
  });

  const session = openSession({
    http,
    now: () => clock.now(),
    signal: closing.signal,
    request: () => ({
      app_id: appId,
      origin,
      path: path(),
      ...(memory.visitorId ? { visitor_id: memory.visitorId } : {}),
      ...(gpc === undefined ? {} : { gpc }),
      ...(options.userAgentHint ? { user_agent_hint: options.userAgentHint } : {}),
    }),
    onBoot: (reply) => {
      memory.visitorId = reply.visitor_id;
      memory.keep(reply.features.persist_visitor && !isRefusing);
    },
    booted: options.booted,
  });

  /** Runs a call that ends with the caller's signal and with the guide. */
  async function calling<T>(signal: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>) {
    const link = linkedTo(closing.signal, signal);
    try {
      return await abortable(work(link.signal), link.signal);
    } finally {
      link.unlink();
    }
  }

  const call: GuideLine['call'] = (signal, what) =>
    calling(signal, (linked) =>
      session.authorized(linked, (token) => http({ ...what, token, signal: linked })),
    );

  async function* chat(turn: ChatTurn): AsyncGenerator<ChatEvent, void, void> {
    const { signal, unlink } = linkedTo(closing.signal, turn.signal);
    let conversationId = turn.conversationId ?? memory.conversationId ?? `conv_${randomName()}`;
    if (conversationId !== memory.conversationId) memory.nextTurnIdx = 0;
    memory.conversationId = conversationId;
    const body = chatBody(turn, conversationId, turn.turnIdx ?? memory.nextTurnIdx);
    const idempotencyKey = turn.idempotencyKey ?? randomName();
    const events = answerStream({
      signal,
      deadlineSeconds: retry.deadlineSeconds,
      idleMillis: streamIdleSeconds * 1000,
      resumptionsMax: RESUMPTIONS_MAX,
      open: (lastEventId, deadlineSeconds) => {
        const headers = {
          'idempotency-key': idempotencyKey,
          ...(lastEventId ? { 'last-event-id': lastEventId } : {}),
        };
        const what = { route: sendMessage, body, headers, signal, deadlineSeconds };
        return session.authorized(signal, (token) =>
          http({ ...what, token, read: async (response) => response }),
        );
      },
    });
    /** Follows its own conversation, unless another has begun since, and never back to an earlier turn. */
    const follow = (id: string, nextTurnIdx: number) => {
      const known = id === conversationId ? memory.nextTurnIdx : 0;
      if (memory.conversationId === conversationId) memory.follow(id, Math.max(known, nextTurnIdx));
      conversationId = id;
    };
    try {
      for await (const event of events) {
        if (event.type === 'message_start') follow(event.conversation_id, event.turn_idx + 1);
        if (event.type === 'message_end') follow(conversationId, event.next_turn_idx);
        yield event;
      }
    } finally {
      unlink();
    }
  }

  async function consent(
    decision: VisitorDecision,
    details: ConsentDetails,
    read: HttpCall<ConsentReply>['read'],
  ): Promise<ConsentReply> {
    const refuses = decision !== 'accepted' && decision !== 'dismissed';
    if (decision !== 'dismissed') isRefusing = refuses;
    if (refuses) memory.keep(false);
    const at = details.at ?? clock.now();
    const reply = await calling(details.signal, async (signal) => {
      const send = () =>
        session.authorized(signal, (token) => {
          const body = consentBody(decision, { ...details, at });
          const call = { route: recordConsent, body, token, signal, harmlessAgain: true };
          return http({ ...call, read });
        });
      const first = await send();
      if (first.recorded || !session.state()?.jwt) return first;
      // An expired token is no refusal here: it only keeps the decision from being recorded.
      await session.boot();
      return send();
    });
    // The decision stands whether or not this reaches the service; if it does not, the next call boots.
    if (!reply.recorded) return reply;
    if (refuses) isRefusing = false;
    await session.boot(true).catch(session.forget);
    return reply;
  }

  function consentBody(decision: VisitorDecision, details: ConsentDetails & { at: number }): ConsentRequest {
    const state = session.state();
    if (state === undefined) throw new GuideError('protocol', 'There was no boot to consent to.');
    const directive = state.consent_directive;
    return {
      visitor_id: state.visitor_id,
      url: details.url ?? origin + path(),
      copy_version: details.copyVersion ?? state.config.consent.copy.version,
      at: details.at,
      decision,
      mode: directive.mode,
      policy_version: directive.policy_version,
      ...(gpc === undefined ? {} : { gpc }),
      ...(details.region ? { region: details.region } : {}),
      ...(details.overrideSource ? { override_source: details.overrideSource } : {}),
    };
  }

  const guide: Guide = {
    get state() {
      return session.state();
    },
    get conversationId() {
      return memory.conversationId;
    },
    boot: () =>
      withResponse(
        calling(undefined, () => session.boot()),
        session.answer,
      ),
    chat,
    consent: (decision, details = {}) => answerOf((read) => consent(decision, details, read)),
    conversation: (id = memory.conversationId, { signal } = {}) =>
      answerOf(async (read) => {
        const parameters = { conversation_id: id ?? '' };
        const found = await call<Conversation>(signal, { route: getConversation, parameters, read });
        memory.follow(found.conversation_id, found.next_turn_idx);
        return found;
      }),
    rate: (messageId, rating, { comment, signal } = {}) =>
      answerOf((read) => {
        const body = { message_id: messageId, rating, ...(comment ? { comment } : {}) };
        return call<FeedbackReply>(signal, { route: rateMessage, body, harmlessAgain: true, read });
      }),
    erase: ({ signal } = {}) =>
      answerOf(async (read) => {
        const erased = await call<ErasureReply>(signal, { route: eraseVisitor, read });
        memory.forget();
        session.forget();
        return erased;
      }),
    close: () => closing.abort(),
  };
  return keepLine(guide, {
    closing: closing.signal,
    call,
    lastCall: (what) => {
      const { signal } = new AbortController();
      return http({ ...what, token: session.state()?.jwt ?? null, signal });
    },
  });
}

/** 128 random bits. `crypto.randomUUID` exists on secure pages only, and the guide may run on others. */
function randomName(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
