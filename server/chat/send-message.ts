import type { chat } from '../../contract/chat.ts';
import { LIMITS } from '../../contract/limits.ts';
import type { Clock } from '../clock.ts';
import { consentOfCaller, type VisitorConsent } from '../consent/visitor-consent.ts';
import type { Engine } from '../engine/engine.ts';
import { throwApiError } from '../http/errors.ts';
import type { Handlers, SseEvent, SseResponse, VisitorCaller } from '../http/handler.ts';
import { newId } from '../ids.ts';
import { effectiveLocale, parseAcceptLanguage } from '../knowledge/locale.ts';
import type { Retriever } from '../knowledge/search/retrieve.ts';
import type { Log } from '../log.ts';
import type { Turn } from '../storage/conversations.ts';
import type { Store, WorkspaceStore } from '../storage/store.ts';
import { GUIDE_DEFAULTS } from '../storage/workspaces.ts';
import { rowsOfOutcomes } from './analytics-events.ts';
import { cleanPage } from './capture.ts';
import type { RetrievalResult } from './events.ts';
import { findingsOf } from './findings.ts';
import { LiveTurn, type LiveTurns, type Place } from './live-turn.ts';
import type { Dropped } from './output-rules.ts';
import {
  type ChatAsked,
  countedAs,
  framesOf,
  hasGpc,
  hashOf,
  mayContinue,
  noticesFor,
  pageAddress,
  replay,
  resumeAt,
  screenshotOf,
} from './request.ts';
import { tokenAllowance } from './token-allowance.ts';
import { type Asking, runTurn, type TurnJob } from './turn.ts';

export type TurnDeps = {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly engine: Engine;
  readonly retriever: Retriever;
  readonly liveTurns: LiveTurns;
  /** The locales that a workspace has published knowledge in. */
  readonly localesOf: (workspaceId: string) => Promise<readonly string[]>;
  readonly streamsMax: number;
  readonly onTurnFinish: (finishReason: string, dropped: Readonly<Dropped>) => void;
};

const RECENT_TURNS = 3;
/** For an engine that reads as many of them as it has room for. */
const RECENT_TURNS_FOR_MODEL = 10;
const PASSAGES_FOR_ENGINE = 5;
/** Two turns that meet in storage settle at the second try; more tries only guard against the absurd. */
const OPEN_TRIES_MAX = 4;

/** Begins turns, and goes on with those that were begun before. */
export function sendMessageHandler(deps: TurnDeps): Pick<Handlers<typeof chat>, 'sendMessage'> {
  const { store, clock, liveTurns, engine } = deps;
  const recentTurns = engine.forgetful ? 0 : engine.costsTokens ? RECENT_TURNS_FOR_MODEL : RECENT_TURNS;

  return {
    async sendMessage(input) {
      const url = pageAddress(input.body.url, input.caller.origin);
      const key = input.headers['idempotency-key'];
      const payloadHash = key === undefined ? undefined : hashOf(input.body);
      for (let tries = 0; tries < OPEN_TRIES_MAX; tries++) {
        const earlier =
          key === undefined
            ? undefined
            : await workspaceOf(input).conversations.findTurnByKey(input.caller.visitorId, key);
        if (earlier && earlier.payloadHash !== payloadHash) return throwApiError('chat/idempotency_mismatch');
        // A second try means that the conversation turned out to be somebody else's.
        const reply = earlier
          ? await goOn(input, earlier, url)
          : await begin(input, url, key, payloadHash, tries > 0);
        if (reply) return reply;
      }
      throw new Error('a turn found no place in storage');
    },
  };

  function workspaceOf({ caller }: { caller: VisitorCaller }): WorkspaceStore {
    return store.in(caller.workspace.id);
  }

  function consentOf(input: ChatAsked): Promise<VisitorConsent> {
    return consentOfCaller(input.caller, workspaceOf(input).consents, hasGpc(input.ctx), clock.now());
  }

  /** A turn that was started before: attach to it, replay it, or run it again where it broke off. */
  async function goOn(input: ChatAsked, earlier: Turn, url: URL): Promise<SseResponse | undefined> {
    const from = resumeAt(input.headers['last-event-id'], earlier.messageId);
    const live = liveTurns.find(earlier.messageId);
    if (live) return { status: 200, stream: live.follow(from, input.ctx.signal) };
    const frames = framesOf(earlier);
    if (earlier.state === 'complete') return { status: 200, stream: replay(frames, from) };
    return inPlace(input.caller, async (place) => {
      const conversations = workspaceOf(input).conversations;
      if ((await conversations.reopenTurn(earlier.messageId, clock.now())) === 'conflict') return undefined;
      const job = await jobFor(input, url, {
        messageId: earlier.messageId,
        conversationId: earlier.conversationId,
        previousConversationId: undefined,
        turnIdx: earlier.turnIdx,
        nextTurnIdx: earlier.turnIdx + 1,
        first: earlier.turnIdx === 0,
        consent: await consentOf(input),
        recentTurns: [],
      });
      // Somebody who resumed at the same moment may have been first.
      const running = liveTurns.find(earlier.messageId);
      if (running) return { status: 200, stream: running.follow(from, input.ctx.signal) };
      return run(input, job, frames, from, place);
    });
  }

  /** A new turn: its question is stored before a word is said. Undefined when it met another turn in storage. */
  function begin(
    input: ChatAsked,
    url: URL,
    key: string | undefined,
    payloadHash: string | undefined,
    isForeign: boolean,
  ): Promise<SseResponse | undefined> {
    return inPlace(input.caller, async (place) => {
      const { body, caller } = input;
      const consent = await consentOf(input);
      const { conversations } = workspaceOf(input);
      const found = await conversations.find(body.conversation_id);
      const rotates = isForeign || (found !== undefined && !mayContinue(found, caller.visitorId));
      const conversationId = rotates ? newId('conv') : body.conversation_id;
      const turnIdx = rotates ? 0 : body.turn_idx;
      const job = await jobFor(input, url, {
        messageId: newId('msg'),
        conversationId,
        previousConversationId: rotates ? body.conversation_id : undefined,
        turnIdx,
        nextTurnIdx: Math.max(rotates ? 0 : (found?.nextTurnIdx ?? 0), turnIdx + 1),
        first: rotates || found === undefined,
        consent,
        recentTurns:
          recentTurns > 0 && found && !rotates && found.turnCount > 0
            ? await conversations.recent(conversationId, recentTurns)
            : [],
      });
      const askedAt = clock.now();
      const { deleteConversationsWithinMillis } = consent.effect;
      const counted = countedAs(consent, caller.visitorId, conversationId);
      const opened = await conversations.openTurn(
        {
          messageId: job.messageId,
          conversationId,
          visitorId: caller.visitorId,
          turnIdx,
          question: body.message,
          requestedLocale: job.requestedLocale,
          askedAt,
          ...(key === undefined || payloadHash === undefined ? {} : { idempotencyKey: key, payloadHash }),
          ...(deleteConversationsWithinMillis === undefined
            ? {}
            : { deleteAfterMillis: askedAt + deleteConversationsWithinMillis }),
        },
        counted ? rowsOfOutcomes(body.action_results ?? [], counted, askedAt) : [],
      );
      if (opened === 'conflict') return undefined;
      return run(input, job, [], 0, place);
    });
  }

  function run(
    input: ChatAsked,
    job: TurnJob,
    earlierFrames: readonly SseEvent[],
    from: number,
    place: Place,
  ): SseResponse {
    // Only these of what was asked: whatever the work below takes along stays in memory as long as the answer is open.
    const { caller, ctx } = input;
    const { conversations, consents, tokenMonths } = workspaceOf(input);
    const gpc = hasGpc(ctx);
    const acceptLanguage = ctx.headers['accept-language'];
    const turn = new LiveTurn({
      messageId: job.messageId,
      visitorId: caller.visitorId,
      earlierFrames,
    });
    // The reader is there before the work starts, or the work would think that nobody listens.
    const stream = turn.follow(from, ctx.signal);
    const work = runTurn(turn, job, {
      conversations,
      engine,
      allowance: engine.costsTokens
        ? () => tokenAllowance(tokenMonths, caller.workspace.settings, clock.now())
        : undefined,
      clock,
      log: deps.log,
      search: (question) => search(caller.workspace.id, question, acceptLanguage),
      // Somebody may have refused while the answer was on its way.
      counted: async () => {
        const consent = await consentOfCaller(caller, consents, gpc, clock.now());
        return countedAs(consent, caller.visitorId, job.conversationId);
      },
      onFinish: deps.onTurnFinish,
    });
    place.take(turn, work);
    return { status: 200, stream };
  }

  async function search(
    workspaceId: string,
    question: string,
    acceptLanguage: string | undefined,
  ): Promise<RetrievalResult> {
    const answer = await deps.retriever.retrieve({
      workspaceId,
      question,
      acceptLanguage,
      limit: PASSAGES_FOR_ENGINE,
    });
    return findingsOf(answer);
  }

  async function jobFor(
    input: ChatAsked,
    url: URL,
    place: {
      readonly messageId: string;
      readonly conversationId: string;
      readonly previousConversationId: string | undefined;
      readonly turnIdx: number;
      readonly nextTurnIdx: number;
      readonly first: boolean;
      readonly consent: VisitorConsent;
      readonly recentTurns: Asking['recentTurns'];
    },
  ): Promise<TurnJob> {
    const { body, caller, ctx } = input;
    const { consent, recentTurns, ...placed } = place;
    const { settings } = caller.workspace;
    const page = cleanPage({ url, digest: body.dom_digest, capture: body.capture_context });
    const { instructions, generalAnswers } = settings.guide ?? GUIDE_DEFAULTS;
    const { screenshot, notice } = screenshotOf(
      body,
      settings.features.screenshot && consent.effect.screenshot,
    );
    return {
      ...placed,
      requestId: ctx.id,
      requestedLocale: await requestedLocale(caller, ctx.headers['accept-language']),
      origin: caller.origin,
      page: { targets: page.targets },
      asking: {
        question: body.message,
        page,
        recentTurns,
        guide: { generalAnswers, ...(instructions === undefined ? {} : { instructions }) },
        screenshot: engine.looks ? screenshot : undefined,
      },
      actionsAllowed: settings.features.pageActions,
      notices: [...(notice ? [notice] : []), ...noticesFor(body, page)],
    };
  }

  async function requestedLocale(caller: VisitorCaller, acceptLanguage: string | undefined): Promise<string> {
    const locales = await deps.localesOf(caller.workspace.id);
    const source = caller.workspace.settings.sourceLocale;
    return effectiveLocale(parseAcceptLanguage(acceptLanguage), locales, source)?.requestedLocale ?? source;
  }

  /** Runs what begins a turn, if there is room for one; the place is free again where no turn took it. */
  async function inPlace<T>({ visitorId }: VisitorCaller, work: (place: Place) => Promise<T>): Promise<T> {
    if (liveTurns.size >= deps.streamsMax)
      throwApiError('server/overloaded', 'streams', { retryAfterSec: 1 });
    if (liveTurns.countOf(visitorId) >= LIMITS.streamsPerVisitorMax) throwApiError('chat/too_many_streams');
    const place = liveTurns.reserve(visitorId);
    try {
      return await work(place);
    } finally {
      place.leave();
    }
  }
}
