import { Badge, Group, Stack, Text } from '@mantine/core';
import { useMemo } from 'react';
import { useLocale, useTranslations } from 'use-intl';
import type { ArticleFilters, ArticleSummary } from '../../../sdk/types.ts';
import { RelativeTime } from '../../components/attribution.tsx';
import { ImportButton } from '../../components/buttons.tsx';
import { useFilters } from '../../components/filters.tsx';
import { Icon } from '../../components/icon.tsx';
import { ButtonLink, PageLink } from '../../components/links.tsx';
import { ListView } from '../../components/list-view.tsx';
import { Loading } from '../../components/loading.tsx';
import { EmptyState, Muted, Note, Page } from '../../components/page.tsx';
import {
  ArticleStatus,
  getPendingStatus,
  getTranslationState,
  TRANSLATION_STATES,
  TranslationIcon,
  useTranslationStateText,
} from '../../components/status-badge.tsx';
import { type Column, ListTable, useCursorList } from '../../components/table.tsx';
import { languageNames } from '../../languages.ts';
import { useCoverage, useWorkspace } from '../../session.ts';
import { ManageCollections, useArticleFilters } from './article-filters.tsx';
import { BulkBar, selectByKey, toSelectColumn, useSelection } from './bulk-bar.tsx';

export default function ArticlesPage() {
  const t = useTranslations('articles');
  const r = useTranslations('replace');
  const { canEdit } = useWorkspace();
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
          </>
        )
      }
    >
      <ArticleList />
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
  const filters = useArticleFilters(locales);
  // All filters are rendered from the start, so that the list below does not move.
  if (!filters) return <Loading shape="table" />;
  return (
    <ListView
      section="articles"
      list={list}
      search={t('search')}
      filters={filters}
      moreFilters={<ManageCollections />}
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
          <Group justify="space-between" className="list-head">
            <Muted role="status">{t('total', { count: total })}</Muted>
            <Legend />
          </Group>
        )
      }
    >
      {() => (
        <ListTable
          caption={t('caption')}
          minWidth={WIDTH_MIN + locales.length * LOCALE_WIDTH}
          columns={columns}
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
/** The most rows that the service returns at once. */
const ROWS_PER_PAGE = 200;

function useArticles() {
  const { task, ...otherFilters } = useFilters().filters;
  const filters = { ...otherFilters, ...toTaskFilter(task ?? null) } as ArticleFilters;
  const list = useCursorList(['articles', 'list', filters], (tenant) => ({
    page: (cursor, options) =>
      tenant.articles.list({ ...filters, limit: cursor ? ROWS_PER_PAGE : FIRST_ROWS }).page(cursor, options),
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

/** Pixels; a laptop shows ten languages without scrolling sideways. */
const WIDTH_MIN = 520;
const LOCALE_WIDTH = 48;

function useColumns(locales: readonly string[]): readonly Column<ArticleSummary>[] {
  const t = useTranslations('articles');
  const readerLocale = useLocale();
  return useMemo(() => {
    const name = languageNames(readerLocale);
    return [
      { label: t('column'), cell: (article) => <ArticleTitle article={article} /> },
      { label: t('status'), width: 120, cell: (article) => <ArticleStatus article={article} /> },
      ...locales.map((locale) => ({
        label: locale,
        heading: <abbr title={name(locale)}>{locale}</abbr>,
        width: LOCALE_WIDTH,
        align: 'center' as const,
        className: 'compact',
        cell: (article: ArticleSummary) => <TranslationCell article={article} locale={locale} />,
      })),
      { label: t('updated'), width: 130, cell: ({ updatedAt }) => <RelativeTime at={updatedAt} /> },
    ];
  }, [t, locales, readerLocale]);
}

function toTaskFilter(task: string | null): Partial<ArticleFilters> {
  if (task === 'changed') return { changed: true };
  if (task === 'stale') return { stale: true };
  if (task === 'review') return { translationStatus: 'in_review' };
  return task?.startsWith('missing:') ? { missing: task.slice('missing:'.length) } : {};
}

type CellProps = { article: ArticleSummary };

function ArticleTitle({ article: { id, title, slug, locale, tags } }: CellProps) {
  return (
    <Stack gap={0}>
      <PageLink to={`/articles/${id}`} dir="auto" lang={locale} fw={600}>
        {title}
      </PageLink>
      <Note truncate>{slug}</Note>
      {tags.length > 0 && (
        <Group gap={4}>
          {tags.map((tag) => (
            <Badge key={tag} size="sm" variant="light" color="gray" tt="none">
              {tag}
            </Badge>
          ))}
        </Group>
      )}
    </Stack>
  );
}

function TranslationCell({ article, locale }: CellProps & { locale: string }) {
  const t = useTranslations();
  const name = languageNames(useLocale());
  const text = useTranslationStateText();
  const { canEdit } = useWorkspace();
  if (locale === article.locale) {
    return (
      <Text
        component="span"
        size="xs"
        c="dimmed"
        aria-label={t('statuses.source')}
        title={t('statuses.source')}
      >
        ●
      </Text>
    );
  }
  const variant = article.translations.find((each) => each.locale === locale);
  const icon = <TranslationIcon variant={variant} />;
  if (!variant && !canEdit) return icon;
  const next = getPendingStatus(variant);
  const status = next
    ? t('statuses.liveWithPending', { status: t(`statuses.translation.${next}`) })
    : text(getTranslationState(variant));
  const label = variant
    ? t('articles.openTranslation', { language: name(locale), status })
    : t('articles.translateTo', { title: article.title, language: name(locale) });
  return (
    <PageLink to={`/articles/${article.id}/translations/${locale}`} aria-label={label} className="cell-link">
      {icon}
    </PageLink>
  );
}

function Legend() {
  const t = useTranslations('articles');
  const text = useTranslationStateText();
  return (
    <Group component="ul" gap="md" className="plain-list" aria-label={t('legend')}>
      {(Object.keys(TRANSLATION_STATES) as (keyof typeof TRANSLATION_STATES)[]).map((state) => {
        const { icon, color } = TRANSLATION_STATES[state];
        return (
          <Group component="li" gap={4} key={state}>
            <Icon name={icon} className={`status-${color}`} />
            <Text size="xs">{text(state)}</Text>
          </Group>
        );
      })}
    </Group>
  );
}
