import { Button, Group, Paper, Stack, Table, Title } from '@mantine/core';
import { IconChartBar, IconTable } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { useTranslations } from 'use-intl';
import { Loading } from '../../components/loading.tsx';
import type { ChartData } from './chart-data.ts';

/** The library that draws is fetched when there is something to draw. */
const ChartCanvas = lazy(async () => ({ default: (await import('./chart-canvas.tsx')).ChartCanvas }));

/** A chart, and behind a button the same as a table. */
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
