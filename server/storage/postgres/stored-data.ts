import type { Source } from '../sql/stored-data.ts';

/** What the word index takes. */
export const SEARCH_SOURCES: readonly Source[] = [
  {
    kind: 'search',
    table: {
      name: 'passages',
      texts: [
        ...['workspace_id', 'article_id', 'translation_id', 'slug', 'locale'],
        ...['title', 'answer', 'aliases', 'url', 'titles'],
      ],
      numbers: ['id', 'partition_id', 'revision', 'source_revision', 'stale'],
    },
    key: ['item.article_id', 'item.locale'],
    overhead: 680,
  },
  {
    kind: 'search',
    table: {
      name: 'passage_chunks',
      texts: ['workspace_id', 'normalized'],
      numbers: ['id', 'passage_id', 'ordinal', 'sentences', 'words', 'ngrams', 'terms'],
    },
    from: 'passages JOIN passage_chunks AS item ON item.passage_id = passages.id WHERE passages.workspace_id = +@workspaceId',
    key: ['passages.article_id', 'passages.locale', 'item.ordinal'],
    overhead: 12_000,
    isPart: true,
  },
];
