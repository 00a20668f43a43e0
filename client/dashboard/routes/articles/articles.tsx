import { Alert, Anchor, Button, Group, Select, Stack, Table, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useLocale, useTranslations } from 'use-intl';
import type { ArticleFilters, ArticleSummary } from '../../../sdk/types.ts';
import { RelativeTime } from '../../components/attribution.tsx';
import { IconFilePlus, IconSearch } from '../../components/icons.tsx';
import { LoadMore, useCursorList } from '../../components/list.tsx';
import { EmptyState, ErrorMessage, Loading, Page } from '../../components/page.tsx';
import {
  ArticleStatus,
  getPendingStatus,
  getTranslationState,
  TRANSLATION_STATES,
  TranslationIcon,
  useTranslationStateText,
} from '../../components/status-badge.tsx';
import { languageNames } from '../../languages.ts';
import { useCoverage, useWorkspace } from '../../session.ts';

export function ArticlesPage() {
  const t = useTranslations('articles');
  const { canEdit, tenantId } = useWorkspace();
  return (
    <Page
      title={t('title')}
      lead={t('lead')}
      actions={
        canEdit && (
          <Button
            component={Link}
            to={`/w/${tenantId}/articles/new`}
            leftSection={<IconFilePlus size={18} aria-hidden />}
          >
            {t('new')}
          </Button>
        )
      }
    >
      <ArticleList />
    </Page>
  );
}

const STATUSES = ['draft', 'published', 'unpublished'] as const;

function ArticleList() {
  const t = useTranslations('articles');
  const { tenant, tenantId } = useWorkspace();
  const [values, setValues] = useState(NO_FILTERS);
  const [q] = useDebouncedValue(values.text.trim(), 250);
  const coverage = useCoverage();
  const { status, task } = values;
  const filters = { ...(q && { q }), ...(status && { status }), ...toTaskFilter(task) } as ArticleFilters;
  const list = useCursorList(
    ['tenant', tenantId, 'articles', 'list', filters],
    tenant.articles.list(filters),
  );
  const { rows } = list;
  const locales = [
    ...new Set([
      ...(coverage.data?.locales ?? []).map(({ locale }) => locale),
      ...rows.flatMap(({ translations }) => translations.map(({ locale }) => locale)),
    ]),
  ].sort();
  if (list.isPending) return <Loading />;
  if (list.isError) return <ErrorMessage error={list.error} retry={list.refetch} />;
  if (rows.length === 0 && Object.keys(filters).length === 0) return <NoArticles />;
  return (
    <Stack>
      <Filters
        values={values}
        change={(part) => setValues((before) => ({ ...before, ...part }))}
        locales={locales}
      />
      {rows.length === 0 ? (
        <Alert title={t('nothingFound')} color="gray" role="status">
          <Stack gap="xs" align="flex-start">
            <Text>{t('nothingFoundLead')}</Text>
            <Button variant="default" onClick={() => setValues(NO_FILTERS)}>
              {t('clear')}
            </Button>
          </Stack>
        </Alert>
      ) : (
        <>
          <ArticleTable rows={rows} locales={locales} busy={list.isFetching} />
          <LoadMore list={list} />
          <Legend />
        </>
      )}
    </Stack>
  );
}

type FilterValues = { readonly text: string; readonly status: string | null; readonly task: string | null };

const NO_FILTERS: FilterValues = { text: '', status: null, task: null };

type FiltersProps = {
  readonly values: FilterValues;
  readonly change: (part: Partial<FilterValues>) => void;
  readonly locales: readonly string[];
};

function Filters({ values, change, locales }: FiltersProps) {
  const t = useTranslations();
  const name = languageNames(useLocale());
  return (
    <Group role="search" align="flex-end" gap="sm">
      <TextInput
        label={t('articles.search')}
        type="search"
        leftSection={<IconSearch size={16} aria-hidden />}
        value={values.text}
        onChange={({ currentTarget }) => change({ text: currentTarget.value })}
        className="grow"
      />
      <Select
        label={t('articles.status')}
        placeholder={t('articles.anyStatus')}
        clearable
        value={values.status}
        onChange={(status) => change({ status })}
        data={STATUSES.map((value) => ({ value, label: t(`statuses.article.${value}`) }))}
      />
      <Select
        label={t('articles.task')}
        placeholder={t('articles.allArticles')}
        clearable
        searchable
        value={values.task}
        onChange={(task) => change({ task })}
        data={[
          { value: 'changed', label: t('articles.taskChanged') },
          { value: 'stale', label: t('articles.taskStale') },
          { value: 'review', label: t('articles.taskReview') },
          ...locales.map((locale) => ({
            value: `missing:${locale}`,
            label: t('articles.taskMissing', { language: name(locale) }),
          })),
        ]}
      />
    </Group>
  );
}

type ArticleTableProps = {
  readonly rows: readonly ArticleSummary[];
  readonly locales: readonly string[];
  readonly busy: boolean;
};

function ArticleTable({ rows, locales, busy }: ArticleTableProps) {
  const t = useTranslations('articles');
  const name = languageNames(useLocale());
  return (
    <Table.ScrollContainer minWidth={480 + locales.length * 44}>
      <Table verticalSpacing="sm" highlightOnHover aria-busy={busy}>
        <caption className="unseen">{t('caption')}</caption>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{t('column')}</Table.Th>
            <Table.Th scope="col">{t('status')}</Table.Th>
            {locales.map((locale) => (
              <Table.Th scope="col" key={locale} ta="center">
                <abbr title={name(locale)}>{locale}</abbr>
              </Table.Th>
            ))}
            <Table.Th scope="col">{t('updated')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((article) => (
            <ArticleRow key={article.id} article={article} locales={locales} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

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

function ArticleRow({
  article,
  locales,
}: {
  readonly article: ArticleSummary;
  readonly locales: readonly string[];
}) {
  const { tenantId } = useWorkspace();
  const { id, title, locale, updatedAt } = article;
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={400} maw={380}>
        <Stack gap={0}>
          <Anchor component={Link} to={`/w/${tenantId}/articles/${id}`} dir="auto" lang={locale} fw={600}>
            {title}
          </Anchor>
          <Text size="xs" c="dimmed" truncate>
            {article.slug}
          </Text>
        </Stack>
      </Table.Th>
      <Table.Td>
        <ArticleStatus article={article} />
      </Table.Td>
      {locales.map((each) => (
        <Table.Td key={each} ta="center">
          <Cell article={article} locale={each} />
        </Table.Td>
      ))}
      <Table.Td className="nowrap">
        <RelativeTime at={updatedAt} />
      </Table.Td>
    </Table.Tr>
  );
}

function Cell({ article, locale }: { readonly article: ArticleSummary; readonly locale: string }) {
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
