import type { Dispatcher } from 'undici';

/** Finds out how many tokens a prompt and its answer may have together, from servers that say it. */

type Server = { baseUrl: string; apiKey: string; model: string };
type Fields = Readonly<Record<string, unknown>>;
/** Returns the JSON object at an address; an empty one when the server does not have it. */
type Ask = (url: string, body?: object) => Promise<Fields>;

const RESPONSE_BYTES_MAX = 8 * 1024 * 1024;
const TOKENS_MIN = 512;
const TOKENS_MAX = 100_000_000;
/** Ollama's default context, without OLLAMA_CONTEXT_LENGTH and `num_ctx`. */
const OLLAMA_TOKENS = 4096;

/** Returns undefined when the server does not say. */
export async function readContextSize(
  { baseUrl, apiKey, model }: Server,
  dispatcher: Dispatcher,
  signal: AbortSignal,
): Promise<number | undefined> {
  const ask: Ask = (url, body) => askFor(url, { apiKey, body, dispatcher, signal }).catch(() => ({}));
  const root = baseUrl.replace(/\/v\d+$/, '');
  const listed = findModel((await ask(`${baseUrl}/models`)).data, model);
  // vLLM and SGLang; OpenRouter and Together; Groq; Mistral; LiteLLM.
  const names = [
    'max_model_len',
    'context_length',
    'context_window',
    'max_context_length',
    'max_input_tokens',
  ];
  const said = names.map((name) => toTokens(listed?.[name])).find(Boolean);
  if (said) return said;
  const found = await Promise.all([
    askLlamaCpp(root, ask),
    askOllama(root, model, ask),
    askLmStudio(root, model, ask),
  ]);
  return found.find(Boolean);
}

async function askLlamaCpp(root: string, ask: Ask): Promise<number | undefined> {
  const { default_generation_settings: settings } = await ask(`${root}/props`);
  return toTokens(asFields(settings).n_ctx);
}

/** The context of the loaded model, not the one that it was trained with: Ollama cuts prompts to it without a word. */
async function askOllama(root: string, model: string, ask: Ask): Promise<number | undefined> {
  const { models } = await ask(`${root}/api/ps`);
  if (!Array.isArray(models)) return undefined;
  const loaded = toTokens(findModel(models, model.includes(':') ? model : `${model}:latest`)?.context_length);
  if (loaded) return loaded;
  const { parameters } = await ask(`${root}/api/show`, { model });
  return toTokens(Number(/^num_ctx\s+(\d+)/m.exec(String(parameters))?.[1])) ?? OLLAMA_TOKENS;
}

async function askLmStudio(root: string, model: string, ask: Ask): Promise<number | undefined> {
  const { data } = await ask(`${root}/api/v0/models`);
  return toTokens(findModel(data, model)?.loaded_context_length);
}

function findModel(models: unknown, model: string): Fields | undefined {
  const all = Array.isArray(models) ? models.map(asFields) : [];
  return all.find(({ id, name }) => id === model || name === model);
}

const asFields = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {};

function toTokens(value: unknown): number | undefined {
  const isPlausible = typeof value === 'number' && value >= TOKENS_MIN && value <= TOKENS_MAX;
  return isPlausible ? Math.floor(value) : undefined;
}

type Question = {
  apiKey: string;
  body: object | undefined;
  dispatcher: Dispatcher;
  signal: AbortSignal;
};

async function askFor(url: string, { apiKey, body, dispatcher, signal }: Question): Promise<Fields> {
  const { request } = await import('undici');
  const reply = await request(url, {
    dispatcher,
    signal,
    method: body ? 'POST' : 'GET',
    headers: {
      authorization: `Bearer ${apiKey}`,
      ...(body ? { 'content-type': 'application/json' } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of reply.body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (reply.statusCode !== 200 || bytes > RESPONSE_BYTES_MAX) return {};
    chunks.push(chunk);
  }
  return asFields(JSON.parse(Buffer.concat(chunks).toString()));
}

/** How long the size is kept: a server may be restarted with another one. */
const KEPT_MILLIS = 600_000;
const WAIT_MILLIS = 2_000;

/** Remembers the size, so that few questions wait for it. */
export function rememberContextSize(
  read: (signal: AbortSignal) => Promise<number | undefined>,
  now: () => number,
): { get(): Promise<number | undefined>; forget(): void } {
  let known: { size: Promise<number | undefined>; until: number } | undefined;
  return {
    get() {
      if (!known || now() >= known.until)
        known = { size: read(AbortSignal.timeout(WAIT_MILLIS)), until: now() + KEPT_MILLIS };
      return known.size;
    },
    forget() {
      known = undefined;
    },
  };
}
