import type { Clock } from '../base/clock.ts';
import type { ModelCheck } from '../engine/engine.ts';
import type { Config } from '../settings/config.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

/** Sends each configured provider a few words, by the code that serves visitors. Messages quote no keys or replies. */

const TRY_MILLIS = 15_000;

const REPAIRS: Readonly<Record<string, string>> = {
  unreachable: 'check the address, its certificate and the network',
  refused: 'check the address, the key and the name of the model',
  credentials: 'check the key',
  rejected: 'check the name of the model',
  rate_limited: 'raise the quota, or wait',
  busy: 'raise the quota, or wait',
  aborted: 'check the address and the network',
  timeout: 'check the address and the network',
  first_token_timeout: 'check the address and the load of that server',
};

function describeFailure(name: string, subject: string, settings: string, error: unknown): Finding {
  const { kind = 'broken', message } = error as { kind?: string; message: string };
  const repair = REPAIRS[kind] ?? 'look at the log of that server';
  return problem`${name}: ${subject} does not answer (${message}): ${repair} (${settings}).`;
}

/** Long enough for three turns of a model on a slow machine. */
const TRY_MODEL_MILLIS = 60_000;

export async function* checkModel({ llm }: Config, now: () => number): AsyncGenerator<Finding> {
  if (!llm) return yield ok`model: There is no language model: answers are quoted from articles.`;
  const { loadModels } = await import('../engine/open-engine.ts');
  const open = await loadModels();
  const { tryModel } = await import('../engine/try-model.ts');
  const { checks } = await tryModel(llm, {
    open: (model, onRefusedField) => open({ ...llm, model, retries: 0 }, onRefusedField),
    now,
    signal: AbortSignal.timeout(TRY_MODEL_MILLIS),
  });
  const bad = checks.filter(({ status }) => status !== 'ok');
  for (const check of bad) yield describeModelCheck(llm.model, check);
  const figures = checks.flatMap(({ millis, tokensPerSecond, name }) => [
    ...(name === 'first_text' ? [`first text after ${millis} ms`] : []),
    ...(tokensPerSecond === undefined ? [] : [`${tokensPerSecond} tokens a second`]),
  ]);
  if (bad.length === 0)
    yield ok`model: The language model ${llm.model} answers with citations, rewrites follow-ups, takes tools and says when it does not know (${figures.join(', ')}).`;
}

const MODEL_SETTINGS: Readonly<Record<NonNullable<ModelCheck['setting']>, string>> = {
  address: 'LLM_BASE_URL',
  key: 'LLM_API_KEY',
  model: 'LLM_MODEL',
  rewriteModel: 'LLM_REWRITE_MODEL',
};

/** What a failed answer means, and what to do. */
const ANSWER_FAULTS: Readonly<Record<string, readonly [fault: string, repair: string]>> = {
  only_thinks: [
    'only thinks',
    'let it think less (LLM_EXTRA_BODY), raise LLM_OUTPUT_TOKENS_MAX, or take another model',
  ],
  empty: ['answers without text', 'take another model'],
  refusal: ['refuses a harmless question', 'check the content filter of its server'],
};

/** What a check means that is not ok, and what to do. */
const MODEL_FAULTS: Readonly<
  Record<
    Exclude<ModelCheck['name'], 'answer'>,
    (check: ModelCheck) => readonly [fault: string, repair: string]
  >
> = {
  citation: () => ['does not cite the passage that answers, so visitors get quotes', 'take a larger model'],
  tools: () => ['takes no tools, so the guide points at no part of a page', 'take a model with tools'],
  thinking: ({ reason }) =>
    reason === 'shown'
      ? ['shows visitors its thinking', 'turn thinking off (LLM_EXTRA_BODY)']
      : [
          'thinks within its answer',
          'turn thinking off (LLM_EXTRA_BODY), or the reasoning parser of its server on',
        ],
  rewrite: ({ reason, millis }) => [
    reason === 'slow' ? `does not rewrite a follow-up within ${millis} ms` : 'does not rewrite a follow-up',
    'name a smaller or another model for it',
  ],
  no_answer: ({ reason }) => [
    reason === 'held_back'
      ? 'makes up an answer that no passage supports, which the guide holds back'
      : 'does not say that no passage answers a question',
    'take a larger model',
  ],
  first_text: ({ millis }) => [
    `begins to answer after ${millis} ms`,
    'take a faster server or a smaller model',
  ],
  context: ({ contextTokens }) => [
    `has a context of ${contextTokens} tokens only, so it gets fewer passages`,
    'give its server a larger context, or lower LLM_INPUT_TOKENS_MAX',
  ],
  speed: ({ tokensPerSecond }) => [
    `writes ${tokensPerSecond} tokens a second`,
    'take a faster server or a smaller model',
  ],
};

function describeModelCheck(model: string, check: ModelCheck): Finding {
  const { name, status, reason = '', error, networkCode, setting } = check;
  const answerFault = ANSWER_FAULTS[reason] ?? [
    'does not answer',
    REPAIRS[reason] ?? 'look at the log of that server',
  ];
  const [fault, repair] = name === 'answer' ? answerFault : MODEL_FAULTS[name](check);
  const words = [
    reason,
    networkCode,
    error && `status ${error.status}`,
    error?.code && `code ${error.code}`,
    error?.type && `type ${error.type}`,
    error?.param && `param ${error.param}`,
  ].filter(Boolean);
  const write = status === 'failed' ? problem : warning;
  const named = setting ? ` (${MODEL_SETTINGS[setting]})` : '';
  return write`model: The language model ${model} ${fault} (${words.join(', ')}): ${repair}${named}.`;
}

/** Returns the name of the model if it answers. */
export async function* checkEmbeddings({ embeddings }: Config): AsyncGenerator<Finding, string | undefined> {
  if (!embeddings) {
    yield ok`embeddings: Embeddings are off: articles are found by their words.`;
    return undefined;
  }
  if (embeddings.kind === 'inside') return yield* checkModelInside();
  const { openEmbeddingServer } = await import('../knowledge/embeddings/embedder.ts');
  const server = openEmbeddingServer(embeddings);
  const subject = `The embedding model ${embeddings.model}`;
  try {
    await server.embed('query', ['OK'], AbortSignal.timeout(TRY_MILLIS));
    yield ok`embeddings: ${subject} answers.`;
    return server.model;
  } catch (error) {
    const names = 'EMBEDDINGS_BASE_URL, EMBEDDINGS_API_KEY, EMBEDDINGS_MODEL';
    yield describeFailure('embeddings', subject, names, error);
    return undefined;
  } finally {
    server.close();
  }
}

async function* checkModelInside(): AsyncGenerator<Finding, string | undefined> {
  const { openModelThread } = await import('../knowledge/embeddings/model-thread.ts');
  const subject = 'The embedding model inside the service';
  let reason = '';
  const noteReason = ({ err }: { err: Error }) => {
    reason = err.message;
  };
  try {
    const model = openModelThread({ log: { warn: noteReason, error: noteReason } });
    await model.embed('query', ['OK'], AbortSignal.timeout(TRY_MILLIS)).finally(() => model.close());
    yield ok`embeddings: ${subject} answers.`;
    return model.model;
  } catch (error) {
    yield problem`embeddings: ${subject} does not answer (${reason || (error as Error).message}): install guidepost with its package guidepost-model again.`;
    return undefined;
  }
}

export async function* checkSpeech({ speech: settings }: Config, clock: Clock): AsyncGenerator<Finding> {
  const { openSpeech } = await import('../speech/open-speech.ts');
  const { minters, speakers } = openSpeech(settings, { clock });
  const tries = new Map<string, (signal: AbortSignal) => Promise<unknown>>();
  // Minting a token is free. Providers without tokens have to speak two letters, the cheapest request with the key.
  for (const { name, mint } of minters) tries.set(name, (signal) => mint({ kind: 'realtime' }, signal));
  for (const { name, speak } of speakers.filter((speaker) => !tries.has(speaker.name))) {
    tries.set(name, async (signal) => {
      for await (const _ of (await speak({ text: 'OK' }, signal)).body) break;
    });
  }
  tries.delete('mock');
  if (tries.size === 0) yield ok`speech: There is no speech provider: visitors type their questions.`;
  for (const [name, run] of tries) {
    const prefix = name.replace('provider', 'SPEECH').toUpperCase();
    try {
      await run(AbortSignal.timeout(TRY_MILLIS));
      yield ok`speech: ${name} answers.`;
    } catch (error) {
      yield describeFailure('speech', name, `${prefix}_API_KEY, ${prefix}_BASE_URL`, error);
    }
  }
}
