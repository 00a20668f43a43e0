import { Button, Group, Paper, SimpleGrid, Stack, Table, Title } from '@mantine/core';
import { IconChartBar, IconTable } from '@tabler/icons-react';
import { lazy, Suspense, useMemo, useState } from 'react';
import { useFormatter, useTranslations } from 'use-intl';
import type { Analytics } from '../../../sdk/types.ts';
import { Loading } from '../../components/loading.tsx';
import type { ChartData, Series, Tone } from './chart-canvas.tsx';
import { useMetricFormat } from './metrics.ts';

type Period = Analytics['periods'][number];

export function Charts({ analytics }: { readonly analytics: Analytics }) {
  const t = useTranslations('analytics');
  return (
    <Stack component="section" gap="sm">
      <Title order={2} size="h4">
        {t(analytics.by === 'day' ? 'byDayTitle' : 'byHourTitle')}
      </Title>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        {useCharts(analytics).map((data) => (
          <ChartCard key={data.title} data={data} />
        ))}
      </SimpleGrid>
    </Stack>
  );
}

/** Voice and rate limits appear only where there is data. */
function useCharts({ periods, by, zone, totals }: Analytics): readonly ChartData[] {
  const t = useTranslations('analytics');
  const format = useFormatter();
  const metricFormat = useMetricFormat();
  // Memoized: a new object would redraw the canvas.
  return useMemo(() => {
    const names = periods.map(({ start }) => ({
      start,
      name: format.dateTime(new Date(start), {
        timeZone: zone,
        day: 'numeric',
        month: 'short',
        ...(by === 'hour' && { hour: '2-digit', minute: '2-digit' }),
      }),
    }));
    const series = (
      label: string,
      tone: Tone,
      read: (period: Period) => number | undefined,
      sum?: string,
    ): Series => ({ label, tone, values: periods.map(read), ...(sum !== undefined && { sum }) });
    const { count, millis, seconds, minutes } = metricFormat;
    const chart = (
      title: string,
      kind: ChartData['kind'],
      write: ChartData['write'],
      ...lines: Series[]
    ): ChartData => ({ title, kind, periods: names, series: lines, write });
    return [
      chart(
        t('questions'),
        'bar',
        count,
        series(t('answeredSeries'), 'blue', (each) => each.answered, count(totals.answered)),
        series(t('unansweredSeries'), 'orange', (each) => each.unanswered, count(totals.unanswered)),
      ),
      chart(
        t('reach'),
        'line',
        count,
        series(t('visitors'), 'blue', (each) => each.visitors, count(totals.visitors)),
        series(t('conversations'), 'green', (each) => each.conversations, count(totals.conversations)),
      ),
      chart(
        t('ratings'),
        'bar',
        count,
        series(t('up'), 'green', (each) => each.feedback.up, count(totals.feedback.up)),
        series(t('down'), 'orange', (each) => each.feedback.down, count(totals.feedback.down)),
      ),
      chart(
        t('latency'),
        'line',
        millis,
        series(t('median'), 'blue', (each) => each.latency?.p50, millis(totals.latency?.p50)),
        series(t('p90'), 'gray', (each) => each.latency?.p90, millis(totals.latency?.p90)),
      ),
      ...(totals.voice > 0
        ? [
            chart(
              t('voice'),
              'bar',
              minutes,
              series(t('voice'), 'blue', (each) => each.voice / 60, seconds(totals.voice)),
            ),
          ]
        : []),
      ...(totals.limited > 0
        ? [
            chart(
              t('limited'),
              'bar',
              count,
              series(t('limited'), 'orange', (each) => each.limited, count(totals.limited)),
            ),
          ]
        : []),
    ];
  }, [periods, by, zone, totals, t, format, metricFormat]);
}

/** Lazy: Chart.js is large. */
const ChartCanvas = lazy(async () => ({ default: (await import('./chart-canvas.tsx')).ChartCanvas }));

/** A chart that can be switched to a table. */
export function ChartCard({ data }: { readonly data: ChartData }) {
  const t = useTranslations('analytics');
  const [asTable, setAsTable] = useState(false);
  const { title, series } = data;
  const sums = series.map(({ label, sum }) => (sum ? `${label}: ${sum}` : label)).join(', ');
  return (
    <Paper withBorder p="md" component="section" aria-label={title}>
      <Stack gap="sm">
        <Group justify="space-between" wrap="nowrap">
          <Title order={3} size="h5">
            {title}
          </Title>
          <Button
            variant="subtle"
            size="compact-sm"
            mih={32}
            flex="none"
            leftSection={
              asTable ? <IconChartBar size={16} aria-hidden /> : <IconTable size={16} aria-hidden />
            }
            onClick={() => setAsTable(!asTable)}
            aria-label={t(asTable ? 'chartOf' : 'tableOf', { title })}
          >
            {t(asTable ? 'asChart' : 'asTable')}
          </Button>
        </Group>
        {asTable ? (
          <ChartTable data={data} />
        ) : (
          <Suspense fallback={<Loading />}>
            <ChartCanvas data={data} label={t('chartLabel', { title, sums })} />
          </Suspense>
        )}
      </Stack>
    </Paper>
  );
}

function ChartTable({ data: { title, periods, series, write } }: { readonly data: ChartData }) {
  const t = useTranslations('analytics');
  return (
    <Table.ScrollContainer minWidth={260} maxHeight={280}>
      <Table stickyHeader striped>
        <caption className="unseen">{title}</caption>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{t('when')}</Table.Th>
            {series.map(({ label }) => (
              <Table.Th key={label} scope="col" ta="end">
                {label}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {periods.map(({ start, name }, index) => (
            <Table.Tr key={start}>
              <Table.Th scope="row" fw={400}>
                {name}
              </Table.Th>
              {series.map(({ label, values }) => (
                <Table.Td key={label} ta="end">
                  {write(values[index])}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
