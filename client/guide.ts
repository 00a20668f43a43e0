import type { z } from 'zod';
import type { BootReply } from '../contract/boot.ts';
import type { conversation, feedbackReply, feedbackRequest } from '../contract/chat.ts';
import type { ChatEvent } from '../contract/chat-event.ts';
import type { ConsentDecision, consentReply, consentRequest } from '../contract/consent.ts';
import type { erasureReply } from '../contract/visitor.ts';
import {
  eraseVisitor,
  getConversation,
  rateMessage,
  recordConsent,
  sendMessage,
} from '../generated/routes.ts';
import { answerStream } from './answer-stream.ts';
import { GuideError } from './errors.ts';
import { abortable, openHttp, RETRY_USUAL, type RetryOptions, readJson } from './http.ts';
import { type CallAsVisitor, type GuideLine, keepLine, linkedTo } from './line.ts';
import { type GuideStorage, rememberVisitor } from './memory.ts';
import { openSession } from './session.ts';
import { type ChatTurn, chatBody } from './turn.ts';

export type GuideOptions = {
  /** Where the service is, such as `https://guide.example.com`. */
  readonly baseUrl: string;
  /** The `gp_` token of the install script. */
  readonly appId: string;
  /** The origin of the page. A browser states it by itself; elsewhere it must be given and is sent as `Origin`. */
  readonly origin?: string;
  /** The path of the page; that of the document when omitted. */
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
  /** Where the visitor is kept between pages. Used only while the service says that it may be. */
  readonly storage?: GuideStorage;
  readonly fetch?: typeof globalThis.fetch;
  readonly clock?: { readonly now: () => number };
  readonly retry?: Partial<RetryOptions>;
  /** A stream without a byte for this long counts as broken; the service writes at least every 15 seconds. */
  readonly streamIdleSeconds?: number;
};

type ConsentBody = z.input<typeof consentRequest>;

export type ConsentDetails = {
  /** The page of the decision; made of `origin` and `path` when omitted. */
  readonly url?: string;
  readonly copyVersion?: string;
  /** When the visitor decided, in milliseconds; now when omitted. */
  readonly at?: number;
  readonly region?: ConsentBody['region'];
  readonly overrideSource?: ConsentBody['override_source'];
  readonly signal?: AbortSignal;
};

export type CallOptions = { readonly signal?: AbortSignal | undefined };

/** One visitor of one page. Every method boots first when that has not happened yet, and rejects with a `GuideError`. */
export type Guide = {
  /** The last boot reply; undefined before the first. */
  readonly state: BootReply | undefined;
  /** The conversation that the next turn belongs to; undefined before the first turn. */
  readonly conversationId: string | undefined;
  boot(): Promise<BootReply>;
  /**
   * Asks, and yields the answer as it comes; the request is sent when the first event is asked for. The last event is
   * `message_end` or `error`. Leaving the loop aborts the request. Treat types of event that you do not know as absent.
   */
  chat(turn: ChatTurn): AsyncGenerator<ChatEvent, void, void>;
  /** Records a decision and boots again, so that `state` shows what it changed. */
  consent(decision: ConsentDecision, details?: ConsentDetails): Promise<z.output<typeof consentReply>>;
  /** Reads a conversation, the current one when no id is given, and goes on with it. */
  conversation(conversationId?: string, options?: CallOptions): Promise<z.output<typeof conversation>>;
  rate(
    messageId: string,
    rating: z.input<typeof feedbackRequest>['rating'],
    details?: CallOptions & { readonly comment?: string },
  ): Promise<z.output<typeof feedbackReply>>;
  /** Erases the visitor at the service and on the device; the next call starts as a new one. */
  erase(options?: CallOptions): Promise<z.output<typeof erasureReply>>;
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
  const path = options.path ?? page?.pathname ?? '/';
  const closing = new AbortController();
  const memory = rememberVisitor(appId, options.storage);
  if (options.visitorId) memory.visitorId = options.visitorId;

  const http = openHttp({
    baseUrl: options.baseUrl.replace(/\/+$/, ''),
    // A browser's fetch refuses to be called as a method of something else.
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    headers: {
      ...(options.origin ? { origin } : {}),
      ...(options.acceptLanguage ? { 'accept-language': options.acceptLanguage } : {}),
      ...options.headers,
    },
    retry: { ...RETRY_USUAL, ...options.retry },
  });

  const session = openSession({
    http,
    now: () => clock.now(),
    signal: closing.signal,
    request: () => ({
      app_id: appId,
      origin,
      path,
      ...(memory.visitorId ? { visitor_id: memory.visitorId } : {}),
      ...(gpc === undefined ? {} : { gpc }),
      ...(options.userAgentHint ? { user_agent_hint: options.userAgentHint } : {}),
    }),
    onBoot: (reply) => {
      memory.visitorId = reply.visitor_id;
      memory.keep(reply.features.persist_visitor);
    },
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

  const callForJson = <T>(signal: AbortSignal | undefined, what: Omit<CallAsVisitor<T>, 'read'>) =>
    call<T>(signal, { ...what, read: readJson });

  async function* chat(turn: ChatTurn): AsyncGenerator<ChatEvent, void, void> {
    const { signal, unlink } = linkedTo(closing.signal, turn.signal);
    memory.conversationId = turn.conversationId ?? memory.conversationId ?? `conv_${randomName()}`;
    const body = chatBody(turn, memory.conversationId, turn.turnIdx ?? memory.nextTurnIdx);
    const idempotencyKey = turn.idempotencyKey ?? randomName();
    const events = answerStream({
      signal,
      idleMillis: streamIdleSeconds * 1000,
      resumptionsMax: RESUMPTIONS_MAX,
      open: (lastEventId) => {
        const headers = {
          'idempotency-key': idempotencyKey,
          ...(lastEventId ? { 'last-event-id': lastEventId } : {}),
        };
        return session.authorized(signal, (token) =>
          http({ route: sendMessage, body, token, headers, signal, read: async (response) => response }),
        );
      },
    });
    try {
      for await (const event of events) {
        if (event.type === 'message_start') memory.follow(event.conversation_id, event.turn_idx + 1);
        if (event.type === 'message_end') memory.follow(memory.conversationId, event.next_turn_idx);
        yield event;
      }
    } finally {
      unlink();
    }
  }

  async function consent(decision: ConsentDecision, details: ConsentDetails = {}) {
    const refuses = decision !== 'accepted' && decision !== 'dismissed';
    if (refuses) memory.keep(false);
    const at = details.at ?? clock.now();
    const reply = await calling(details.signal, async (signal) => {
      const send = () =>
        session.authorized(signal, (token) => {
          const body = consentBody(decision, { ...details, at });
          const call = { route: recordConsent, body, token, signal, harmlessAgain: true };
          return http<z.output<typeof consentReply>>({ ...call, read: readJson });
        });
      const first = await send();
      if (first.recorded || !session.state()?.jwt) return first;
      // An expired token is no refusal here: it only keeps the decision from being recorded.
      await session.boot();
      return send();
    });
    // The decision stands whether or not this reaches the service; if it does not, the next call boots.
    if (reply.recorded) await session.boot().catch(session.forget);
    return reply;
  }

  function consentBody(decision: ConsentDecision, details: ConsentDetails & { at: number }): ConsentBody {
    const state = session.state();
    if (state === undefined) throw new GuideError('protocol', 'There was no boot to consent to.');
    const directive = state.consent_directive;
    return {
      visitor_id: state.visitor_id,
      url: details.url ?? origin + path,
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
    boot: () => calling(undefined, session.boot),
    chat,
    consent,
    conversation: async (id = memory.conversationId, { signal } = {}) => {
      const parameters = { conversation_id: id ?? '' };
      const found = await callForJson<z.output<typeof conversation>>(signal, {
        route: getConversation,
        parameters,
      });
      memory.follow(found.conversation_id, found.next_turn_idx);
      return found;
    },
    rate: (messageId, rating, { comment, signal } = {}) =>
      callForJson(signal, {
        route: rateMessage,
        body: { message_id: messageId, rating, ...(comment ? { comment } : {}) },
        harmlessAgain: true,
      }),
    erase: async ({ signal } = {}) => {
      const erased = await callForJson<z.output<typeof erasureReply>>(signal, { route: eraseVisitor });
      memory.forget();
      session.forget();
      return erased;
    },
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
