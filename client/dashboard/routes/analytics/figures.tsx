import { Group, Paper, SimpleGrid, Text } from '@mantine/core';
import { useTranslations } from 'use-intl';
import type { Analytics } from '../../../sdk/types.ts';
import { CsvButton } from '../../components/download.tsx';
import { Icon } from '../../components/icon.tsx';
import { Card, Muted, Note } from '../../components/page.tsx';
import { DataTable } from '../../components/table.tsx';
import {
  getAnsweredShare,
  getDeflectionShare,
  getHelpfulShare,
  getResolutionShare,
  type Totals as Metrics,
  NO_VALUE,
  PERCENT_OF_MIN,
  type Share,
  sumRatings,
  useMetricFormat,
} from './metrics.ts';
import { Sparkline } from './sparkline.tsx';

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
  /** The value in one day or hour, of a key figure. */
  trend?: (period: Metrics) => number | undefined;
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

type Analyzed = Pick<Analytics, 'totals' | 'previous'>;

/** The three figures that say how the guide is doing, each with its trend. */
export function KeyFigures({ totals, previous, periods }: Analyzed & Pick<Analytics, 'periods'>) {
  const figures = useMetrics(totals, previous).filter(({ trend }) => trend);
  return (
    <SimpleGrid cols={{ base: 1, xs: 3 }} spacing={{ base: 'xs', xs: 'md' }} component="dl" m={0}>
      {figures.map((metric) => (
        <KeyFigure key={metric.label} metric={metric} periods={periods} />
      ))}
    </SimpleGrid>
  );
}

function KeyFigure({ metric, periods }: { metric: Metric } & Pick<Analytics, 'periods'>) {
  const { label, now, aside, trend } = metric;
  return (
    <Paper withBorder p="md">
      <Muted component="dt">{label}</Muted>
      <Group component="dd" m={0} justify="space-between" align="center" wrap="nowrap" gap="xs">
        <Text component="span" fz={28} fw={700} lh={1.3}>
          {now}
        </Text>
        {trend && <Sparkline values={periods.map(trend)} />}
      </Group>
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

/** Every figure of the period beside that of the period before. */
export function AllFigures({ totals, previous }: Analyzed) {
  const t = useTranslations('analytics');
  const metrics = useMetrics(totals, previous);
  const csv = (
    <CsvButton
      title={t('totals')}
      columns={[t('metric'), t('period'), t('previousPeriod')]}
      rows={metrics.map(({ label, csvValues }) => [label, ...csvValues])}
    />
  );
  return (
    <Card title={t('totals')} aside={csv} wide>
      <DataTable
        caption={t('totals')}
        minWidth={420}
        rows={metrics}
        getKey={({ label }) => label}
        columns={[
          {
            label: t('metric'),
            cell: ({ label, aside }) => (
              <>
                {label}
                {aside && <Note>{aside}</Note>}
              </>
            ),
          },
          { label: t('period'), align: 'end', cell: ({ now }) => now },
          { label: t('previousPeriod'), align: 'end', cell: ({ before }) => before },
        ]}
      />
    </Card>
  );
}

function useMetrics(now: Metrics, before: Metrics): readonly Metric[] {
  const t = useTranslations('analytics');
  const format = useMetricFormat();
  const { count, share, millis, seconds, points } = format;
  const { up, down } = sumRatings(now);
  const ratings = up + down;
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
  const ratio = (
    label: string,
    read: (totals: Metrics) => Share | undefined,
    aside: string,
    more: Partial<Metric> = {},
  ): Metric => ({
    label,
    now: share(read(now)),
    before: share(read(before)),
    csvValues: [toRatio(read(now)), toRatio(read(before))],
    change: compareShares(read(now), read(before), (by) => t('points', { value: points(by) })),
    more: 'better',
    aside,
    ...more,
  });
  const ofShare = (read: (totals: Metrics) => Share | undefined) => (period: Metrics) =>
    toRatio(read(period));
  return [
    amount(t('questions'), ({ turns }) => turns, count, { trend: ({ turns }) => turns }),
    ratio(t('answered'), getAnsweredShare, t('withoutAnswer', { count: now.unanswered }), {
      trend: ofShare(getAnsweredShare),
    }),
    ratio(t('resolution'), getResolutionShare, t('resolutionHint')),
    ratio(t('deflection'), getDeflectionShare, t('ofConversations', { count: now.deflection.conversations })),
    ratio(t('helpful'), getHelpfulShare, t('ofRatings', { count: ratings }), {
      trend: ofShare(getHelpfulShare),
    }),
    amount(t('latency'), ({ latency }) => latency?.p50, millis, {
      more: 'worse',
      ...(now.latency && { aside: t('p90Value', { time: millis(now.latency.p90) }) }),
    }),
    amount(t('visitors'), ({ visitors }) => visitors, count, { aside: t('visitorsHint') }),
    amount(t('conversations'), ({ conversations }) => conversations, count, {
      aside: t('conversationsHint'),
    }),
    amount(t('boots'), ({ boots }) => boots),
    amount(t('citations'), ({ citations }) => citations),
    ...(now.voice + before.voice > 0 ? [amount(t('voice'), ({ voice }) => voice, seconds)] : []),
    ...(now.limited + before.limited > 0
      ? [amount(t('limited'), ({ limited }) => limited, count, { more: 'worse' })]
      : []),
  ];
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
