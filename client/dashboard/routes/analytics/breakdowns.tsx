import { Group, Paper, SimpleGrid, Stack, Table, Text } from '@mantine/core';
import { IconArrowDownRight, IconArrowUpRight, IconEqual } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useLocale, useTranslations } from 'use-intl';
import type { Analytics } from '../../../sdk/types.ts';
import { CsvButton } from '../../components/csv.tsx';
import { asCardsWhenNarrow, ColumnHeadings } from '../../components/region-table.tsx';
import { Heading, Muted, Note } from '../../components/text.ts';
import { languageNames, regionNames } from '../../languages.ts';
import { useCoverage } from '../../session.ts';
import { FigureCell } from './figure-cell.tsx';
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
          <Card key={metric.label} {...metric} />
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
    amount(t('visitors'), ({ visitors }) => visitors),
    amount(t('conversations'), ({ conversations }) => conversations),
    amount(t('boots'), ({ boots }) => boots),
    amount(t('citations'), ({ citations }) => citations),
    ...(now.voice + before.voice > 0 ? [amount(t('voice'), ({ voice }) => voice, seconds)] : []),
    ...(now.limited + before.limited > 0
      ? [amount(t('limited'), ({ limited }) => limited, count, { more: 'worse' })]
      : []),
  ];
}

function Card(metric: Metric) {
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
  const Icon = by > 0 ? IconArrowUpRight : by < 0 ? IconArrowDownRight : IconEqual;
  const isGood = more && by !== 0 ? by > 0 === (more === 'better') : undefined;
  const color = isGood === undefined ? 'gray' : isGood ? 'green' : 'orange';
  return (
    <Group component="span" gap={4}>
      <span className={`status status-${color}`}>
        <Icon size={16} aria-hidden />
        <span className="nowrap">{text}</span>
      </span>
      <Text span c="dimmed" size="xs" className="nowrap">
        {previous}
      </Text>
    </Group>
  );
}

type BreakdownsProps = { analytics: Analytics };

/** Questions and answers by page. */
export function PageBreakdown({ analytics: { pages } }: BreakdownsProps) {
  const t = useTranslations('analytics');
  const { share } = useMetricFormat();
  return (
    <Breakdown
      title={t('pages')}
      lead={t('pagesLead')}
      emptyText={t('noQuestions')}
      columns={[t('page'), t('answered')]}
      countHeading={t('questions')}
      rows={pages.map(({ path, turns, answered }) => ({
        cells: [path, share({ part: answered, whole: turns })],
        csvValues: [path, answered],
        count: turns,
      }))}
    />
  );
}

/** Languages that visitors ask for, and whether anything is published in them. */
export function LanguageBreakdown({ analytics: { languages } }: BreakdownsProps) {
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
  const answeredIn = (locale: string, native: number, answered: number) =>
    isMissing(locale) ? t('missing') : share({ part: native, whole: answered });
  return (
    <Breakdown
      title={t('languages')}
      lead={t('languagesLead')}
      emptyText={t('noQuestions')}
      columns={[t('language'), t('answered'), t('native')]}
      countHeading={t('questions')}
      rows={languages.map(({ locale, turns, answered, native }) => ({
        cells: [
          name(locale),
          share({ part: answered, whole: turns }),
          answered === 0 && !isMissing(locale) ? '–' : answeredIn(locale, native, answered),
        ],
        csvValues: [locale, answered, native],
        count: turns,
      }))}
    />
  );
}

const toLanguage = (locale: string) => locale.split('-', 1)[0];

export function FallbackBreakdown({ analytics: { fallbacks, totals } }: BreakdownsProps) {
  const t = useTranslations('analytics');
  const isKnown = (reason: string) => t.has(`reasons.${reason}` as never);
  return (
    <Breakdown
      title={t('fallbacks')}
      lead={t('fallbacksLead', { count: totals.citations })}
      emptyText={t('noFallbacks')}
      columns={[t('reason')]}
      rows={fallbacks.map(({ reason, count }) => ({
        cells: [isKnown(reason) ? t(`reasons.${reason}` as 'reasons.base_language') : reason],
        count,
      }))}
    />
  );
}

/** Why visitors found answers unhelpful. */
export function RatingReasons({ analytics: { reasons } }: BreakdownsProps) {
  const t = useTranslations();
  return (
    <Breakdown
      title={t('analytics.ratingReasons')}
      lead={t('analytics.ratingReasonsLead')}
      emptyText={t('analytics.noRatingReasons')}
      columns={[t('analytics.ratingReason')]}
      rows={reasons.map(({ reason, count }) => ({
        cells: [t(`conversations.reasons.${reason}`)],
        csvValues: [reason],
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
      emptyText={t('noConsents')}
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
      emptyText={t('noRateLimits')}
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
      emptyText={t('noActions')}
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

function Breakdown({ title, lead, emptyText, columns, rows, countHeading }: BreakdownProps): ReactNode {
  const t = useTranslations('analytics');
  const countColumn = countHeading ?? t('count');
  const max = Math.max(...rows.map(({ count }) => count));
  return (
    <Paper withBorder p="lg" component="section">
      <Stack gap="sm">
        <Stack gap={2}>
          <Group justify="space-between" gap="xs">
            <Heading>{title}</Heading>
            {rows.length > 0 && (
              <CsvButton
                title={title}
                columns={[...columns, countColumn]}
                rows={rows.map(({ cells, csvValues = cells, count }) => [...csvValues, count])}
              />
            )}
          </Group>
          <Muted>{lead}</Muted>
        </Stack>
        {rows.length === 0 ? (
          <Text>{emptyText}</Text>
        ) : (
          <Table.ScrollContainer minWidth={100 + columns.length * 110} maxHeight={320}>
            <Table {...asCardsWhenNarrow([...columns, countColumn])}>
              <caption className="unseen">{title}</caption>
              <ColumnHeadings columns={columns}>
                <Table.Th scope="col" ta="end" w={columns.length > 2 ? '30%' : '40%'}>
                  {countColumn}
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
                    <FigureCell value={count} max={max} />
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
