import { Button, Group, Paper, Stack, Text } from '@mantine/core';
import { lazy, Suspense, useMemo, useState } from 'react';
import { useFormatter, useTranslations } from 'use-intl';
import type { Analytics } from '../../../sdk/types.ts';
import { CsvButton } from '../../components/download.tsx';
import { Icon } from '../../components/icon.tsx';
import { Loading } from '../../components/loading.tsx';
import { Heading, Muted } from '../../components/page.tsx';
import { DataTable } from '../../components/table.tsx';
import { LISTED } from '../../languages.ts';
import type { ChartData, Series, Tone } from './chart-canvas.tsx';
import { useMetricFormat } from './metrics.ts';

type Period = Analytics['periods'][number];

/** Returns the charts that have data, by name. */
export function useCharts(analytics: Analytics): Partial<Record<ChartName, ChartData>> {
  const t = useTranslations('analytics');
  const format = useFormatter();
  const metricFormat = useMetricFormat();
  // Memoized: a new object would redraw the canvas.
  return useMemo(() => {
    const { periods, by, zone } = analytics;
    const names = periods.map(({ start }) => ({
      start,
      name: format.dateTime(new Date(start), {
        timeZone: zone,
        day: 'numeric',
        month: 'short',
        ...(by === 'hour' && { hour: '2-digit', minute: '2-digit' }),
      }),
    }));
    const charts = Object.entries(createCharts(analytics, t, metricFormat)).map(
      ([name, { lines, ...chart }]) => {
        const series = lines.map(({ read, ...line }) => ({ ...line, values: periods.map(read) }));
        return [name, { ...chart, periods: names, series }] as const;
      },
    );
    return Object.fromEntries(charts.filter(([name, chart]) => name === 'questions' || hasData(chart)));
  }, [analytics, t, format, metricFormat]);
}

type Line = Omit<Series, 'values'> & { read: (period: Period) => number | undefined };
type ChartDefinition = Omit<ChartData, 'periods' | 'series'> & { lines: readonly Line[] };

type ChartName = 'questions' | 'reach' | 'ratings' | 'latency' | 'voice' | 'searches' | 'limited';

const hasData = ({ series }: ChartData) => series.some(({ values }) => values.some(Boolean));

function createCharts(
  { totals }: Analytics,
  t: ReturnType<typeof useTranslations<'analytics'>>,
  { count, millis, seconds, minutes }: ReturnType<typeof useMetricFormat>,
): Record<ChartName, ChartDefinition> {
  const line = (label: string, tone: Tone, read: Line['read'], sum: string): Line => ({
    label,
    tone,
    read,
    sum,
  });
  return {
    questions: {
      title: t('questions'),
      kind: 'bar',
      write: count,
      lines: [
        line(t('answeredSeries'), 'blue', ({ answered }) => answered, count(totals.answered)),
        line(t('unansweredSeries'), 'orange', ({ unanswered }) => unanswered, count(totals.unanswered)),
      ],
    },
    reach: {
      title: t('reach'),
      kind: 'line',
      write: count,
      lines: [
        line(t('visitors'), 'blue', ({ visitors }) => visitors, count(totals.visitors)),
        line(t('conversations'), 'green', ({ conversations }) => conversations, count(totals.conversations)),
      ],
    },
    ratings: {
      title: t('ratings'),
      kind: 'bar',
      write: count,
      lines: [
        line(t('up'), 'green', ({ feedback }) => feedback.up, count(totals.feedback.up)),
        line(t('down'), 'orange', ({ feedback }) => feedback.down, count(totals.feedback.down)),
      ],
    },
    latency: {
      title: t('latency'),
      kind: 'line',
      write: millis,
      lines: [
        line(t('median'), 'blue', ({ latency }) => latency?.p50, millis(totals.latency?.p50)),
        line(t('p90'), 'gray', ({ latency }) => latency?.p90, millis(totals.latency?.p90)),
      ],
    },
    voice: {
      title: t('voice'),
      kind: 'bar',
      write: minutes,
      lines: [line(t('voice'), 'blue', ({ voice }) => voice / 60, seconds(totals.voice))],
    },
    searches: {
      title: t('searches'),
      kind: 'bar',
      write: count,
      lines: [
        line(t('searchesFound'), 'blue', ({ searches }) => searches.found, count(totals.searches.found)),
        line(t('searchesEmpty'), 'orange', ({ searches }) => searches.empty, count(totals.searches.empty)),
      ],
    },
    limited: {
      title: t('limited'),
      kind: 'bar',
      write: count,
      lines: [line(t('limited'), 'orange', ({ limited }) => limited, count(totals.limited))],
    },
  };
}

/** Lazy: Chart.js is large. */
const ChartCanvas = lazy(async () => ({ default: (await import('./chart-canvas.tsx')).ChartCanvas }));

/** A chart that can be switched to a table. */
export function ChartCard({ data, note }: { data: ChartData; note?: string | undefined }) {
  const t = useTranslations('analytics');
  const s = useTranslations('shell');
  const format = useFormatter();
  const [asTable, setAsTable] = useState(false);
  const { title, series, periods } = data;
  const sums = format.list(
    series.map(({ label, sum: value }) => (value ? s('labelled', { label, value }) : label)),
    LISTED,
  );
  return (
    <Paper withBorder p="md" component="section" aria-label={title}>
      <Stack gap="sm">
        <Group justify="space-between" gap="xs">
          <div>
            <Heading>{title}</Heading>
            <Muted aria-hidden={!asTable}>{sums}</Muted>
            {note && <Muted>{note}</Muted>}
          </div>
          <Group gap={4} wrap="nowrap">
            <CsvButton
              title={title}
              columns={[t('when'), ...series.map(({ label }) => label)]}
              rows={periods.map(({ start }, index) => [start, ...series.map(({ values }) => values[index])])}
            />
            <Button
              variant="subtle"
              size="compact-sm"
              mih={32}
              flex="none"
              leftSection={asTable ? <Icon name="chart-bar" /> : <Icon name="table" />}
              onClick={() => setAsTable(!asTable)}
              aria-label={t(asTable ? 'chartOf' : 'tableOf', { title })}
            >
              {t(asTable ? 'asChart' : 'asTable')}
            </Button>
          </Group>
        </Group>
        {asTable ? (
          <ChartTable data={data} />
        ) : !hasData(data) ? (
          <Text c="dimmed">{t('nothingInChart')}</Text>
        ) : (
          <Suspense fallback={<Loading shape="chart" />}>
            <ChartCanvas
              data={data}
              label={t('chartLabel', { title, sums: [sums, ...getPeaks(data, t)].join('. ') })}
            />
          </Suspense>
        )}
      </Stack>
    </Paper>
  );
}

/** Describes the highest value of each series, for the chart's accessible label. */
function getPeaks({ series, periods, write }: ChartData, t: ReturnType<typeof useTranslations<'analytics'>>) {
  return series.flatMap(({ label, values }) => {
    const highest = Math.max(...values.map((value) => value ?? 0));
    const when = periods[values.indexOf(highest)]?.name;
    return highest > 0 && when ? [t('peak', { label, value: write(highest), when })] : [];
  });
}

function ChartTable({ data: { title, periods, series, write } }: { data: ChartData }) {
  const t = useTranslations('analytics');
  const rows = periods.map(({ start, name }, at) => ({ start, name, at }));
  return (
    <DataTable
      caption={title}
      minWidth={260}
      maxHeight={280}
      stickyHeader
      striped
      rows={rows}
      getKey={({ start }) => start}
      columns={[
        { label: t('when'), cell: ({ name }) => name },
        ...series.map(({ label, values }) => ({
          label,
          align: 'end' as const,
          cell: ({ at }: (typeof rows)[number]) => write(values[at]),
        })),
      ]}
    />
  );
}
