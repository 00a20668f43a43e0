import { Paper, Stack, Table, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useFormatter, useLocale, useTranslations } from 'use-intl';
import type { Analytics } from '../../../sdk/types.ts';
import { ColumnHeadings } from '../../components/list.tsx';
import { regionNames } from '../../languages.ts';

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
