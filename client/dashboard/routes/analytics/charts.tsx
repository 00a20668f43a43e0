import { SimpleGrid, Stack, Title } from '@mantine/core';
import { useMemo } from 'react';
import { useFormatter, useTranslations } from 'use-intl';
import type { Analytics } from '../../../sdk/types.ts';
import { ChartCard } from './chart-card.tsx';
import type { ChartData, Series, Tone } from './chart-data.ts';
import { useWriting } from './measures.ts';

type Period = Analytics['periods'][number];

/** How it went, day by day or hour by hour. */
export function Charts({ analytics }: { readonly analytics: Analytics }) {
  const t = useTranslations('analytics');
  return (
    <Stack component="section" gap="sm">
      <Title order={2} size="h4">
        {t(analytics.by === 'day' ? 'dayByDay' : 'hourByHour')}
      </Title>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        {useCharts(analytics).map((data) => (
          <ChartCard key={data.title} data={data} />
        ))}
      </SimpleGrid>
    </Stack>
  );
}

/** Voice and limits are drawn where there was any. */
function useCharts({ periods, by, zone, totals }: Analytics): readonly ChartData[] {
  const t = useTranslations('analytics');
  const format = useFormatter();
  const writing = useWriting();
  // A chart is drawn anew when its data are others, and only then.
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
    const { count, millis, seconds, minutes } = writing;
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
        series(t('answeredOnes'), 'blue', (each) => each.answered, count(totals.answered)),
        series(t('unansweredOnes'), 'orange', (each) => each.unanswered, count(totals.unanswered)),
      ),
      chart(
        t('people'),
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
        series(t('half'), 'blue', (each) => each.latency?.p50, millis(totals.latency?.p50)),
        series(t('ninety'), 'gray', (each) => each.latency?.p90, millis(totals.latency?.p90)),
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
  }, [periods, by, zone, totals, t, format, writing]);
}
