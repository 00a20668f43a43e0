import { useLocale, useTranslations } from 'use-intl';
import type { SelectFilterProps } from '../../components/filters.tsx';
import { languageNames } from '../../languages.ts';
import { useArticleFacets } from './collections.tsx';

const STATUSES = ['draft', 'published', 'unpublished'] as const;
const AUDIENCES = ['everyone', 'restricted'] as const;
const SORTS = [
  'created_desc',
  'created_asc',
  'updated_desc',
  'updated_asc',
  'title_asc',
  'title_desc',
] as const;

/** Describes the filters and the order of the list of articles. */
export function useArticleFilters(locales: readonly string[]): readonly SelectFilterProps[] {
  const t = useTranslations('articles');
  const s = useTranslations('statuses');
  const language = languageNames(useLocale());
  const { collections, tags, sources } = useArticleFacets();
  const toData = (items: readonly { id: string; name: string }[]) =>
    items.map(({ id, name }) => ({ value: id, label: name }));
  const facet = (name: 'collection' | 'tag' | 'source', any: string, data: SelectFilterProps['data']) =>
    data?.length ? [{ name, label: t(name), placeholder: any, searchable: true, data }] : [];
  return [
    {
      name: 'status',
      label: t('status'),
      placeholder: t('anyStatus'),
      data: STATUSES.map((value) => ({ value, label: s(`article.${value}`) })),
    },
    {
      searchable: true,
      name: 'task',
      label: t('task'),
      placeholder: t('allArticles'),
      data: [
        { value: 'changed', label: t('taskChanged') },
        { value: 'stale', label: t('taskStale') },
        { value: 'review', label: t('taskReview') },
        { value: 'verify', label: t('taskVerify') },
        { value: 'scheduled', label: t('taskScheduled') },
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
    ...facet('tag', t('anyTag'), toData(tags.map(({ tag }) => ({ id: tag, name: tag })))),
    ...facet('source', t('anySource'), toData(sources)),
    {
      name: 'audience',
      label: t('audience'),
      placeholder: t('anyAudience'),
      data: AUDIENCES.map((value) => ({ value, label: t(`audiences.${value}`) })),
    },
    {
      name: 'sort',
      label: t('sort'),
      standard: SORTS[0],
      data: SORTS.map((value) => ({ value, label: t(`sorts.${value}`) })),
    },
  ];
}
