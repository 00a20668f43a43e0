import { Group, Paper, SimpleGrid, Stack, Text } from '@mantine/core';
import { useFormatter, useLocale, useTranslations } from 'use-intl';
import type { Analytics } from '../../../sdk/types.ts';
import { CsvButton } from '../../components/download.tsx';
import { Icon } from '../../components/icon.tsx';
import { Card, Heading, Muted, Note } from '../../components/page.tsx';
import { DataTable } from '../../components/table.tsx';
import { languageNames, regionNames } from '../../languages.ts';
import { useCoverage } from '../../session.ts';
import {
  getAnsweredShare,
  getDeflectionShare,
  getHelpfulShare,
  getResolutionShare,
  type Totals as Metrics,
  NO_VALUE,
  PERCENT_OF_MIN,
  type Share,
  useMetricFormat,
} from './metrics.ts';

type Metric = {
  label: string;
  now: string;
  before: string;
  /** `now` and `before` as plain numbers. */
  csvValues: readonly (number | undefined)[];
  change: Change | undefined;
  /** Whether an increase is good or bad; neutral by default. */
  more?: 'better' | 'worse';
  aside?: string;
};

const toRatio = (share: Share | undefined) => share && Number((share.part / share.whole).toFixed(4));

type Change = { by: number; text: string };
type MetricFormat = ReturnType<typeof useMetricFormat>;

/** Returns undefined when a value is missing or the earlier one is too small for a percentage. */
function compareAmounts(now: number | undefined, before: number | undefined, { change }: MetricFormat) {
  if (now === undefined || before === undefined || before < PERCENT_OF_MIN) return undefined;
  const by = now / before - 1;
  return { by, text: change(by) };
}

function compareShares(now: Share | undefined, before: Share | undefined, write: (by: number) => string) {
  if (!now || !before || Math.min(now.whole, before.whole) < PERCENT_OF_MIN) return undefined;
  const by = now.part / now.whole - before.part / before.whole;
  return { by, text: write(by) };
}

export function Totals({ now, before }: { now: Metrics; before: Metrics }) {
  const t = useTranslations('analytics');
  const metrics = useMetrics(now, before);
  return (
    <Stack component="section" gap="sm">
      <Group justify="space-between">
        <Heading>{t('totals')}</Heading>
        <CsvButton
          title={t('totals')}
          columns={[t('metric'), t('period'), t('previousPeriod')]}
          rows={metrics.map(({ label, csvValues }) => [label, ...csvValues])}
        />
      </Group>
      <SimpleGrid cols={{ base: 2, lg: 5 }} spacing={{ base: 'xs', xs: 'md' }} component="dl" m={0}>
        {metrics.map((metric) => (
          <MetricCard key={metric.label} {...metric} />
        ))}
      </SimpleGrid>
    </Stack>
  );
}

function useMetrics(now: Metrics, before: Metrics): readonly Metric[] {
  const t = useTranslations('analytics');
  const format = useMetricFormat();
  const { count, share, millis, seconds, points } = format;
  const ratings = now.feedback.up + now.feedback.down;
  const amount = (
    label: string,
    read: (totals: Metrics) => number | undefined,
    write: (value: number | undefined) => string = count,
    more: Partial<Metric> = {},
  ): Metric => ({
    label,
    now: write(read(now)),
    before: write(read(before)),
    csvValues: [read(now), read(before)],
    change: compareAmounts(read(now), read(before), format),
    ...more,
  });
  const ratio = (label: string, read: (totals: Metrics) => Share | undefined, aside: string): Metric => ({
    label,
    now: share(read(now)),
    before: share(read(before)),
    csvValues: [toRatio(read(now)), toRatio(read(before))],
    change: compareShares(read(now), read(before), (by) => t('points', { value: points(by) })),
    more: 'better',
    aside,
  });
  return [
    amount(t('questions'), ({ turns }) => turns),
    ratio(t('answered'), getAnsweredShare, t('withoutAnswer', { count: now.unanswered })),
    ratio(t('resolution'), getResolutionShare, t('resolutionHint')),
    ratio(t('deflection'), getDeflectionShare, t('ofConversations', { count: now.deflection.conversations })),
    ratio(t('helpful'), getHelpfulShare, t('ofRatings', { count: ratings })),
    amount(t('latency'), ({ latency }) => latency?.p50, millis, {
      more: 'worse',
      ...(now.latency && { aside: t('p90Value', { time: millis(now.latency.p90) }) }),
    }),
    amount(t('visitors'), ({ visitors }) => visitors, count, { aside: t('visitorsHint') }),
    amount(t('conversations'), ({ conversations }) => conversations),
    amount(t('boots'), ({ boots }) => boots),
    amount(t('citations'), ({ citations }) => citations),
    ...(now.voice + before.voice > 0 ? [amount(t('voice'), ({ voice }) => voice, seconds)] : []),
    ...(now.limited + before.limited > 0
      ? [amount(t('limited'), ({ limited }) => limited, count, { more: 'worse' })]
      : []),
  ];
}

function MetricCard(metric: Metric) {
  const { label, now, aside } = metric;
  return (
    <Paper withBorder p="md">
      <Muted component="dt">{label}</Muted>
      <Text component="dd" m={0} fz={26} fw={700} lh={1.3}>
        {now}
      </Text>
      <Text component="dd" m={0} size="sm">
        <Difference {...metric} />
      </Text>
      {aside && (
        <Note component="dd" m={0}>
          {aside}
        </Note>
      )}
    </Paper>
  );
}

/** The change since the previous period, colored where it is good or bad. */
function Difference({ before, change, more }: Metric) {
  const t = useTranslations('analytics');
  const previous = t('previous', { value: before });
  if (before === NO_VALUE) return null;
  if (!change) {
    return (
      <Text span c="dimmed" size="sm">
        {previous}
      </Text>
    );
  }
  const { by, text } = change;
  const icon = by > 0 ? 'arrow-up-right' : by < 0 ? 'arrow-down-right' : 'equal';
  const isGood = more && by !== 0 ? by > 0 === (more === 'better') : undefined;
  const color = isGood === undefined ? 'gray' : isGood ? 'green' : 'orange';
  return (
    <Group component="span" gap={4}>
      <span className={`status status-${color}`}>
        <Icon name={icon} />
        <span className="nowrap">{text}</span>
      </span>
      <Text span c="dimmed" size="xs" className="nowrap">
        {previous}
      </Text>
    </Group>
  );
}

type BreakdownProps = {
  title: string;
  lead: string;
  /** Shown when there are no rows. */
  emptyText: string;
  columns: readonly string[];
  rows: readonly {
    cells: readonly string[];
    /** The values without formatting. Defaults to `cells`. */
    csvValues?: readonly (string | number)[];
    count: number;
  }[];
  /** The heading of the last column. */
  countHeading?: string;
};

/** What the totals consist of. */
export function Breakdowns({ analytics }: { analytics: Analytics }) {
  const breakdowns = [useLanguages(analytics), ...useSimpleBreakdowns(analytics)];
  return breakdowns.map((breakdown) => <Breakdown key={breakdown.title} {...breakdown} />);
}

/** Languages that visitors ask for, and whether anything is published in them. */
function useLanguages({ languages }: Analytics): BreakdownProps {
  const t = useTranslations('analytics');
  const name = languageNames(useLocale());
  const { share } = useMetricFormat();
  const coverage = useCoverage();
  const published = new Set(
    coverage.data?.locales.flatMap(({ locale, live, stale }) =>
      live + stale > 0 ? [toLanguage(locale)] : [],
    ),
  );
  const isMissing = (locale: string) => coverage.isSuccess && !published.has(toLanguage(locale));
  const answeredIn = (locale: string, native: number, answered: number) => {
    if (isMissing(locale)) return t('missing');
    return answered === 0 ? NO_VALUE : share({ part: native, whole: answered });
  };
  return {
    title: t('languages'),
    lead: t('languagesLead'),
    emptyText: t('noQuestions'),
    columns: [t('language'), t('answered'), t('native')],
    countHeading: t('questions'),
    rows: languages.map(({ locale, turns, answered, native }) => ({
      cells: [name(locale), share({ part: answered, whole: turns }), answeredIn(locale, native, answered)],
      csvValues: [locale, answered, native],
      count: turns,
    })),
  };
}

const toLanguage = (locale: string) => locale.split('-', 1)[0];

const OUTCOMES = ['proposed', 'done', 'declined', 'missing', 'failed'] as const;

function useSimpleBreakdowns({
  pages,
  reasons,
  fallbacks,
  totals,
  consents,
  hits,
}: Analytics): readonly BreakdownProps[] {
  const t = useTranslations('analytics');
  const reason = useTranslations('conversations.reasons');
  const region = regionNames(useLocale());
  const { share } = useMetricFormat();
  /** Names a value that the server may know before this page does. */
  const nameOf = (group: string, value: string) => {
    const key = `${group}.${value}` as 'reasons.base_language';
    return t.has(key) ? t(key) : value;
  };
  const { actions } = totals;
  const hasActions = actions.proposed + actions.confirmed + actions.declined > 0;
  return [
    {
      title: t('pages'),
      lead: t('pagesLead'),
      emptyText: t('noQuestions'),
      columns: [t('page'), t('answered')],
      countHeading: t('questions'),
      rows: pages.map(({ path, turns, answered }) => ({
        cells: [path, share({ part: answered, whole: turns })],
        csvValues: [path, answered],
        count: turns,
      })),
    },
    {
      title: t('ratingReasons'),
      lead: t('ratingReasonsLead'),
      emptyText: t('noRatingReasons'),
      columns: [t('ratingReason')],
      rows: reasons.map((row) => ({
        cells: [reason(row.reason)],
        csvValues: [row.reason],
        count: row.count,
      })),
    },
    {
      title: t('fallbacks'),
      lead: t('fallbacksLead', { count: totals.citations }),
      emptyText: t('noFallbacks'),
      columns: [t('reason')],
      rows: fallbacks.map((row) => ({ cells: [nameOf('reasons', row.reason)], count: row.count })),
    },
    {
      title: t('actions'),
      lead: t('actionsLead'),
      emptyText: t('noActions'),
      columns: [t('outcome')],
      rows: hasActions
        ? OUTCOMES.map((name) => ({ cells: [t(`outcomes.${name}`)], count: actions[name] }))
        : [],
    },
    {
      title: t('consents'),
      lead: t('consentsLead'),
      emptyText: t('noConsents'),
      columns: [t('region'), t('mode'), t('decision')],
      rows: consents.map((row) => ({
        cells: [region(row.region), nameOf('modes', row.mode), t(`decisions.${row.decision}`)],
        count: row.count,
      })),
    },
    {
      title: t('rateLimits'),
      lead: t('rateLimitsLead'),
      emptyText: t('noRateLimits'),
      columns: [t('limit')],
      rows: hits.map(({ bucket, count }) => ({ cells: [nameOf('buckets', bucket)], count })),
    },
  ];
}

function Breakdown({ title, lead, emptyText, columns, rows, countHeading }: BreakdownProps) {
  const t = useTranslations('analytics');
  const countColumn = countHeading ?? t('count');
  const max = Math.max(...rows.map(({ count }) => count));
  const csv = (
    <CsvButton
      title={title}
      columns={[...columns, countColumn]}
      rows={rows.map(({ cells, csvValues = cells, count }) => [...csvValues, count])}
    />
  );
  return (
    <Card title={title} lead={lead} aside={rows.length > 0 && csv} wide>
      {rows.length === 0 ? (
        <Text>{emptyText}</Text>
      ) : (
        <DataTable
          caption={title}
          minWidth={100 + columns.length * 110}
          maxHeight={320}
          rows={rows}
          getKey={({ cells }) => cells.join()}
          columns={[
            ...columns.map((label, index) => ({
              label,
              cell: ({ cells }: BreakdownProps['rows'][number]) => cells[index],
            })),
            {
              label: countColumn,
              align: 'end',
              width: columns.length > 2 ? '30%' : '40%',
              cell: ({ count }) => <Figure value={count} max={max} />,
            },
          ]}
        />
      )}
    </Card>
  );
}

type FigureProps = {
  value: number;
  /** The highest value of the column, which fills the cell. */
  max: number;
};

/** A number in a cell, and a bar that compares it with the rest of its column. */
export function Figure({ value, max }: FigureProps) {
  const format = useFormatter();
  return (
    <div className="figure">
      <span aria-hidden>
        <span className="figure-bar" style={{ width: `${(value / Math.max(1, max)) * 100}%` }} />
      </span>
      <span>{format.number(value)}</span>
    </div>
  );
}
