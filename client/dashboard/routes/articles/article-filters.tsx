import { Button } from '@mantine/core';
import { useState } from 'react';
import { useLocale, useTranslations } from 'use-intl';
import type { SelectFilterProps } from '../../components/filters.tsx';
import { languageNames } from '../../languages.ts';
import { useWorkspace } from '../../session.ts';
import { CollectionsDialog, useArticleFacets } from './collections.tsx';

const STATUSES = ['draft', 'published', 'unpublished'] as const;
const SORTS = [
  'created_desc',
  'created_asc',
  'updated_desc',
  'updated_asc',
  'title_asc',
  'title_desc',
] as const;

/** Narrow, so that a laptop shows all filters in two rows; the choices take the width that they need. */
const COMPACT = {
  w: 164,
  searchable: true,
  comboboxProps: { width: 'max-content', position: 'bottom-start' },
} as const;

/** Describes the filters and the order of the list of articles; undefined while their choices load. */
export function useArticleFilters(locales: readonly string[]): readonly SelectFilterProps[] | undefined {
  const t = useTranslations('articles');
  const s = useTranslations('statuses');
  const language = languageNames(useLocale());
  const { isPending, collections, tags, sources } = useArticleFacets();
  const toData = (items: readonly { id: string; name: string }[]) =>
    items.map(({ id, name }) => ({ value: id, label: name }));
  const facet = (name: 'collection' | 'tag' | 'source', any: string, data: SelectFilterProps['data']) =>
    data?.length ? [{ ...COMPACT, name, label: t(name), placeholder: any, data }] : [];
  if (isPending) return undefined;
  return [
    {
      ...COMPACT,
      name: 'status',
      label: t('status'),
      placeholder: t('anyStatus'),
      searchable: false,
      data: STATUSES.map((value) => ({ value, label: s(`article.${value}`) })),
    },
    {
      ...COMPACT,
      name: 'task',
      label: t('task'),
      placeholder: t('allArticles'),
      data: [
        { value: 'changed', label: t('taskChanged') },
        { value: 'stale', label: t('taskStale') },
        { value: 'review', label: t('taskReview') },
        ...locales.map((locale) => ({
          value: `missing:${locale}`,
          label: t('taskMissing', { language: language(locale) }),
        })),
      ],
    },
    ...facet(
      'collection',
      t('anyCollection'),
      collections.length > 0 ? [{ value: 'none', label: t('noCollection') }, ...toData(collections)] : [],
    ),
    ...facet(
      'tag',
      t('anyTag'),
      tags.map(({ tag }) => tag),
    ),
    ...facet('source', t('anySource'), toData(sources)),
    {
      ...COMPACT,
      name: 'sort',
      label: t('sort'),
      searchable: false,
      standard: SORTS[0],
      data: SORTS.map((value) => ({ value, label: t(`sorts.${value}`) })),
    },
  ];
}

export function ManageCollections() {
  const t = useTranslations('articles');
  const { canEdit } = useWorkspace();
  const [managing, setManaging] = useState(false);
  if (!canEdit) return null;
  return (
    <>
      <Button variant="default" onClick={() => setManaging(true)}>
        {t('manageCollections')}
      </Button>
      {managing && <CollectionsDialog close={() => setManaging(false)} />}
    </>
  );
}
