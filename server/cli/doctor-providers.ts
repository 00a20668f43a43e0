import type { Clock } from '../base/clock.ts';
import type { Config } from '../settings/config.ts';
import type { Judge } from './finding.ts';

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

function judgeFailure(check: string, subject: string, settings: string, error: unknown, judge: Judge): void {
  const { kind = 'broken', message } = error as { kind?: string; message: string };
  const repair = REPAIRS[kind] ?? 'look at the log of that server';
  judge(check, `${subject} does not answer (${message}): ${repair} (${settings}).`, 'problem');
}

export async function judgeModel({ llm }: Config, judge: Judge): Promise<void> {
  if (!llm) return judge('model', 'There is no language model: answers are quoted from articles.');
  const { openChatCompletions } = await import('../engine/chat-completions.ts');
  const model = openChatCompletions({ ...llm, outputTokensMax: OUTPUT_TOKENS, retries: 0 });
  const request = {
    messages: [{ role: 'user', text: 'Say OK.' }],
    tools: [],
    outputTokensMax: OUTPUT_TOKENS,
  } as const;
  try {
    let parts = 0;
    for await (const _ of model.stream(request, AbortSignal.timeout(TRY_MILLIS))) parts += 1;
    if (parts === 0) throw Object.assign(new Error('no answer in time'), { kind: 'timeout' });
    judge('model', `The language model ${llm.model} answers.`);
  } catch (error) {
    judgeFailure(
      'model',
      `The language model ${llm.model}`,
      'LLM_BASE_URL, LLM_API_KEY, LLM_MODEL',
      error,
      judge,
    );
  } finally {
    model.close();
  }
}

/** Returns the name of the model if it answers. */
export async function judgeEmbeddings({ embeddings }: Config, judge: Judge): Promise<string | undefined> {
  if (!embeddings) {
    judge('embeddings', 'Embeddings are off: articles are found by their words.');
    return undefined;
  }
  if (embeddings.kind === 'inside') return judgeModelInside(judge);
  const { openEmbeddingServer } = await import('../knowledge/embeddings/embedder.ts');
  const server = openEmbeddingServer(embeddings);
  try {
    await server.embed('query', ['OK'], AbortSignal.timeout(TRY_MILLIS));
    judge('embeddings', `The embedding model ${embeddings.model} answers.`);
    return server.model;
  } catch (error) {
    const names = 'EMBEDDINGS_BASE_URL, EMBEDDINGS_API_KEY, EMBEDDINGS_MODEL';
    judgeFailure('embeddings', `The embedding model ${embeddings.model}`, names, error, judge);
    return undefined;
  } finally {
    server.close();
  }
}

async function judgeModelInside(judge: Judge): Promise<string | undefined> {
  const { openModelThread } = await import('../knowledge/embeddings/model-thread.ts');
  let reason = '';
  const noteReason = ({ err }: { err: Error }) => {
    reason = err.message;
  };
  try {
    const model = openModelThread({ log: { warn: noteReason, error: noteReason } });
    await model.embed('query', ['OK'], AbortSignal.timeout(TRY_MILLIS)).finally(() => model.close());
    judge('embeddings', 'The embedding model inside the service answers.');
    return model.model;
  } catch (error) {
    const sentence = `The embedding model inside the service does not answer (${reason || (error as Error).message})`;
    judge('embeddings', `${sentence}: install guidepost with its package guidepost-model again.`, 'problem');
    return undefined;
  }
}

export async function judgeSpeech({ speech: settings }: Config, clock: Clock, judge: Judge): Promise<void> {
  const { openSpeech } = await import('../speech/open-speech.ts');
  const { minters, speakers } = openSpeech(settings, { clock });
  // Minting a token is free. Providers without tokens have to speak two letters, the cheapest request with the key.
  const tries = [
    ...minters.map(({ name, mint }) => ({
      name,
      run: (signal: AbortSignal) => mint({ kind: 'realtime' }, signal),
    })),
    ...speakers.map(({ name, speak }) => ({
      name,
      async run(signal: AbortSignal) {
        for await (const _ of (await speak({ text: 'OK' }, signal)).body) break;
      },
    })),
  ].filter(
    ({ name }, index, all) => name !== 'mock' && all.findIndex((each) => each.name === name) === index,
  );
  if (tries.length === 0) judge('speech', 'There is no speech provider: visitors type their questions.');
  for (const { name, run } of tries) {
    const prefix = name.replace('provider', 'SPEECH').toUpperCase();
    try {
      await run(AbortSignal.timeout(TRY_MILLIS));
      judge('speech', `${name} answers.`);
    } catch (error) {
      judgeFailure('speech', name, `${prefix}_API_KEY, ${prefix}_BASE_URL`, error, judge);
    }
  }
}
