import type { Clock } from '../base/clock.ts';
import type { Config } from '../settings/config.ts';
import { type Finding, ok, problem } from './finding.ts';

/** Sends each configured provider a few words, by the code that serves visitors. Messages quote no keys or replies. */

const TRY_MILLIS = 15_000;
/** Some models reject lower output limits. */
const OUTPUT_TOKENS = 16;

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

export async function* checkModel({ llm }: Config): AsyncGenerator<Finding> {
  if (!llm) return yield ok`model: There is no language model: answers are quoted from articles.`;
  const { openModel } = await import('../engine/open-model.ts');
  const model = openModel({ ...llm, outputTokensMax: OUTPUT_TOKENS, retries: 0 });
  const messages = [{ role: 'user', text: 'Say OK.' }] as const;
  const request = { messages, tools: [], outputTokensMax: OUTPUT_TOKENS };
  const subject = `The language model ${llm.model}`;
  try {
    let parts = 0;
    for await (const _ of model.stream(request, AbortSignal.timeout(TRY_MILLIS))) parts += 1;
    if (parts === 0) throw Object.assign(new Error('no answer in time'), { kind: 'timeout' });
    yield ok`model: ${subject} answers.`;
  } catch (error) {
    yield describeFailure('model', subject, 'LLM_BASE_URL, LLM_API_KEY, LLM_MODEL', error);
  } finally {
    model.close();
  }
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
