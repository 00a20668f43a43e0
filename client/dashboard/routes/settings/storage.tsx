import { NumberInput, Stack } from '@mantine/core';
import { useTranslations } from 'use-intl';
import type { TenantSettings } from '../../../sdk/types.ts';
import { useWorkspace } from '../../session.ts';
import { SettingsView } from './settings.tsx';
import { SettingsCard, useSettingsForm } from './settings-form.tsx';

export function StorageSettings() {
  const t = useTranslations('settings');
  return (
    <SettingsView title={t('tabs.storage')}>
      {(settings) => (
        <Stack>
          <RetentionForm settings={settings} />
        </Stack>
      )}
    </SettingsView>
  );
}

const KINDS = ['conversationDays', 'eventDays'] as const;

function RetentionForm({ settings }: { readonly settings: TenantSettings }) {
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
        <NumberInput
          key={name}
          label={t(name)}
          description={t(`${name}Hint`)}
          allowDecimal={false}
          allowNegative={false}
          thousandSeparator
          hideControls
          readOnly={!canEdit}
          maw={420}
          {...card.form.getInputProps(name)}
        />
      ))}
    </SettingsCard>
  );
}
