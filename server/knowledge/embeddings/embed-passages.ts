import type { Embeddings, PassageToEmbed } from '../../storage/embeddings.ts';
import type { Passages } from '../../storage/passages.ts';
import type { TokenMonths } from '../../storage/token-months.ts';
import { type Embedder, EmbeddingFailure } from './embedder.ts';
import { toTexts } from './texts.ts';
import { encodeVectors } from './vectors.ts';

/** Embeds passages of one workspace, as far as its budget of this month goes. */
export type EmbedPassages = {
  readonly embedder: Embedder;
  readonly store: {
    readonly embeddings: Embeddings;
    readonly passages: Passages;
    readonly embeddingMonths: TokenMonths;
  };
  readonly period: string;
  readonly monthlyTokensMax: number;
  readonly signal: AbortSignal;
};

export type EmbeddedPassages = {
  readonly embedded: number;
  /** The model does not take these, even cut short. */
  readonly rejected: number;
  readonly tokens: number;
  /** Whether the budget did not suffice for all. */
  readonly isExhausted: boolean;
};

/** The reply is parsed at once, which takes a few milliseconds for this many vectors. */
const TEXTS_A_REQUEST = 16;
/** What is left of a text that the model rejects. Every model takes this much. */
const SHORT_CHARS = 1_000;
/** An estimate, since only the reply tells the number that is counted. */
const CHARS_PER_TOKEN = 3;

type Item = PassageToEmbed & { readonly texts: readonly string[]; readonly contentHash: string };

/** Rejects with an `EmbeddingFailure` when the server fails; what is done by then is stored. */
export async function embedPassages(
  deps: EmbedPassages,
  passages: readonly PassageToEmbed[],
): Promise<EmbeddedPassages> {
  const done = { embedded: 0, rejected: 0, tokens: 0, isExhausted: false };
  for (const group of groupItems(await loadChanged(deps, passages))) {
    const items = await selectAffordable(deps, group);
    if (items.length < group.length) done.isExhausted = true;
    if (items.length === 0) continue;
    const tokens = await embedItems(deps, items);
    if (tokens !== undefined) {
      done.embedded += items.length;
      done.tokens += tokens;
      continue;
    }
    // One of them is too long, or otherwise not what the model takes.
    for (const item of items) {
      const spent = (await embedItems(deps, [item])) ?? (await embedItems(deps, [shorten(item)]));
      done[spent === undefined ? 'rejected' : 'embedded'] += 1;
      done.tokens += spent ?? 0;
    }
  }
  return done;
}

/** Reads the texts. Vectors of the same content are kept. */
async function loadChanged({ store }: EmbedPassages, passages: readonly PassageToEmbed[]): Promise<Item[]> {
  const byId = new Map(passages.map((passage) => [passage.passageId, passage]));
  const changed: Item[] = [];
  for (const loaded of await store.passages.load([...byId.keys()])) {
    const passage = byId.get(loaded.passageId)!;
    const { texts, contentHash } = toTexts(loaded);
    if (contentHash === passage.contentHash) {
      await store.embeddings.keep(passage.articleId, passage.locale, passage.passageId);
    } else {
      changed.push({ ...passage, texts, contentHash });
    }
  }
  return changed;
}

function groupItems(items: readonly Item[]): Item[][] {
  const groups: Item[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const item of items) {
    size += item.texts.length;
    if (size > TEXTS_A_REQUEST) {
      groups.push([]);
      size = item.texts.length;
    }
    groups.at(-1)!.push(item);
  }
  return groups;
}

async function selectAffordable(
  { store, period, monthlyTokensMax }: EmbedPassages,
  items: readonly Item[],
): Promise<Item[]> {
  let left = monthlyTokensMax - (await store.embeddingMonths.used(period));
  return items.filter(({ texts }) => {
    const tokens = texts.reduce((sum, { length }) => sum + length, 0) / CHARS_PER_TOKEN;
    if (tokens > left) return false;
    left -= tokens;
    return true;
  });
}

const shorten = (item: Item): Item => ({
  ...item,
  texts: item.texts.map((text) => text.slice(0, SHORT_CHARS).toWellFormed()),
});

/** Returns the tokens, or undefined when the model rejects a text. */
async function embedItems(
  { embedder, store, period, signal }: EmbedPassages,
  items: readonly Item[],
): Promise<number | undefined> {
  const texts = items.flatMap((item) => item.texts);
  const vectors: (readonly number[])[] = [];
  let tokens = 0;
  for (let at = 0; at < texts.length; at += TEXTS_A_REQUEST) {
    try {
      const reply = await embedder.embed(texts.slice(at, at + TEXTS_A_REQUEST), signal);
      vectors.push(...reply.vectors);
      tokens += reply.tokens;
      await store.embeddingMonths.reserve(period, () => reply.tokens);
    } catch (error) {
      if (error instanceof EmbeddingFailure && error.kind === 'rejected') return undefined;
      throw error;
    }
  }
  let from = 0;
  for (const { passageId, articleId, locale, contentHash, texts: own } of items) {
    const encoded = encodeVectors(vectors.slice(from, from + own.length));
    from += own.length;
    const dimensions = vectors[0]!.length;
    const { model } = embedder;
    await store.embeddings.put({
      passageId,
      articleId,
      locale,
      model,
      contentHash,
      dimensions,
      vectors: encoded,
    });
  }
  return tokens;
}
