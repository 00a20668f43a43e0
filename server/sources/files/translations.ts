import type { FileContents, Refusal, SourceDocument } from '../document.ts';

/** A document before it is grouped with those of the same article. */
export type ReadDocument = SourceDocument & {
  /** The key that all languages of an article share. */
  article?: string;
};

/**
 * Links translations to their sources. The source of an article is its document in the source locale,
 * else its first one; the others translate it. Refuses a second document in the same language.
 */
export function linkTranslations(read: readonly ReadDocument[], sourceLocale: string): FileContents {
  const refusals: Refusal[] = [];
  const documents: SourceDocument[] = [];
  const articles = Map.groupBy(read, ({ article, place }) => article ?? `\0${place}`);
  for (const variants of articles.values()) {
    const source = variants.find(({ locale }) => locale === sourceLocale) ?? variants[0]!;
    const placesByLocale = new Map([[source.locale, source.place]]);
    const { article: _, ...first } = source;
    documents.push(first);
    for (const { article: _, ...document } of variants) {
      if (document.place === source.place) continue;
      const earlierPlace = placesByLocale.get(document.locale);
      if (earlierPlace === undefined) placesByLocale.set(document.locale, document.place);
      if (earlierPlace === undefined) documents.push({ ...document, translationOf: source.place });
      else refusals.push({ place: document.place, reason: 'duplicate', detail: earlierPlace });
    }
  }
  return { documents, refusals };
}
