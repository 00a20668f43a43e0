import { Group, Paper, SimpleGrid, Stack, Table, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useFormatter, useLocale, useTranslations } from 'use-intl';
import type { Analytics } from '../../../sdk/types.ts';
import { IconArrowDownRight, IconArrowUpRight, IconEqual } from '../../components/icons.tsx';
import { ColumnHeadings } from '../../components/list.tsx';
import { regionNames } from '../../languages.ts';
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

type BreakdownsProps = { readonly analytics: Analytics };

export function FallbackBreakdown({ analytics: { fallbacks, totals } }: BreakdownsProps) {
  const t = useTranslations('analytics');
  const known = (reason: string) => t.has(`reasons.${reason}` as never);
  return (
    <Breakdown
      title={t('fallbacks')}
      lead={t('fallbacksLead', { count: totals.citations })}
      none={t('noFallbacks')}
      columns={[t('reason')]}
      rows={fallbacks.map(({ reason, count }) => ({
        cells: [known(reason) ? t(`reasons.${reason}` as 'reasons.base_language') : reason],
        count,
      }))}
    />
  );
}

export function ConsentBreakdown({ analytics: { consents } }: BreakdownsProps) {
  const t = useTranslations('analytics');
  const region = regionNames(useLocale());
  const mode = (name: string) => (t.has(`modes.${name}` as never) ? t(`modes.${name as 'notice'}`) : name);
  return (
    <Breakdown
      title={t('consents')}
      lead={t('consentsLead')}
      none={t('noConsents')}
      columns={[t('region'), t('mode'), t('decision')]}
      rows={consents.map((row) => ({
        cells: [region(row.region), mode(row.mode), t(`decisions.${row.decision}`)],
        count: row.count,
      }))}
    />
  );
}

export function RateLimitBreakdown({ analytics: { hits } }: BreakdownsProps) {
  const t = useTranslations('analytics');
  return (
    <Breakdown
      title={t('rateLimits')}
      lead={t('rateLimitsLead')}
      none={t('noRateLimits')}
      columns={[t('limit')]}
      rows={hits.map(({ bucket, count }) => ({
        cells: [t.has(`buckets.${bucket}` as never) ? t(`buckets.${bucket}` as 'buckets.voice/cap') : bucket],
        count,
      }))}
    />
  );
}

const OUTCOMES = ['proposed', 'done', 'declined', 'missing', 'failed'] as const;

export function ActionBreakdown({ analytics: { totals } }: BreakdownsProps) {
  const t = useTranslations('analytics');
  return (
    <Breakdown
      title={t('actions')}
      lead={t('actionsLead')}
      none={t('noActions')}
      columns={[t('outcome')]}
      rows={
        totals.actions.proposed + totals.actions.confirmed + totals.actions.declined === 0
          ? []
          : OUTCOMES.map((name) => ({ cells: [t(`outcomes.${name}`)], count: totals.actions[name] }))
      }
    />
  );
}

type BreakdownProps = {
  readonly title: string;
  readonly lead: string;
  /** Shown when there are no rows. */
  readonly none: string;
  readonly columns: readonly string[];
  readonly rows: readonly { readonly cells: readonly string[]; readonly count: number }[];
};

function Breakdown({ title, lead, none, columns, rows }: BreakdownProps): ReactNode {
  const t = useTranslations('analytics');
  const format = useFormatter();
  return (
    <Paper withBorder p="lg" component="section">
      <Stack gap="sm">
        <Stack gap={2}>
          <Title order={2} size="h4">
            {title}
          </Title>
          <Text size="sm" c="dimmed">
            {lead}
          </Text>
        </Stack>
        {rows.length === 0 ? (
          <Text>{none}</Text>
        ) : (
          <Table.ScrollContainer minWidth={120 + columns.length * 110} maxHeight={320}>
            <Table>
              <caption className="unseen">{title}</caption>
              <ColumnHeadings columns={columns}>
                <Table.Th scope="col" ta="end">
                  {t('count')}
                </Table.Th>
              </ColumnHeadings>
              <Table.Tbody>
                {rows.map(({ cells: [first, ...rest], count }) => (
                  <Table.Tr key={[first, ...rest].join()}>
                    <Table.Th scope="row" fw={400}>
                      {first}
                    </Table.Th>
                    {rest.map((cell, index) => (
                      <Table.Td key={columns[index + 1]}>{cell}</Table.Td>
                    ))}
                    <Table.Td ta="end">{format.number(count)}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        )}
      </Stack>
    </Paper>
  );
}
