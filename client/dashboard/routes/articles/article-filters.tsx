import { Button, Select, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { useLocale, useTranslations } from 'use-intl';
import { FilterBar } from '../../components/filter-bar.tsx';
import { languageNames } from '../../languages.ts';
import { type ArticleSearch, useFilters } from '../../search-params.ts';
import { useWorkspace } from '../../session.ts';
import { useArticleFacets } from './article-facets.ts';
import { CollectionsDialog } from './collections-dialog.tsx';

const STATUSES = ['draft', 'published', 'unpublished'] as const;
const SORTS = [
  'created_desc',
  'created_asc',
  'updated_desc',
  'updated_asc',
  'title_asc',
  'title_desc',
] as const;

/** Search, filters and order of the list of articles, kept in the URL. */
export function ArticleFilterBar({ locales }: { locales: readonly string[] }) {
  const t = useTranslations('articles');
  const s = useTranslations('statuses');
  const { filters, change } = useFilters<ArticleSearch>();
  const { q = '', sort, ...conditions } = filters;
  return (
    <FilterBar
      search={<SearchField q={q} change={(text) => void change({ q: text })} />}
      count={Object.keys(conditions).length}
    >
      <Filter
        name="status"
        label={t('status')}
        placeholder={t('anyStatus')}
        data={STATUSES.map((value) => ({ value, label: s(`article.${value}`) }))}
      />
      <TaskFilter locales={locales} />
      <FacetFilters />
      <Select
        {...COMPACT}
        label={t('sort')}
        allowDeselect={false}
        value={sort ?? SORTS[0]}
        onChange={(value) => void change({ sort: value === SORTS[0] ? null : value })}
        data={SORTS.map((value) => ({ value, label: t(`sorts.${value}`) }))}
      />
      <ManageCollections />
    </FilterBar>
  );
}

/** Narrow, so that a laptop shows all filters in two rows; the choices take the width that they need. */
const COMPACT = {
  w: 164,
  comboboxProps: { width: 'max-content', position: 'bottom-start' },
} as const;

type FilterProps = {
  name: 'status' | 'task' | 'collection' | 'tag' | 'source';
  label: string;
  /** Shown while the filter is not set. */
  placeholder: string;
  searchable?: boolean;
  data: { value: string; label: string }[];
};

function Filter({ name, label, placeholder, searchable = false, data }: FilterProps) {
  const { filters, change } = useFilters<ArticleSearch>();
  return (
    <Select
      {...COMPACT}
      label={label}
      placeholder={placeholder}
      clearable
      searchable={searchable}
      value={filters[name] ?? null}
      onChange={(value) => void change({ [name]: value })}
      data={data}
    />
  );
}

function TaskFilter({ locales }: { locales: readonly string[] }) {
  const t = useTranslations('articles');
  const name = languageNames(useLocale());
  return (
    <Filter
      name="task"
      label={t('task')}
      placeholder={t('allArticles')}
      searchable
      data={[
        { value: 'changed', label: t('taskChanged') },
        { value: 'stale', label: t('taskStale') },
        { value: 'review', label: t('taskReview') },
        ...locales.map((locale) => ({
          value: `missing:${locale}`,
          label: t('taskMissing', { language: name(locale) }),
        })),
      ]}
    />
  );
}

/** Filters by the collections, tags and sources of the workspace. */
function FacetFilters() {
  const t = useTranslations('articles');
  const { collections, tags, sources } = useArticleFacets();
  const toData = (items: readonly { id: string; name: string }[]) =>
    items.map(({ id, name }) => ({ value: id, label: name }));
  return (
    <>
      {collections.length > 0 && (
        <Filter
          name="collection"
          label={t('collection')}
          placeholder={t('anyCollection')}
          searchable
          data={[{ value: 'none', label: t('noCollection') }, ...toData(collections)]}
        />
      )}
      {tags.length > 0 && (
        <Filter
          name="tag"
          label={t('tag')}
          placeholder={t('anyTag')}
          searchable
          data={tags.map(({ tag }) => ({ value: tag, label: tag }))}
        />
      )}
      {sources.length > 0 && (
        <Filter
          name="source"
          label={t('source')}
          placeholder={t('anySource')}
          searchable
          data={toData(sources)}
        />
      )}
    </>
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

/** A search field that reports its text once the user stops typing. */
function SearchField({ q, change }: { q: string; change: (q: string) => void }) {
  const t = useTranslations('articles');
  const [text, setText] = useState(q);
  const [sentText, setSentText] = useState(q);
  const send = useDebouncedCallback((value: string) => {
    setSentText(value.trim());
    change(value.trim());
  }, 250);
  // The filters were cleared, or another link was followed.
  if (q !== sentText && !send.isPending()) {
    setSentText(q);
    setText(q);
  }
  return (
    <TextInput
      label={t('search')}
      type="search"
      leftSection={<IconSearch size={16} aria-hidden />}
      value={text}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        send(currentTarget.value);
      }}
      className="grow"
    />
  );
}
