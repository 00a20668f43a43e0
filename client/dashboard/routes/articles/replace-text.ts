import type { TextMatch } from '../../../../generated/types.ts';
import { isGuideError } from '../../../sdk/errors.ts';
import type { Tenant } from '../../../sdk/tenant.ts';

/** Replaces words in texts: each text becomes a new revision of its working copy. */

type Hit = TextMatch['hits'][number];

/** A text with the places where words are replaced. */
export type Replacement = { match: TextMatch; hits: readonly Hit[] };

type Options = {
  words: string;
  /** Publishes articles that are live and have no other changes. */
  publishes: boolean;
};

export type Replaced = {
  changed: number;
  /** Number of texts left unchanged, because a member edited them after the search or the replacement would empty them. */
  skipped: number;
  undo: () => Promise<void>;
};

export async function replaceAll(
  tenant: Tenant,
  replacements: readonly Replacement[],
  options: Options,
): Promise<Replaced> {
  const undos: (() => Promise<unknown>)[] = [];
  let skipped = 0;
  // One after the other: each is a request that others may wait for.
  for (const replacement of replacements) {
    try {
      undos.push(
        await (replacement.match.translationId ? replaceInTranslation : replaceInArticle)(
          tenant,
          replacement,
          options,
        ),
      );
    } catch (error) {
      if (!isSkipped(error)) throw error;
      skipped += 1;
    }
  }
  return {
    changed: undos.length,
    skipped,
    undo: async () => {
      for (const undo of undos) await undo();
    },
  };
}

const isSkipped = (error: unknown) =>
  error === CHANGED || (isGuideError(error) && [400, 404, 409].includes(error.status ?? 0));

const CHANGED = new Error('The text has changed since it was searched.');

async function replaceInArticle(tenant: Tenant, { match, hits }: Replacement, { words, publishes }: Options) {
  const article = await tenant.articles.read(match.articleId);
  if (article.revision !== match.revision) throw CHANGED;
  const { title, answer, aliases, url } = article;
  const content = { title, answer, aliases, url };
  const save = async (base: typeof article, text: typeof content) => {
    const edited = await tenant.articles.edit(base, text);
    return publishes && match.live ? await tenant.articles.publish(edited) : edited;
  };
  const saved = await save(article, { ...content, ...replaceHits(content, hits, words) });
  return () => save(saved, content);
}

async function replaceInTranslation(tenant: Tenant, { match, hits }: Replacement, { words }: Options) {
  const translation = await tenant.translations.read(match.articleId, match.translationId!);
  if (translation.revision !== match.revision) throw CHANGED;
  const { title, answer, searchAliases } = translation;
  const content = { title, answer, searchAliases };
  const saved = await tenant.translations.edit(translation, {
    ...content,
    ...replaceHits(content, hits, words),
  });
  return () => tenant.translations.edit(saved, content);
}

type Text = { title: string; answer: string };

function replaceHits(text: Text, hits: readonly Hit[], words: string): Text {
  const replaceIn = (field: keyof Text) =>
    hits
      .filter((hit) => hit.field === field)
      .sort((a, b) => b.at - a.at)
      .reduce(
        (done, { at, match }) => done.slice(0, at) + words + done.slice(at + match.length),
        text[field],
      );
  return { title: replaceIn('title'), answer: replaceIn('answer') };
}
