import { Alert, Box, Group, SegmentedControl, Select, SimpleGrid, Stack, Tabs, Text } from '@mantine/core';
import { keepPreviousData } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useId, useMemo } from 'react';
import { useFormatter, useTranslations } from 'use-intl';
import { isGuideError } from '../../../sdk/errors.ts';
import type { Analytics, AnalyticsOptions } from '../../../sdk/types.ts';
import { browserZone, getDayBefore, parseDays, toTimeRange } from '../../components/day-range.tsx';
import { type Filters, useFilters } from '../../components/filters.tsx';
import { InboxTop } from '../../components/inbox-top.tsx';
import { PageLink } from '../../components/links.tsx';
import { Loaded, Loading } from '../../components/loading.tsx';
import { EmptyState, Muted, Page } from '../../components/page.tsx';
import { useTenantQuery } from '../../session.ts';
import { Breakdown, useBreakdowns } from './breakdowns.tsx';
import { ChartCard, useCharts } from './charts.tsx';
import { CitedArticles } from './cited-articles.tsx';
import { AllFigures, KeyFigures } from './figures.tsx';
import { TopicsCard } from './topics.tsx';

export default function AnalyticsPage() {
  const t = useTranslations('analytics');
  const { filters } = useFilters();
  const range = parseRange(filters);
  const options = toAnalyticsOptions(range);
  const analytics = useTenantQuery(
    ['analytics', range],
    (tenant, { signal }) => tenant.analytics({ ...options, signal }),
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
              <Report analytics={data} options={options} />
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

type ReportProps = { analytics: Analytics; options: AnalyticsOptions };

function Report({ analytics, options }: ReportProps) {
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
    <Stack gap="lg">
      <Muted role="status">
        {t('compared', {
          from: formatDay(new Date(begin)),
          to: formatDay(new Date(end - 1)),
          previousFrom: formatDay(new Date(2 * begin - end)),
          previousTo: formatDay(new Date(begin - 1)),
        })}
      </Muted>
      {isEmpty ? <NoData /> : <Figures analytics={analytics} options={options} />}
    </Stack>
  );
}

const TABS = ['topics', 'articles', 'audience', 'quality', 'details'] as const;
type Tab = (typeof TABS)[number];

/** Three figures, one chart, and the rest by tab. Blocks and tabs without data are left out. */
function Figures({ analytics, options }: ReportProps) {
  const t = useTranslations('analytics');
  const { filters, change } = useFilters();
  const charts = useCharts(analytics);
  const breakdowns = useBreakdowns(analytics);
  const { totals, articles } = analytics;
  const cards = (name: Exclude<Tab, 'topics'>) =>
    breakdowns[name].map((breakdown) => <Breakdown key={breakdown.title} {...breakdown} />);
  const chart = (name: keyof typeof charts, note?: string) =>
    charts[name] && <ChartCard key={name} data={charts[name]} note={note} />;
  const onlyCounted = totals.visitors < totals.conversations ? t('visitorsNote') : undefined;
  const content: Record<Tab, readonly ReactNode[]> = {
    topics:
      totals.turns > 0
        ? [<TopicsCard key="topics" options={options} />, <InboxTop key="inbox" totals={totals} />]
        : [],
    articles: [
      articles.length > 0 && <CitedArticles key="cited" articles={articles} />,
      chart('searches', t('searchesNote')),
      ...cards('articles'),
    ],
    audience: [chart('reach', onlyCounted), ...cards('audience')],
    quality: [chart('ratings'), chart('latency'), ...cards('quality')],
    details: [<AllFigures key="all" {...analytics} />, chart('voice'), chart('limited'), ...cards('details')],
  };
  const shown = TABS.filter((tab) => content[tab].some(Boolean));
  const selected = shown.find((tab) => tab === filters.tab) ?? shown[0]!;
  return (
    <>
      <KeyFigures {...analytics} />
      {chart('questions')}
      <Tabs
        value={selected}
        onChange={(tab) => change({ tab: tab === shown[0] ? null : tab })}
        keepMounted={false}
      >
        <Tabs.List mb="lg">
          {shown.map((tab) => (
            <Tabs.Tab key={tab} value={tab}>
              {t(`tabs.${tab}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={selected}>
          <SimpleGrid cols={{ base: 1, md: WIDE.has(selected) ? 1 : 2 }} spacing="lg">
            {content[selected]}
          </SimpleGrid>
        </Tabs.Panel>
      </Tabs>
    </>
  );
}

/** Tabs whose tables need the whole width. */
const WIDE: ReadonlySet<Tab> = new Set(['topics', 'articles']);

function NoData() {
  const t = useTranslations('analytics');
  return (
    <EmptyState title={t('empty')} lead={t('emptyLead')}>
      <PageLink to="/installation">{t('install')}</PageLink>
    </EmptyState>
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
