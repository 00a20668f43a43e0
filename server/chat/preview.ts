import type { ChatEvent } from '../../contract/chat-event.ts';
import { LIMITS } from '../../contract/limits.ts';
import type { PreviewReply, preview } from '../../contract/preview.ts';
import type { Clock } from '../clock.ts';
import { regionDirective, regionNamed, wordsIn } from '../consent/directives.ts';
import { consentSettingsOf, policyVersionOf } from '../consent/policy.ts';
import { type Engine, type EngineEvent, EngineFailure, type EngineQuestion } from '../engine/engine.ts';
import { throwApiError } from '../http/errors.ts';
import type { HandlerInput, Handlers, MemberCaller, SseEvent } from '../http/handler.ts';
import { newId } from '../ids.ts';
import { keptLocale } from '../knowledge/article-content.ts';
import { hitOf, part } from '../knowledge/articles.ts';
import { effectiveLocale, type Preference, parseAcceptLanguage } from '../knowledge/locale.ts';
import type { Retrieval, Retriever } from '../knowledge/search/retrieve.ts';
import { answerThreshold } from '../knowledge/search/search-partition.ts';
import { unpublishedMatches } from '../knowledge/title-search.ts';
import { readableText } from '../sanitize/page-text.ts';
import { StorageUnavailable, type Store } from '../storage/store.ts';
import { GUIDE_DEFAULTS } from '../storage/workspaces.ts';
import { citationRecord } from './citation-record.ts';
import { type ChatEventWriter, createSayings } from './events.ts';
import { findingsOf } from './findings.ts';
import { tokenAllowance } from './token-allowance.ts';

/** The guide as a visitor would meet it: asked like a turn, and nothing of it kept. */
export type PreviewDeps = {
  readonly store: Pick<Store, 'in'>;
  readonly clock: Clock;
  readonly engine: Engine;
  readonly retriever: Retriever;
  /** The locales that a workspace has published knowledge in. */
  readonly localesOf: (workspaceId: string) => Promise<readonly string[]>;
  readonly answerMillisMax?: number;
};

/** More than an engine gets, so that what came close is seen too. */
const PASSAGES_SHOWN = 10;
const PASSAGES_FOR_ENGINE = 5;

type End = Extract<EngineEvent, { type: 'end' }>;

export function previewHandlers(deps: PreviewDeps): Handlers<typeof preview> {
  const { store, retriever } = deps;
  return {
    async previewAnswer({ body, caller, ctx }) {
      const { workspace } = caller;
      const locale = body.locale === undefined ? undefined : keptLocale(body.locale, 'body.locale');
      const wish = parseAcceptLanguage(locale);
      const consent = consentFor(body, locale, caller, deps.clock.now());
      const retrieval = await retriever.retrieve({
        workspaceId: workspace.id,
        question: body.message,
        preference: wish,
        limit: PASSAGES_SHOWN,
      });
      const { articles } = store.in(workspace.id);
      const unpublished = await unpublishedMatches(articles, body.message, wish, ctx.signal);
      const answered = await answerTo(body.message, wish, retrieval, caller, deps, ctx.signal);
      return {
        status: 200,
        body: { ...answered, findings: findingsShown(retrieval, answered), unpublished, consent },
      };
    },
  };
}

type Answered = Omit<PreviewReply, 'findings' | 'unpublished' | 'consent'>;

async function answerTo(
  message: string,
  wish: Preference,
  retrieval: Retrieval,
  caller: MemberCaller,
  { store, clock, engine, localesOf, answerMillisMax = LIMITS.previewSeconds * 1000 }: PreviewDeps,
  hungUp: AbortSignal,
): Promise<Answered> {
  const { id, settings } = caller.workspace;
  const source = settings.sourceLocale;
  const requestedLocale = effectiveLocale(wish, await localesOf(id), source)?.requestedLocale ?? source;
  const findings = findingsOf({ ...retrieval, results: retrieval.results.slice(0, PASSAGES_FOR_ENGINE) });
  const allowance = engine.costsTokens
    ? await tokenAllowance(store.in(id).tokenMonths, settings, clock.now()).catch(brokenOff)
    : undefined;
  const { instructions, generalAnswers } = settings.guide ?? GUIDE_DEFAULTS;
  const question: EngineQuestion = {
    text: readableText(message, LIMITS.messageCharsMax),
    requestedLocale,
    ...findings.question,
    page: { title: '', url: '', digest: '', selectedText: '', targets: [] },
    recentTurns: [],
    generalAnswers,
    ...(instructions === undefined ? {} : { instructions }),
    ...(allowance ? { allowance } : {}),
  };
  const frames: SseEvent[] = [];
  const said = createSayings(
    { frames, put: (frame) => void frames.push(frame) },
    placeOf(requestedLocale),
    clock,
  );
  const signal = AbortSignal.any([hungUp, AbortSignal.timeout(answerMillisMax)]);
  let end: End | undefined;
  try {
    for await (const event of engine.answer(question, signal)) {
      if (signal.aborted) break;
      if (event.type === 'end') end = event;
      else said.pass(event, findings);
    }
  } catch (error) {
    brokenOff(error);
  } finally {
    await allowance?.settle();
  }
  if (!end || signal.aborted) return throwApiError('chat/answer_broke_off', 'no answer in time');
  said.settle();
  return { engine: engine.name, requestedLocale, ...shown(said, frames, end) };
}

/** Neither a provider that fails nor tokens that cannot be counted are anybody's mistake. */
function brokenOff(error: unknown): never {
  if (error instanceof EngineFailure) {
    return throwApiError('chat/answer_broke_off', error.message, { retryAfterSec: error.retryAfterSeconds });
  }
  if (error instanceof StorageUnavailable)
    return throwApiError('chat/answer_broke_off', 'tokens cannot be counted');
  throw error;
}

/** There is no page, so that nothing on one can be pointed at. */
const placeOf = (requestedLocale: string) => ({
  messageId: newId('msg'),
  requestId: '',
  conversationId: '',
  previousConversationId: undefined,
  turnIdx: 0,
  requestedLocale,
  origin: '',
  page: { targets: [] },
  actionsAllowed: false,
});

function shown(
  said: ChatEventWriter,
  frames: readonly SseEvent[],
  { finishReason, confidence, usage }: End,
): Omit<Answered, 'engine' | 'requestedLocale'> {
  const events = frames.map(({ data }) => JSON.parse(data) as ChatEvent);
  const citations = said.citations.map(citationRecord);
  const first = citations[0];
  return {
    ...(first ? { contentLocale: first.contentLocale } : {}),
    ...(first?.fallbackReason ? { fallbackReason: first.fallbackReason } : {}),
    answer: said.answer.text,
    finishReason,
    confidence: part(confidence),
    citations,
    suggestions: events
      .flatMap((event) => (event.type === 'suggestions' ? event.items : []))
      .slice(0, 10)
      .map(({ title, message }) => ({ title, message })),
    notices: events
      .flatMap((event) => (event.type === 'notice' ? [{ code: event.code, text: event.text }] : []))
      .slice(0, 10),
    usage,
  };
}

function findingsShown(
  { found, confidence, results }: Retrieval,
  { citations }: Answered,
): PreviewReply['findings'] {
  const cited = new Set(citations.map(({ articleId }) => articleId));
  return {
    found,
    confidence: part(confidence),
    threshold: answerThreshold,
    passages: results.map((result) => ({
      ...hitOf(result),
      revision: result.revision,
      confidence: part(result.confidence),
      stale: result.stale,
      cited: cited.has(result.articleId),
    })),
  };
}

function consentFor(
  { region, gpc = false }: HandlerInput<(typeof preview)['previewAnswer']>['body'],
  locale: string | undefined,
  { workspace: { settings } }: MemberCaller,
  nowMillis: number,
): PreviewReply['consent'] {
  const regionCode = region === undefined ? 'ZZ' : regionNamed(region, 'body.region');
  return {
    policyVersion: policyVersionOf(consentSettingsOf(settings)),
    directive: regionDirective({ settings, regionCode, gpc, nowMillis }),
    ...wordsIn(locale),
  };
}
