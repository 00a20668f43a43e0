import { Group, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { IconArrowDownRight, IconArrowUpRight, IconEqual } from '../../components/icons.tsx';
import { getAnsweredRatio, getHelpfulRatio, type Totals as Metrics, useMetricFormat } from './metrics.ts';

type Metric = {
  readonly label: string;
  readonly value: number | undefined;
  readonly earlier: number | undefined;
  readonly write: (value: number | undefined) => string;
  /** Whether an increase is good or bad; neutral by default. */
  readonly more?: 'better' | 'worse';
  /** Ratios change by percentage points. */
  readonly isShare?: boolean;
  readonly aside?: string;
};

export function Totals({ now, before }: { readonly now: Metrics; readonly before: Metrics }) {
  const t = useTranslations('analytics');
  const { count, share, millis, seconds } = useMetricFormat();
  const ratings = now.feedback.up + now.feedback.down;
  const metrics: Metric[] = [
    { label: t('questions'), value: now.turns, earlier: before.turns, write: count },
    {
      label: t('answered'),
      value: getAnsweredRatio(now),
      earlier: getAnsweredRatio(before),
      write: share,
      more: 'better',
      isShare: true,
      aside: t('withoutAnswer', { count: now.unanswered }),
    },
    {
      label: t('helpful'),
      value: getHelpfulRatio(now),
      earlier: getHelpfulRatio(before),
      write: share,
      more: 'better',
      isShare: true,
      aside: t('ofRatings', { count: ratings }),
    },
    {
      label: t('latency'),
      value: now.latency?.p50,
      earlier: before.latency?.p50,
      write: millis,
      more: 'worse',
      ...(now.latency && { aside: t('p90Value', { time: millis(now.latency.p90) }) }),
    },
    { label: t('visitors'), value: now.visitors, earlier: before.visitors, write: count },
    { label: t('conversations'), value: now.conversations, earlier: before.conversations, write: count },
    { label: t('boots'), value: now.boots, earlier: before.boots, write: count },
    { label: t('citations'), value: now.citations, earlier: before.citations, write: count },
    { label: t('voice'), value: now.voice, earlier: before.voice, write: seconds },
    { label: t('limited'), value: now.limited, earlier: before.limited, write: count, more: 'worse' },
  ];
  return (
    <Stack component="section" gap="sm">
      <Title order={2} size="h4">
        {t('totals')}
      </Title>
      <SimpleGrid cols={{ base: 2, lg: 5 }} spacing={{ base: 'xs', xs: 'md' }} component="dl" m={0}>
        {metrics.map((figure) => (
          <Card key={figure.label} {...figure} />
        ))}
      </SimpleGrid>
    </Stack>
  );
}

function Card(figure: Metric) {
  const { label, value, write, aside } = figure;
  return (
    <Paper withBorder p="md">
      <Text component="dt" size="sm" c="dimmed">
        {label}
      </Text>
      <Text component="dd" m={0} fz={26} fw={700} lh={1.3}>
        {write(value)}
      </Text>
      <Text component="dd" m={0} size="sm">
        <Difference {...figure} />
      </Text>
      {aside && (
        <Text component="dd" m={0} size="xs" c="dimmed">
          {aside}
        </Text>
      )}
    </Paper>
  );
}

/** The change since the previous period, colored where it is good or bad. */
function Difference({ value, earlier, write, more, isShare }: Metric) {
  const t = useTranslations('analytics');
  const { change, points } = useMetricFormat();
  if (value === undefined || earlier === undefined || (earlier === 0 && !isShare)) {
    return (
      <Text span c="dimmed" size="sm">
        {t('previous', { value: write(earlier) })}
      </Text>
    );
  }
  const by = isShare ? value - earlier : value / earlier - 1;
  const Icon = by > 0 ? IconArrowUpRight : by < 0 ? IconArrowDownRight : IconEqual;
  const isGood = more && by !== 0 ? by > 0 === (more === 'better') : undefined;
  const color = isGood === undefined ? 'gray' : isGood ? 'green' : 'orange';
  return (
    <Group component="span" gap={4}>
      <span className={`status status-${color}`}>
        <Icon size={16} aria-hidden />
        <span className="nowrap">{isShare ? t('points', { value: points(by) }) : change(by)}</span>
      </span>
      <Text span c="dimmed" size="xs" className="nowrap">
        {t('previous', { value: write(earlier) })}
      </Text>
    </Group>
  );
}
