import { Anchor, Badge, Button, Group, Stack, Table, Text } from '@mantine/core';
import { IconFilePlus } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { memo, type ReactNode, useMemo } from 'react';
import { useLocale, useTranslations } from 'use-intl';
import type { ArticleFilters, ArticleSummary } from '../../../sdk/types.ts';
import { RelativeTime } from '../../components/attribution.tsx';
import { ImportButton } from '../../components/import-button.tsx';
import { useCursorList } from '../../components/list.tsx';
import { EmptyState, ErrorMessage, Loading, Page } from '../../components/page.tsx';
import { asCardsWhenNarrow } from '../../components/region-table.tsx';
import {
  ArticleStatus,
  getPendingStatus,
  getTranslationState,
  TRANSLATION_STATES,
  TranslationIcon,
  useTranslationStateText,
} from '../../components/status-badge.tsx';
import {
  ListEnd,
  type MoreRows,
  NothingFound,
  TableBlocks,
  toMoreRows,
} from '../../components/table-blocks.tsx';
import { languageNames } from '../../languages.ts';
import { type ArticleSearch, useFilters } from '../../search-params.ts';
import { useCoverage, useWorkspace } from '../../session.ts';
import { useArticleFacets } from './article-facets.ts';
import { ArticleFilterBar } from './article-filters.tsx';
import { BulkBar } from './bulk-bar.tsx';
import { SelectBox, type Selection, SelectShown, selectByKey, useSelection } from './selection.tsx';

export function ArticlesPage() {
  const t = useTranslations('articles');
  const { canEdit, tenantId } = useWorkspace();
  return (
    <Page
      title={t('title')}
      lead={t('lead')}
      actions={
        canEdit && (
          <>
            <ImportButton />
            <Button
              component={Link}
              to={`/w/${tenantId}/articles/new`}
              leftSection={<IconFilePlus size={18} aria-hidden />}
            >
              {t('new')}
            </Button>
          </>
        )
      }
    >
      <ArticleList />
    </Page>
  );
}

function ArticleList() {
  const { canEdit } = useWorkspace();
  const { filters: search } = useFilters<ArticleSearch>();
  const facets = useArticleFacets();
  const { list, total, conditions } = useArticles(search);
  const { rows } = list;
  const more = toMoreRows(list, total);
  const selection = useSelection(rows, JSON.stringify(conditions));
  const locales = useShownLocales(rows);
  // All filters are rendered from the start, so that the list below does not move.
  if (list.isPending || facets.isPending) return <Loading shape="table" />;
  if (list.isError && !list.isFetchNextPageError)
    return <ErrorMessage error={list.error} retry={list.refetch} />;
  if (rows.length === 0 && Object.keys(conditions).length === 0) return <NoArticles />;
  return (
    <Stack>
      <ArticleFilterBar locales={locales} />
      {canEdit && selection.ids.size > 0 ? (
        <BulkBar selection={selection} total={total} conditions={conditions} />
      ) : (
        <ListHead total={total} />
      )}
      {rows.length === 0 ? (
        <NothingMatches />
      ) : (
        <>
          <ArticleTable
            rows={rows}
            total={total}
            locales={locales}
            busy={list.isFetching}
            selection={selection}
            more={more}
          />
          <ListEnd list={list} more={more} />
        </>
      )}
    </Stack>
  );
}

function useArticles({ task, ...otherFilters }: ArticleSearch) {
  const { tenant, tenantId } = useWorkspace();
  const filters = { ...otherFilters, ...toTaskFilter(task ?? null) } as ArticleFilters;
  const list = useCursorList(['tenant', tenantId, 'articles', 'list', filters], {
    page: (cursor, options) =>
      tenant.articles.list({ ...filters, limit: cursor ? ROWS_PER_PAGE : FIRST_ROWS }).page(cursor, options),
  });
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

function ListHead({ total }: { total: number }) {
  const t = useTranslations('articles');
  return (
    <Group justify="space-between" className="list-head">
      <Text size="sm" c="dimmed" role="status">
        {t('total', { count: total })}
      </Text>
      <Legend />
    </Group>
  );
}

function NothingMatches() {
  const t = useTranslations('articles');
  const { change } = useFilters<ArticleSearch>();
  const cleared: ClearedSearch = {
    q: null,
    status: null,
    task: null,
    collection: null,
    tag: null,
    source: null,
  };
  return (
    <NothingFound
      title={t('nothingFound')}
      lead={t('nothingFoundLead')}
      clearLabel={t('clear')}
      clear={() => change(cleared)}
    />
  );
}

const FIRST_ROWS = 100;
/** The most rows that the service returns at once. */
const ROWS_PER_PAGE = 200;

type ClearedSearch = { readonly [K in Exclude<keyof ArticleSearch, 'sort'>]: null };

type ArticleTableProps = {
  rows: readonly ArticleSummary[];
  total: number;
  locales: readonly string[];
  busy: boolean;
  selection: Selection;
  more: MoreRows;
};

function ArticleTable({ rows, total, locales, busy, selection, more }: ArticleTableProps) {
  const t = useTranslations('articles');
  const { canEdit } = useWorkspace();
  const name = languageNames(useLocale());
  return (
    <Table.ScrollContainer minWidth={WIDTH_MIN + locales.length * LOCALE_WIDTH}>
      <Table
        layout="fixed"
        verticalSpacing="sm"
        highlightOnHover
        aria-busy={busy}
        aria-rowcount={total + 1}
        {...asCardsWhenNarrow()}
      >
        <caption className="unseen">{t('caption')}</caption>
        <Table.Thead>
          <Table.Tr aria-rowindex={1}>
            {canEdit && (
              <Table.Th scope="col" w={44}>
                <SelectShown rows={rows} selection={selection} />
              </Table.Th>
            )}
            <Table.Th scope="col">{t('column')}</Table.Th>
            <Table.Th scope="col" w={160}>
              {t('status')}
            </Table.Th>
            {locales.map((locale) => (
              <Table.Th scope="col" key={locale} ta="center" px={4} w={LOCALE_WIDTH}>
                <abbr title={name(locale)}>{locale}</abbr>
              </Table.Th>
            ))}
            <Table.Th scope="col" w={140}>
              {t('updated')}
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <TableBlocks
          rows={rows}
          columns={locales.length + (canEdit ? 4 : 3)}
          onKeyDown={(event) => selectByKey(event, selection)}
          more={more}
        >
          {(article, rowIndex) => (
            <ArticleRow
              key={article.id}
              article={article}
              rowIndex={rowIndex}
              locales={locales}
              selectBox={canEdit && <SelectBox article={article} selection={selection} />}
            />
          )}
        </TableBlocks>
      </Table>
    </Table.ScrollContainer>
  );
}

/** Pixels; a laptop shows ten languages without scrolling sideways. */
const WIDTH_MIN = 520;
const LOCALE_WIDTH = 48;

function toTaskFilter(task: string | null): Partial<ArticleFilters> {
  if (task === 'changed') return { changed: true };
  if (task === 'stale') return { stale: true };
  if (task === 'review') return { translationStatus: 'in_review' };
  return task?.startsWith('missing:') ? { missing: task.slice('missing:'.length) } : {};
}

function NoArticles() {
  const t = useTranslations('articles');
  const { canEdit, tenantId } = useWorkspace();
  return (
    <EmptyState title={t('empty')} lead={t('emptyLead')}>
      {canEdit ? (
        <Button component={Link} to={`/w/${tenantId}/articles/new`}>
          {t('new')}
        </Button>
      ) : (
        <Anchor component={Link} to={`/w/${tenantId}`}>
          {t('toOverview')}
        </Anchor>
      )}
    </EmptyState>
  );
}

type ArticleRowProps = {
  article: ArticleSummary;
  rowIndex: number;
  locales: readonly string[];
  selectBox: ReactNode;
};

function ArticleRow({ article, rowIndex, locales, selectBox }: ArticleRowProps) {
  return (
    <Table.Tr aria-rowindex={rowIndex}>
      {selectBox && <Table.Td className="compact">{selectBox}</Table.Td>}
      <ArticleCells article={article} locales={locales} />
    </Table.Tr>
  );
}

/** Memoized, so that loading or selecting other rows does not render this one: a list can have thousands. */
const ArticleCells = memo(function ArticleCells({
  article,
  locales,
}: Pick<ArticleRowProps, 'article' | 'locales'>) {
  const t = useTranslations('articles');
  const { tenantId } = useWorkspace();
  const { id, title, locale, updatedAt, tags } = article;
  return (
    <>
      <Table.Th scope="row" fw={400}>
        <Stack gap={0}>
          <Anchor component={Link} to={`/w/${tenantId}/articles/${id}`} dir="auto" lang={locale} fw={600}>
            {title}
          </Anchor>
          <Text size="xs" c="dimmed" truncate>
            {article.slug}
          </Text>
          {tags.length > 0 && (
            <Group gap={4} mt={4}>
              {tags.map((tag) => (
                <Badge key={tag} size="sm" variant="light" color="gray" tt="none">
                  {tag}
                </Badge>
              ))}
            </Group>
          )}
        </Stack>
      </Table.Th>
      <Table.Td data-label={t('status')}>
        <ArticleStatus article={article} />
      </Table.Td>
      {locales.map((each) => (
        <Table.Td key={each} ta="center" px={4} className="compact" data-label={each}>
          <Cell article={article} locale={each} />
        </Table.Td>
      ))}
      <Table.Td data-label={t('updated')}>
        <RelativeTime at={updatedAt} />
      </Table.Td>
    </>
  );
});

function Cell({ article, locale }: { article: ArticleSummary; locale: string }) {
  const t = useTranslations();
  const name = languageNames(useLocale());
  const text = useTranslationStateText();
  const { tenantId, canEdit } = useWorkspace();
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
    <Anchor
      component={Link}
      to={`/w/${tenantId}/articles/${article.id}/translations/${locale}`}
      aria-label={label}
      className="cell-link"
    >
      {icon}
    </Anchor>
  );
}

export function Legend() {
  const t = useTranslations('articles');
  const text = useTranslationStateText();
  return (
    <Group component="ul" gap="md" className="plain-list" aria-label={t('legend')}>
      {(Object.keys(TRANSLATION_STATES) as (keyof typeof TRANSLATION_STATES)[]).map((state) => {
        const { icon: Icon, color } = TRANSLATION_STATES[state];
        return (
          <Group component="li" gap={4} key={state}>
            <Icon size={16} aria-hidden className={`status-${color}`} />
            <Text size="xs">{text(state)}</Text>
          </Group>
        );
      })}
    </Group>
  );
}
