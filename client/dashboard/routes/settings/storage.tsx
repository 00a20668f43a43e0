import { Group, Loader, Switch, Text } from '@mantine/core';
import { useFormatter, useTranslations } from 'use-intl';
import { CsvButton } from '../../components/download.tsx';
import { ErrorMessage } from '../../components/loading.tsx';
import { Card } from '../../components/page.tsx';
import { DataTable } from '../../components/table.tsx';
import { SettingsView } from './settings.tsx';
import { SettingsForm, WholeNumber } from './settings-form.tsx';
import { StorageWarning, UsageMeter, useUsage } from './usage.tsx';
export default function StorageSettings() {
  const t = useTranslations('settings.storage');
  const days = {
    as: WholeNumber,
    write: Number,
    check: (typed: number | string) =>
      !(Number.isInteger(Number(typed)) && Number(typed) >= 1) && t('badDays'),
  } as const;
  return (
    <SettingsView tab="storage">
      {(settings) => (
        <>
          <StorageWarning />
          <StoredData />
          <SettingsForm
            settings={settings}
            section="storage"
            title="retention"
            lead="retentionLead"
            fields={[
              { ...days, name: 'conversationDays', path: 'retention.conversationDays' },
              { ...days, name: 'eventDays', path: 'retention.eventDays' },
              { name: 'anonymousQuestions', as: Switch, path: 'retention.anonymousQuestions' },
            ]}
          />
        </>
      )}
    </SettingsView>
  );
}

const BYTE_UNITS = [
  ['gigabyte', 1e9],
  ['megabyte', 1e6],
  ['kilobyte', 1e3],
] as const;

function StoredData() {
  const t = useTranslations('settings.storage');
  const format = useFormatter();
  const usage = useUsage();
  const formatBytes = (bytes: number) => {
    const [unit, size] = BYTE_UNITS.find(([, least]) => bytes >= least) ?? ['byte', 1];
    return format.number(bytes / size, { style: 'unit', unit, maximumFractionDigits: 1 });
  };
  const storage = usage.data?.storage;
  return (
    <Card title={t('stored')} lead={t('storedLead')}>
      {usage.isPending && <Loader type="dots" aria-hidden />}
      {usage.isError && <ErrorMessage error={usage.error} retry={usage.refetch} />}
      {usage.data && !storage && <Text size="sm">{t('notMeasured')}</Text>}
      {storage && (
        <>
          <UsageMeter
            label={t('used')}
            share={storage.usedBytes / storage.bytesMax}
            words={t('usedOf', { used: formatBytes(storage.usedBytes), max: formatBytes(storage.bytesMax) })}
          />
          <Group justify="flex-end">
            <CsvButton
              title={t('byKind')}
              columns={[t('kind'), t('rows'), `${t('size')} (B)`, t('oldest')]}
              rows={storage.kinds.map(({ kind, rows, bytes, oldestAt }) => [
                t(`kinds.${kind}`),
                rows,
                bytes,
                oldestAt,
              ])}
            />
          </Group>
          <DataTable
            caption={t('byKind')}
            isRegion
            minWidth={480}
            rows={storage.kinds}
            getKey={({ kind }) => kind}
            columns={[
              { label: t('kind'), cell: ({ kind }) => t(`kinds.${kind}`) },
              { label: t('rows'), cell: ({ rows }) => format.number(rows) },
              { label: t('size'), cell: ({ bytes }) => formatBytes(bytes) },
              {
                label: t('oldest'),
                cell: ({ oldestAt }) =>
                  oldestAt && format.dateTime(new Date(oldestAt), { dateStyle: 'medium' }),
              },
            ]}
          />
        </>
      )}
    </Card>
  );
}
