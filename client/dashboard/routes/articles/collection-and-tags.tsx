import { Select, TagsInput } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { changeArticles } from '../../../../generated/routes.ts';
import type { BulkAction } from '../../../../generated/types.ts';
import type { Article } from '../../../sdk/types.ts';
import { Card } from '../../components/page.tsx';
import { useAction } from '../../components/use-action.tsx';
import { useWorkspace } from '../../session.ts';
import { useArticleFacets } from './article-facets.ts';

type Change = Pick<BulkAction, 'action' | 'collectionId' | 'tag'>;

/** The collection and the tags of an article, which are no part of its text and revisions. */
export function CollectionAndTags({ article: { id, collectionId, tags } }: { article: Article }) {
  const t = useTranslations('articles');
  const { tenant, canEdit } = useWorkspace();
  const { collections, tags: knownTags } = useArticleFacets();
  const organize = useAction(
    async (changes: readonly Change[]) => {
      for (const change of changes)
        await tenant.call(changeArticles, { body: { ...change, articleIds: [id] } });
    },
    { changes: ['articles'], done: t('organized') },
  );
  const setTags = (next: readonly string[]) =>
    organize.mutate([
      ...next.filter((tag) => !tags.includes(tag)).map((tag) => ({ action: 'tag' as const, tag })),
      ...tags.filter((tag) => !next.includes(tag)).map((tag) => ({ action: 'untag' as const, tag })),
    ]);
  return (
    <Card title={t('collectionAndTags')} isRegion wide>
      <Select
        label={t('collection')}
        placeholder={t('noCollection')}
        clearable
        searchable
        readOnly={!canEdit}
        disabled={organize.isPending}
        value={collectionId ?? null}
        onChange={(next) => organize.mutate([{ action: 'move', collectionId: next }])}
        data={collections.map(({ id: value, name: label }) => ({ value, label }))}
      />
      <TagsInput
        label={t('tag')}
        description={canEdit ? t('tagHint') : undefined}
        readOnly={!canEdit}
        disabled={organize.isPending}
        value={tags}
        onChange={setTags}
        data={knownTags.map(({ tag }) => tag)}
      />
    </Card>
  );
}
