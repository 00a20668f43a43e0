import { Button } from '@mantine/core';
import { useState } from 'react';
import { useLocale, useTranslations } from 'use-intl';
import { FilterBar, SearchFilter, SelectFilter, useFilters } from '../../components/filters.tsx';
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

/** Search, filters and order of the list of articles, kept in the URL. */
export function ArticleFilterBar({ locales }: { locales: readonly string[] }) {
  const t = useTranslations('articles');
  const s = useTranslations('statuses');
  const language = languageNames(useLocale());
  const { q: _, sort: __, ...conditions } = useFilters().filters;
  const { collections, tags, sources } = useArticleFacets();
  const toData = (items: readonly { id: string; name: string }[]) =>
    items.map(({ id, name }) => ({ value: id, label: name }));
  return (
    <FilterBar search={<SearchFilter label={t('search')} />} count={Object.keys(conditions).length}>
      <SelectFilter
        {...COMPACT}
        name="status"
        label={t('status')}
        placeholder={t('anyStatus')}
        searchable={false}
        data={STATUSES.map((value) => ({ value, label: s(`article.${value}`) }))}
      />
      <SelectFilter
        {...COMPACT}
        name="task"
        label={t('task')}
        placeholder={t('allArticles')}
        data={[
          { value: 'changed', label: t('taskChanged') },
          { value: 'stale', label: t('taskStale') },
          { value: 'review', label: t('taskReview') },
          ...locales.map((locale) => ({
            value: `missing:${locale}`,
            label: t('taskMissing', { language: language(locale) }),
          })),
        ]}
      />
      {collections.length > 0 && (
        <SelectFilter
          {...COMPACT}
          name="collection"
          label={t('collection')}
          placeholder={t('anyCollection')}
          data={[{ value: 'none', label: t('noCollection') }, ...toData(collections)]}
        />
      )}
      {tags.length > 0 && (
        <SelectFilter
          {...COMPACT}
          name="tag"
          label={t('tag')}
          placeholder={t('anyTag')}
          data={tags.map(({ tag }) => tag)}
        />
      )}
      {sources.length > 0 && (
        <SelectFilter
          {...COMPACT}
          name="source"
          label={t('source')}
          placeholder={t('anySource')}
          data={toData(sources)}
        />
      )}
      <SelectFilter
        {...COMPACT}
        name="sort"
        label={t('sort')}
        searchable={false}
        standard={SORTS[0]}
        data={SORTS.map((value) => ({ value, label: t(`sorts.${value}`) }))}
      />
      <ManageCollections />
    </FilterBar>
  );
}

function ManageCollections() {
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
