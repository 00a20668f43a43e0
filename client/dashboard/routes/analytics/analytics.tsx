import { Alert, Box, Button, Group, SegmentedControl, Select, SimpleGrid, Stack, Text } from '@mantine/core';
import { keepPreviousData } from '@tanstack/react-query';
import { lazy, Suspense, useId, useMemo, useState } from 'react';
import { useFormatter, useLocale, useTranslations } from 'use-intl';
import { isGuideError } from '../../../sdk/errors.ts';
import type { Analytics, AnalyticsOptions, Article } from '../../../sdk/types.ts';
import { browserZone, getDayBefore, parseDays, toTimeRange } from '../../components/day-range.tsx';
import { CsvButton } from '../../components/download.tsx';
import { type Filters, useFilters } from '../../components/filters.tsx';
import { InboxTop } from '../../components/inbox-top.tsx';
import { ArticleLink, PageLink } from '../../components/links.tsx';
import { Loaded, Loading } from '../../components/loading.tsx';
import { Card, EmptyState, Muted, Page } from '../../components/page.tsx';
import { DataTable } from '../../components/table.tsx';
import { languageNames } from '../../languages.ts';
import { queries, useTenantQuery, useWorkspace } from '../../session.ts';
import { Breakdowns, Figure, Totals } from './breakdowns.tsx';
import { Charts } from './charts.tsx';

export default function AnalyticsPage() {
  const t = useTranslations('analytics');
  const { filters } = useFilters();
  const range = parseRange(filters);
  const analytics = useTenantQuery(
    ['analytics', range],
    (tenant, { signal }) => tenant.analytics({ ...toAnalyticsOptions(range), signal }),
    { placeholderData: keepPreviousData },
  );
  return (
    <Page title={t('title')} lead={t('lead')}>
      <RangeControls range={range} />
      {isTooLong(analytics.error) ? (
        <Alert color="orange" role="alert" title={t('tooLong')}>
          {t('tooLongLead')}
        </Alert>
      ) : (
        <Loaded query={analytics} shape="cards">
          {(data) => (
            <Box aria-busy={analytics.isFetching}>
              <Report analytics={data} />
            </Box>
          )}
        </Loaded>
      )}
    </Page>
  );
}

/** True for a period that is too long for the grouping, which the user can change. */
const isTooLong = (error: unknown) =>
  isGuideError(error) && error.issues?.some(({ code }) => code === 'range_too_long');

function Report({ analytics }: { analytics: Analytics }) {
  const t = useTranslations('analytics');
  const format = useFormatter();
  const { from, to, zone, totals, previous } = analytics;
  const formatDay = (moment: Date) => format.dateTime(moment, { dateStyle: 'medium', timeZone: zone });
  const begin = Date.parse(from);
  const end = Date.parse(to);
  const isEmpty = totals.boots + totals.turns === 0;
  const isNew = isEmpty && previous.boots + previous.turns === 0;
  if (isNew) return <NoData />;
  return (
    <Stack gap="xl">
      <Muted role="status">
        {t('compared', {
          from: formatDay(new Date(begin)),
          to: formatDay(new Date(end - 1)),
          previousFrom: formatDay(new Date(2 * begin - end)),
          previousTo: formatDay(new Date(begin - 1)),
        })}
      </Muted>
      {isEmpty && <NoData />}
      <Totals now={totals} before={previous} />
      <Charts analytics={analytics} />
      <InboxTop totals={totals} />
      <CitedArticles articles={analytics.articles} />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <Breakdowns analytics={analytics} />
      </SimpleGrid>
    </Stack>
  );
}

function NoData() {
  const t = useTranslations('analytics');
  return (
    <EmptyState title={t('empty')} lead={t('emptyLead')}>
      <PageLink to="/installation">{t('install')}</PageLink>
    </EmptyState>
  );
}

/** Each row fetches its article, so show only a few at once. */
const SHOWN_AT_ONCE = 10;

function CitedArticles({ articles }: Pick<Analytics, 'articles'>) {
  const t = useTranslations();
  const [shown, setShown] = useState(SHOWN_AT_ONCE);
  return (
    <Card
      title={t('analytics.cited')}
      aside={articles.length > 0 && <CitedArticlesCsv articles={articles} />}
      wide
    >
      {articles.length === 0 ? (
        <Text>{t('analytics.nothingCited')}</Text>
      ) : (
        <CitedArticlesTable articles={articles.slice(0, shown)} />
      )}
      {articles.length > shown && (
        <Button variant="default" className="self-start" onClick={() => setShown(shown + SHOWN_AT_ONCE)}>
          {t('shell.more')}
        </Button>
      )}
    </Card>
  );
}

function CitedArticlesCsv({ articles }: Pick<Analytics, 'articles'>) {
  const t = useTranslations('analytics');
  const { tenantId } = useWorkspace();
  return (
    <CsvButton
      title={t('cited')}
      columns={['ID', t('article'), t('language'), t('citations')]}
      rows={articles.map(({ article, locale, citations }) => [
        article,
        queries.getQueryData<Article>(['tenant', tenantId, 'articles', article])?.title,
        locale,
        citations,
      ])}
    />
  );
}

function CitedArticlesTable({ articles }: Pick<Analytics, 'articles'>) {
  const t = useTranslations('analytics');
  const name = languageNames(useLocale());
  const max = Math.max(...articles.map(({ citations }) => citations));
  return (
    <DataTable
      caption={t('cited')}
      minWidth={420}
      rows={articles}
      getKey={({ article, locale }) => `${article}:${locale}`}
      columns={[
        { label: t('article'), cell: ({ article, locale }) => <ArticleLink id={article} locale={locale} /> },
        { label: t('language'), cell: ({ locale }) => name(locale) },
        {
          label: t('citations'),
          align: 'end',
          width: '40%',
          cell: ({ citations }) => <Figure value={citations} max={max} />,
        },
      ]}
    />
  );
}

/** Days per preset, including today. */
const DAYS = { today: 1, week: 7, month: 28, quarter: 90, year: 365 } as const;
const PRESETS = Object.keys(DAYS) as Preset[];
type Preset = keyof typeof DAYS;

type Range = {
  /** `custom` has its own first and last day. */
  name: Preset | 'custom';
  from: string;
  to?: string | undefined;
  by: 'day' | 'hour';
  zone: string;
};

function parseRange(search: Filters): Range {
  const zone = isZone(search.zone) ? search.zone : browserZone;
  const { from, to } = parseDays(search);
  const by = search.by === 'hour' || search.by === 'day' ? search.by : undefined;
  if (search.range === 'custom' && from && to) return { name: 'custom', from, to, by: by ?? 'day', zone };
  const name = PRESETS.find((each) => each === search.range) ?? 'month';
  return {
    name,
    from: getDayBefore(DAYS[name] - 1, zone),
    by: by ?? (name === 'today' ? 'hour' : 'day'),
    zone,
  };
}

/** Converts the range. A preset has no end: it lasts until now. */
const toAnalyticsOptions = ({ from, to, by, zone }: Range): AnalyticsOptions => ({
  ...toTimeRange({ from, to }, zone),
  by,
  zone,
});

function listZones(): readonly string[] {
  return [...new Set([browserZone, 'UTC', ...Intl.supportedValuesOf('timeZone')])];
}

function isZone(name: string | undefined): name is string {
  try {
    return name !== undefined && Boolean(Intl.DateTimeFormat('en', { timeZone: name }));
  } catch {
    return false;
  }
}

/** Lazy: only custom ranges need the calendar. */
const DayRange = lazy(async () => ({ default: (await import('../../components/day-range.tsx')).DayRange }));

const ZONES_SHOWN = 50;

function RangeControls({ range }: { range: Range }) {
  const t = useTranslations('analytics');
  const byId = useId();
  const { change } = useFilters();
  const names = useMemo(listZones, []);
  const choose = (name: string | null) =>
    name === 'custom'
      ? change({ range: name, from: range.from, to: range.to ?? getDayBefore(0, range.zone) })
      : change({ range: name, from: null, to: null, by: null });
  return (
    <Group align="flex-end" gap="sm">
      <Select
        label={t('period')}
        allowDeselect={false}
        value={range.name}
        onChange={choose}
        data={[...PRESETS, 'custom' as const].map((value) => ({ value, label: t(`periods.${value}`) }))}
      />
      {range.name === 'custom' && (
        <Suspense fallback={<Loading />}>
          <DayRange label={t('days')} days={range} choose={change} clearable={false} />
        </Suspense>
      )}
      <Select
        label={t('zone')}
        searchable
        allowDeselect={false}
        limit={ZONES_SHOWN}
        value={range.zone}
        onChange={(zone) => change({ zone })}
        data={names.map((value) => ({ value, label: value.replaceAll('_', ' ') }))}
      />
      <Stack gap={4}>
        <Text id={byId} size="sm" fw={500}>
          {t('by')}
        </Text>
        <SegmentedControl
          aria-labelledby={byId}
          value={range.by}
          onChange={(by) => change({ by })}
          data={[
            { value: 'day', label: t('byDay') },
            { value: 'hour', label: t('byHour') },
          ]}
        />
      </Stack>
    </Group>
  );
}
