import { useMemo, useState } from 'react';
import { useLocale, useTranslations } from 'use-intl';
import { REQUEST_LIMITS } from '../../../../contract/limits/requests.ts';
import type { ArticleFilters, ArticleSummary } from '../../../sdk/types.ts';
import { RelativeTime } from '../../components/attribution.tsx';
import { ActionMenu, ImportButton } from '../../components/buttons.tsx';
import { ColumnsMenu, type OptionalColumn, useColumnChoice } from '../../components/columns.tsx';
import { useFilters } from '../../components/filters.tsx';
import { Icon } from '../../components/icon.tsx';
import { ButtonLink, PageLink } from '../../components/links.tsx';
import { ListView } from '../../components/list-view.tsx';
import { EmptyState, Muted, Page } from '../../components/page.tsx';
import { ArticleStatus } from '../../components/status-badge.tsx';
import { ListTable, useCursorList } from '../../components/table.tsx';
import { languageNames } from '../../languages.ts';
import { useCoverage, useWorkspace } from '../../session.ts';
import { useArticleFilters } from './article-filters.tsx';
import { BulkBar, selectByKey, toSelectColumn, useSelection } from './bulk-bar.tsx';
import { CollectionsDialog, useArticleFacets } from './collections.tsx';
import { LanguageCell, LanguagesCell } from './language-cells.tsx';

export default function ArticlesPage() {
  const t = useTranslations('articles');
  const r = useTranslations('replace');
  const { canEdit } = useWorkspace();
  const [isManaging, setManaging] = useState(false);
  return (
    <Page
      title={t('title')}
      lead={t('lead')}
      actions={
        canEdit && (
          <>
            <ButtonLink variant="default" to="/articles/replace" leftSection={<Icon name="search" />}>
              {r('title')}
            </ButtonLink>
            <ImportButton />
            <ButtonLink to="/articles/new" leftSection={<Icon name="file-plus" size={18} />}>
              {t('new')}
            </ButtonLink>
            <ActionMenu
              label={t('more')}
              actions={[{ label: t('manageCollections'), icon: 'list', run: () => setManaging(true) }]}
            />
          </>
        )
      }
    >
      <ArticleList />
      {isManaging && <CollectionsDialog close={() => setManaging(false)} />}
    </Page>
  );
}

function ArticleList() {
  const t = useTranslations('articles');
  const { canEdit } = useWorkspace();
  const { list, total, conditions } = useArticles();
  const selection = useSelection(list.rows, JSON.stringify(conditions));
  const locales = useShownLocales(list.rows);
  const columns = useColumns(locales);
  const choice = useColumnChoice('articles', columns);
  const filters = useArticleFilters(locales);
  return (
    <ListView
      section="articles"
      list={list}
      search={t('search')}
      filters={filters}
      tools={<ColumnsMenu columns={columns} {...choice} />}
      kept={['sort']}
      none={
        <EmptyState title={t('empty')} lead={t('emptyLead')}>
          {canEdit ? (
            <ButtonLink to="/articles/new">{t('new')}</ButtonLink>
          ) : (
            <PageLink to="">{t('toOverview')}</PageLink>
          )}
        </EmptyState>
      }
      head={
        canEdit && selection.ids.size > 0 ? (
          <BulkBar selection={selection} total={total} conditions={conditions} />
        ) : (
          <Muted role="status" className="list-head">
            {t('total', { count: total })}
          </Muted>
        )
      }
    >
      {() => (
        <ListTable
          caption={t('caption')}
          data-lines
          minWidth={choice.shown.reduce((sum, { width = TITLE_WIDTH }) => sum + Number(width), 0)}
          columns={choice.shown}
          lead={canEdit ? toSelectColumn(selection) : undefined}
          list={list}
          total={total}
          onKeyDown={(event) => selectByKey(event, selection)}
        />
      )}
    </ListView>
  );
}

const FIRST_ROWS = 100;

function useArticles() {
  const { task, ...otherFilters } = useFilters().filters;
  const filters = { ...otherFilters, ...toTaskFilter(task ?? null) } as ArticleFilters;
  const list = useCursorList(['articles', 'list', filters], (tenant) => ({
    page: (cursor, options) =>
      tenant.articles
        .list({ ...filters, limit: cursor ? REQUEST_LIMITS.pageRowsMax : FIRST_ROWS })
        .page(cursor, options),
  }));
  const { sort: _, ...conditions } = filters;
  return { list, total: list.data?.pages[0]?.total ?? list.rows.length, conditions };
}

/** Lists the languages of the workspace and of these articles, in a stable order. */
function useShownLocales(rows: readonly ArticleSummary[]): readonly string[] {
  const coverage = useCoverage();
  const shown = new Set([
    ...(coverage.data?.locales ?? []).map(({ locale }) => locale),
    ...rows.flatMap(({ translations }) => translations.map(({ locale }) => locale)),
  ]);
  const joined = [...shown].sort().join();
  return useMemo(() => joined.split(',').filter(Boolean), [joined]);
}

/** Pixels of the title, beside columns that all have a width: the standard ones fit a page of 1024 pixels. */
const TITLE_WIDTH = 300;
const LOCALE_WIDTH = 48;

function useColumns(
  locales: readonly string[],
): readonly (OptionalColumn<ArticleSummary> & { width?: number })[] {
  const t = useTranslations('articles');
  const readerLocale = useLocale();
  const { collections } = useArticleFacets();
  return useMemo(() => {
    const name = languageNames(readerLocale);
    const collectionNames = new Map(collections.map(({ id, name: label }) => [id, label]));
    return [
      {
        key: 'title',
        isTitle: true,
        label: t('column'),
        cell: ({ id, title, locale }) => (
          <PageLink to={`/articles/${id}`} dir="auto" lang={locale}>
            {title}
          </PageLink>
        ),
      },
      {
        key: 'status',
        isStandard: true,
        label: t('status'),
        width: 160,
        cell: (article) => <ArticleStatus article={article} />,
      },
      {
        key: 'languages',
        isStandard: true,
        label: t('languages'),
        width: 104,
        cell: (article) => <LanguagesCell article={article} locales={locales} />,
      },
      {
        key: 'tags',
        label: t('tags'),
        width: 144,
        className: 'extra',
        cell: ({ tags }) => <Muted span>{tags.join(', ')}</Muted>,
      },
      {
        key: 'collection',
        label: t('collection'),
        width: 144,
        className: 'extra',
        cell: ({ collectionId = '' }) => collectionNames.get(collectionId),
      },
      {
        key: 'slug',
        label: t('slugLabel'),
        width: 176,
        className: 'extra',
        cell: ({ slug }) => <Muted span>{slug}</Muted>,
      },
      ...locales.map((locale) => ({
        key: `locale:${locale}`,
        name: name(locale),
        label: locale,
        heading: <abbr title={name(locale)}>{locale}</abbr>,
        width: LOCALE_WIDTH,
        align: 'center' as const,
        className: 'compact extra',
        cell: (article: ArticleSummary) => <LanguageCell article={article} locale={locale} />,
      })),
      {
        key: 'updated',
        isStandard: true,
        label: t('updated'),
        width: 128,
        className: 'extra',
        cell: ({ updatedAt }) => <RelativeTime at={updatedAt} />,
      },
    ];
  }, [t, locales, readerLocale, collections]);
}

function toTaskFilter(task: string | null): Partial<ArticleFilters> {
  if (task === 'changed') return { changed: true };
  if (task === 'stale') return { stale: true };
  if (task === 'review') return { translationStatus: 'in_review' };
  if (task === 'verify') return { toVerify: true };
  if (task === 'scheduled') return { scheduled: true };
  return task?.startsWith('missing:') ? { missing: task.slice('missing:'.length) } : {};
}
