import type { ChatEvent } from '../../contract/chat-event.ts';
import { CHAT_LIMITS } from '../../contract/limits/chat.ts';
import type { PreviewQuestion, PreviewReply, preview } from '../../contract/preview.ts';
import { type Grants, PUBLIC, toGrants } from '../base/audience.ts';
import type { Clock } from '../base/clock.ts';
import { newId } from '../base/ids.ts';
import { type Preference, parseAcceptLanguage } from '../base/locale.ts';
import {
  type EngineEvent,
  EngineFailure,
  type PromptMessage,
  type WorkspaceEngine,
  type WorkspaceEngines,
} from '../engine/engine.ts';
import { throwApiError } from '../http/errors.ts';
import type { HandlerInput, Handlers, MemberCaller, SseEvent } from '../http/handler.ts';
import { normalizeLocale } from '../knowledge/article-content.ts';
import { clampShare, toSearchHit } from '../knowledge/articles.ts';
import { WORDS_THRESHOLD } from '../knowledge/search/confidence.ts';
import type { Retrieval, Retriever } from '../knowledge/search/retrieve.ts';
import { findUnpublishedMatches } from '../knowledge/title-search.ts';
import { sanitizePageText } from '../sanitize/page-text.ts';
import type { Store } from '../storage/store.ts';
import { GUIDE_DEFAULTS, takesHandovers } from '../storage/workspace-settings.ts';
import {
  getConsentTexts,
  parseRegion,
  previewDirective,
} from '../visitors/consent/consent-policy-preview.ts';
import { getPolicyVersion, toConsentSettings } from '../visitors/consent/policy.ts';
import type { TokenAllowance, TokenBudget } from '../workspaces/token-budget.ts';
import {
  type AnswerDeps,
  getRecentTurnsMax,
  type Message,
  type PreparedAnswer,
  prepareAnswer,
} from './answer-message.ts';
import { toCitationRecord } from './citations.ts';
import { ChatEventWriter, type TurnContext } from './events.ts';

export type PreviewDeps = {
  store: Pick<Store, 'in'>;
  clock: Clock;
  engines: Pick<WorkspaceEngines, 'get'>;
  retriever: Retriever;
  embedMessages: AnswerDeps['embedMessages'];
  tokenBudget: TokenBudget;
  answerMillisMax?: number;
};

/** More than an engine gets, to show what came close. */
const PASSAGES_SHOWN = 10;

type End = Extract<EngineEvent, { type: 'end' }>;

/** Answers a question without a conversation, as a visitor with this language would see it. */
export async function previewQuestion(
  { message, locale, reader }: { message: string; locale: string; reader: Grants },
  caller: OfWorkspace,
  deps: Omit<PreviewDeps, 'store'>,
  signal: AbortSignal,
): Promise<Pick<AnswerWithRetrievals, 'finishReason' | 'confidence' | 'citations' | 'retrievals'>> {
  const preference = parseAcceptLanguage(locale);
  const question = buildMessage({ message, recentTurns: [], rules: pickRules(caller) }, preference, caller);
  const engine = await deps.engines.get(caller.workspace.id);
  return answerMessage(question, { preference, reader }, caller, { ...deps, ...engine }, signal);
}

/** Answers like a visitor's turn, and stores nothing. */
export function previewHandlers(deps: PreviewDeps): Handlers<typeof preview> {
  const { store } = deps;
  return {
    async previewAnswer({ body, caller, ctx }) {
      const { workspace } = caller;
      const locale = body.locale === undefined ? undefined : normalizeLocale(body.locale, 'body.locale');
      const preference = parseAcceptLanguage(locale);
      const consent = buildConsent(body, locale, caller, deps.clock.now());
      const { articles } = store.in(workspace.id);
      const unpublished = await findUnpublishedMatches(articles, body.message, preference, ctx.signal);
      const engine = await deps.engines.get(workspace.id);
      const recentTurns = (body.conversation ?? []).slice(-getRecentTurnsMax(engine.engine));
      const rules = pickRules(caller, body.includeDisabledRules);
      let prompt: readonly PromptMessage[] = [];
      const onPrompt = (messages: readonly PromptMessage[]) => {
        prompt = messages;
      };
      const message = { ...buildMessage({ ...body, recentTurns, rules }, preference, caller), onPrompt };
      const { retrievals, ...answer } = await answerMessage(
        message,
        { preference, reader: toSimulatedReader(body.audience) },
        caller,
        { ...deps, ...engine },
        ctx.signal,
      );
      const findings = toFindings(retrievals[0], answer);
      const isModelAsked = answer.usage.inputTokens > 0;
      const sent = isModelAsked ? rules.map(({ kind, name }) => ({ kind, name })) : [];
      return {
        status: 200,
        body: { ...answer, rules: sent, prompt: [...prompt], findings, unpublished, consent },
      };
    },
  };
}

/** Whoever has an attribute is signed in. */
const toSimulatedReader = (audience: PreviewQuestion['audience'] = []): Grants =>
  audience.length === 0 ? PUBLIC : toGrants({ attributes: audience });

type OfWorkspace = Pick<MemberCaller, 'workspace'>;
type PreviewAnswer = Omit<PreviewReply, 'rules' | 'prompt' | 'findings' | 'unpublished' | 'consent'>;
type AnswerWithRetrievals = PreviewAnswer & Pick<PreparedAnswer, 'retrievals'>;

function pickRules({ workspace: { settings } }: OfWorkspace, includesDisabled = false) {
  return (settings.guide?.rules ?? []).filter(({ enabled }) => enabled || includesDisabled);
}

function buildMessage(
  { message, recentTurns, rules }: Pick<PreviewQuestion, 'message'> & Pick<Message, 'recentTurns' | 'rules'>,
  preference: Preference,
  { workspace: { name, settings } }: OfWorkspace,
): Message {
  const source = settings.sourceLocale;
  const { generalAnswers } = settings.guide ?? GUIDE_DEFAULTS;
  return {
    text: sanitizePageText(message, CHAT_LIMITS.messageCharsMax),
    requestedLocale: preference.wanted[0] ?? source,
    sourceLocale: source,
    workspaceName: name,
    contact: settings.contact,
    takesHandovers: takesHandovers(settings),
    origins: settings.allowedOrigins,
    page: { title: '', url: '', digest: '', selectedText: '', targets: [] },
    recentTurns: recentTurns.map((turn) => ({
      ...turn,
      question: sanitizePageText(turn.question, CHAT_LIMITS.messageCharsMax),
    })),
    generalAnswers,
    rules,
  };
}

async function answerMessage(
  message: Message,
  { preference, reader }: { preference: Preference; reader: Grants },
  { workspace: { id, settings } }: OfWorkspace,
  deps: Omit<PreviewDeps, 'store'> & WorkspaceEngine,
  disconnected: AbortSignal,
): Promise<AnswerWithRetrievals> {
  const {
    clock,
    engine,
    isOwn,
    retriever,
    embedMessages,
    tokenBudget,
    answerMillisMax = CHAT_LIMITS.previewSeconds * 1000,
  } = deps;
  const { requestedLocale } = message;
  const signal = AbortSignal.any([disconnected, AbortSignal.timeout(answerMillisMax)]);
  const frames: SseEvent[] = [];
  const put = (frame: SseEvent) => void frames.push(frame);
  const events = new ChatEventWriter({ frames, put }, buildContext(requestedLocale), clock);
  const knowledge: Pick<AnswerDeps, 'search' | 'listTopics'> = {
    search: (question, context) =>
      retriever.retrieve({
        workspaceId: id,
        question,
        preference,
        reader,
        limit: PASSAGES_SHOWN,
        ...(context ? { context } : {}),
      }),
    listTopics: () => retriever.listTopics(id, preference, reader),
  };
  let allowance: TokenAllowance | undefined;
  try {
    if (engine.costsTokens) allowance = await tokenBudget.reserve({ id, settings }, {}, isOwn);
    const { sources, retrievals, answer } = await prepareAnswer(
      message,
      { engine, allowance, embedMessages, ...knowledge },
      signal,
    );
    events.start();
    let end: End | undefined;
    for await (const event of answer(signal)) {
      if (signal.aborted) break;
      if (event.type === 'end') end = event;
      else events.emitEngineEvent(event, sources);
    }
    if (!end || signal.aborted) return throwApiError('chat/answer_broke_off', 'no answer in time');
    events.flush();
    put(events.toEndFrame({ ...end, confidence: clampShare(end.confidence) }, 1));
    return { engine: engine.name, requestedLocale, ...toAnswer(events, frames, end), retrievals };
  } catch (error) {
    return throwInterrupted(error);
  } finally {
    await allowance?.settle();
  }
}

/** Maps failures of the provider to the error that asks the caller to retry. */
function throwInterrupted(error: unknown): never {
  if (error instanceof EngineFailure) {
    return throwApiError('chat/answer_broke_off', error.message, { retryAfterSec: error.retryAfterSeconds });
  }
  throw error;
}

/** A preview has no page, so actions are off. */
const buildContext = (requestedLocale: string): TurnContext => ({
  messageId: newId('msg'),
  requestId: '',
  conversationId: newId('conv'),
  previousConversationId: undefined,
  turnIdx: 0,
  requestedLocale,
  origin: '',
  page: { targets: [] },
  actionsAllowed: false,
});

function toAnswer(
  events: ChatEventWriter,
  frames: readonly SseEvent[],
  { finishReason, confidence, usage }: End,
): Omit<PreviewAnswer, 'engine' | 'requestedLocale'> {
  const sent = frames.map(({ data }) => JSON.parse(data) as ChatEvent);
  const citations = events.citations.map(toCitationRecord);
  const first = citations[0];
  return {
    ...(first ? { contentLocale: first.contentLocale } : {}),
    ...(first?.fallbackReason ? { fallbackReason: first.fallbackReason } : {}),
    answer: events.answer.text,
    finishReason,
    confidence: clampShare(confidence),
    citations,
    suggestions: sent
      .flatMap((event) => (event.type === 'suggestions' ? event.items : []))
      .slice(0, 10)
      .map(({ title, message }) => ({ title, message })),
    notices: sent
      .flatMap((event) => (event.type === 'notice' ? [{ code: event.code, text: event.text }] : []))
      .slice(0, 10),
    usage,
    events: sent,
  };
}

/** The findings of a message that needs no search. */
const NOTHING_SEARCHED = { found: false, confidence: 0, threshold: WORDS_THRESHOLD, results: [] };

function toFindings(
  {
    found,
    confidence,
    threshold,
    results,
  }: Pick<Retrieval, 'found' | 'confidence' | 'threshold' | 'results'> = NOTHING_SEARCHED,
  { citations, requestedLocale }: PreviewAnswer,
): PreviewReply['findings'] {
  const cited = new Set(citations.map(({ articleId }) => articleId));
  return {
    found,
    confidence: clampShare(confidence),
    threshold,
    passages: results.map((result) => ({
      ...toSearchHit(result),
      requestedLocale,
      revision: result.revision,
      confidence: clampShare(result.confidence),
      stale: result.stale,
      cited: cited.has(result.articleId),
    })),
  };
}

function buildConsent(
  { region, gpc = false }: HandlerInput<(typeof preview)['previewAnswer']>['body'],
  locale: string | undefined,
  { workspace: { settings } }: MemberCaller,
  nowMillis: number,
): PreviewReply['consent'] {
  const regionCode = region === undefined ? 'ZZ' : parseRegion(region, 'body.region');
  return {
    policyVersion: getPolicyVersion(toConsentSettings(settings)),
    directive: previewDirective({ settings, regionCode, gpc, nowMillis }),
    ...getConsentTexts(locale),
  };
}
