import type { Dispatcher } from 'undici';
import { z } from 'zod';
import { once } from '../../base/cache.ts';
import type { EmbeddingServerSettings } from '../../settings/model.ts';

/** The port of the embedding model: texts in, vectors out. Only the adapter knows the protocol. */
export type Embedder = {
  /** Names what vectors can be compared with each other: those of another model are computed anew. */
  model: string;
  /** Rejects with an `EmbeddingFailure`, also when the signal aborts. */
  embed(role: EmbeddingRole, texts: readonly string[], signal: AbortSignal): Promise<Embedded>;
  close(): void;
};

/** Models embed a question and a passage that answers it differently, although they compare their vectors. */
type EmbeddingRole = 'query' | 'passage';

export type Embedded = {
  /** In the order of the texts, of equal length each. */
  vectors: readonly (readonly number[])[];
  /** Estimated where the server does not report it. */
  tokens: number;
};

type EmbeddingFailureKind =
  | 'aborted'
  | 'unreachable'
  /** The server refuses every request: key, model or address are wrong. */
  | 'refused'
  /** The server refuses these texts, for example because they are too long. */
  | 'rejected'
  | 'rate_limited'
  | 'overloaded'
  | 'broken';

/** Contains nothing of the texts, the key or the response. */
export class EmbeddingFailure extends Error {
  override readonly name = 'EmbeddingFailure';
  readonly kind: EmbeddingFailureKind;
  readonly retryAfterSeconds: number | undefined;

  constructor(kind: EmbeddingFailureKind, reason: string, retryAfterSeconds?: number) {
    super(`${kind}: ${reason}`);
    this.kind = kind;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** How long an idle connection stays open, unless the server says otherwise. */
const KEEP_ALIVE_MILLIS = 60_000;
const TIMEOUT_MILLIS = 60_000;
/** A batch of large vectors, written as decimal numbers, has about 4 MB. */
const RESPONSE_BYTES_MAX = 32 * 1024 * 1024;
/** For servers that do not report usage. */
const CHARS_PER_TOKEN = 4;

const responseSchema = z.object({
  data: z.array(z.object({ index: z.int().min(0), embedding: z.array(z.number()).min(1).max(16_384) })),
  usage: z.object({ prompt_tokens: z.number().min(0) }).optional(),
});

/** Creates an embedder for any OpenAI-compatible server: `POST {base}/embeddings`. */
export function openEmbeddingServer({
  baseUrl,
  apiKey,
  model,
  prefixes,
  proxy,
}: Omit<EmbeddingServerSettings, 'kind' | 'monthlyTokensMax'>): Embedder {
  // Loaded when the first text is embedded: undici is large, and most installations embed in the process.
  const connect = once(async () => {
    const [{ request }, { openConnections, readProxyRefusal }] = await Promise.all([
      import('undici'),
      import('../../base/proxy.ts'),
    ]);
    const agent = openConnections(proxy, { allowH2: true, keepAliveTimeout: KEEP_ALIVE_MILLIS });
    return { request, readProxyRefusal, agent };
  });

  async function post(input: readonly string[], signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    const { request, readProxyRefusal, agent } = await connect();
    try {
      return await request(`${baseUrl}/embeddings`, {
        dispatcher: agent,
        method: 'POST',
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model, input, encoding_format: 'float' }),
        signal,
      });
    } catch (error) {
      if (signal.aborted) throw new EmbeddingFailure('aborted', 'no reply in time');
      const status = readProxyRefusal(error);
      throw new EmbeddingFailure(
        'unreachable',
        status ? `the proxy replied with status ${status}` : 'the connection failed',
      );
    }
  }

  return {
    model: prefixes.passage === '' ? model : `${model} (${prefixes.passage})`,
    async embed(role, plainTexts, callerSignal) {
      const texts = plainTexts.map((text) => prefixes[role] + text);
      const signal = AbortSignal.any([callerSignal, AbortSignal.timeout(TIMEOUT_MILLIS)]);
      const { statusCode, headers, body } = await post(texts, signal);
      body.on('error', () => {});
      if (statusCode !== 200) {
        body.destroy();
        throw toFailure(statusCode, headers['retry-after']);
      }
      return parseResponse(await readText(body, signal), texts);
    },
    close: () => void connect().then(({ agent }) => agent.destroy()),
  };
}

async function readText(body: Dispatcher.ResponseData['body'], signal: AbortSignal): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const part of body as AsyncIterable<Buffer>) {
      bytes += part.byteLength;
      if (bytes > RESPONSE_BYTES_MAX) break;
      parts.push(part);
    }
  } catch {
    throw signal.aborted
      ? new EmbeddingFailure('aborted', 'no complete reply in time')
      : new EmbeddingFailure('broken', 'the reply ended early');
  }
  if (bytes > RESPONSE_BYTES_MAX) throw new EmbeddingFailure('broken', 'the reply is too large');
  return Buffer.concat(parts).toString();
}

function parseResponse(text: string, texts: readonly string[]): Embedded {
  const parsed = responseSchema.safeParse(parseJson(text));
  if (!parsed.success) throw new EmbeddingFailure('broken', 'the reply is not a list of embeddings');
  const { data, usage } = parsed.data;
  const byIndex = new Map(data.map(({ index, embedding }) => [index, embedding]));
  const vectors = texts.map((_, index) => byIndex.get(index) ?? []);
  const dimensions = vectors[0]?.length ?? 0;
  if (dimensions === 0 || vectors.some(({ length }) => length !== dimensions)) {
    throw new EmbeddingFailure('broken', 'the reply has not one embedding of equal length for each text');
  }
  const chars = texts.reduce((sum, { length }) => sum + length, 0);
  return { vectors, tokens: Math.ceil(usage?.prompt_tokens ?? chars / CHARS_PER_TOKEN) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const KINDS: Readonly<Record<number, EmbeddingFailureKind>> = {
  400: 'rejected',
  413: 'rejected',
  422: 'rejected',
  429: 'rate_limited',
};

function toFailure(status: number, retryAfter: string | string[] | undefined): EmbeddingFailure {
  const kind = KINDS[status] ?? (status >= 500 ? 'overloaded' : 'refused');
  const seconds = Number(retryAfter);
  return new EmbeddingFailure(
    kind,
    `the server replied with status ${status}`,
    Number.isFinite(seconds) && seconds > 0 ? seconds : undefined,
  );
}
