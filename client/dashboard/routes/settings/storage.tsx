import { Group, Loader, Stack, Table, Text } from '@mantine/core';
import { useFormatter, useTranslations } from 'use-intl';
import type { TenantSettings } from '../../../sdk/types.ts';
import { CsvButton } from '../../components/csv.tsx';
import { Card, ErrorMessage } from '../../components/page.tsx';
import { RegionTable } from '../../components/region-table.tsx';
import { useWorkspace } from '../../session.ts';
import { SettingsView } from './settings.tsx';
import { SettingsCard, useSettingsForm, WholeNumberInput } from './settings-form.tsx';
import { StorageWarning, UsageMeter, useUsage } from './usage.tsx';

export function StorageSettings() {
  const t = useTranslations('settings');
  return (
    <SettingsView title={t('tabs.storage')}>
      {(settings) => (
        <Stack>
          <StorageWarning />
          <StoredData />
          <RetentionForm settings={settings} />
        </Stack>
      )}
    </SettingsView>
  );
}

const KINDS = ['conversationDays', 'eventDays'] as const;

function RetentionForm({ settings }: { settings: TenantSettings }) {
  const t = useTranslations('settings.storage');
  const { canEdit } = useWorkspace();
  const card = useSettingsForm<Record<(typeof KINDS)[number], number | string>>({
    settings,
    toValues: ({ retention }) => ({ ...retention }),
    toChange: (changed) => ({
      retention: Object.fromEntries(Object.entries(changed).map(([name, days]) => [name, Number(days)])),
    }),
    fieldPaths: Object.fromEntries(KINDS.map((name) => [`retention.${name}`, name])),
    validate: (values) =>
      Object.fromEntries(
        KINDS.filter((name) => !Number.isInteger(Number(values[name])) || Number(values[name]) < 1).map(
          (name) => [name, t('badDays')],
        ),
      ),
  });
  return (
    <SettingsCard title={t('retention')} lead={t('retentionLead')} form={card}>
      {KINDS.map((name) => (
        <WholeNumberInput
          key={name}
          label={t(name)}
          description={t(`${name}Hint`)}
          readOnly={!canEdit}
          {...card.form.getInputProps(name)}
        />
      ))}
    </SettingsCard>
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
          <RegionTable
            caption={t('byKind')}
            minWidth={480}
            columns={[t('kind'), t('rows'), t('size'), t('oldest')]}
          >
            {storage.kinds.map(({ kind, rows, bytes, oldestAt }) => (
              <Table.Tr key={kind}>
                <Table.Th scope="row" fw={400}>
                  {t(`kinds.${kind}`)}
                </Table.Th>
                <Table.Td>{format.number(rows)}</Table.Td>
                <Table.Td>{formatBytes(bytes)}</Table.Td>
                <Table.Td>
                  {oldestAt && format.dateTime(new Date(oldestAt), { dateStyle: 'medium' })}
                </Table.Td>
              </Table.Tr>
            ))}
          </RegionTable>
        </>
      )}
    </Card>
  );
}
