import { Loader, NumberInput, Select, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useFormatter, useTranslations } from 'use-intl';
import type { TenantSettings } from '../../../sdk/types.ts';
import { ErrorMessage } from '../../components/page.tsx';
import { useWorkspace } from '../../session.ts';
import { SettingsView } from './settings.tsx';
import { SettingsCard, useSettingsForm } from './settings-form.tsx';
import { UsageMeter, useMonthName, useUsage } from './usage.tsx';

export function VoiceSettings() {
  const t = useTranslations('settings');
  return (
    <SettingsView title={t('tabs.voice')}>
      {(settings) => (
        <Stack>
          <VoiceForm settings={settings} />
          <ProvidersForm settings={settings} />
        </Stack>
      )}
    </SettingsView>
  );
}

const toMinutes = (seconds: number) => Math.round((seconds / 60) * 100) / 100;

function useVoiceForm(settings: TenantSettings) {
  const t = useTranslations('settings.voice');
  return useSettingsForm<{
    enabled: boolean;
    minutes: number | string;
    timeZone: string;
  }>({
    settings,
    toValues: ({ voice: { enabled, monthlySecondsMax, timeZone } }) => ({
      enabled,
      minutes: toMinutes(monthlySecondsMax),
      timeZone,
    }),
    toChange: ({ minutes, ...voice }) => ({
      voice: {
        ...voice,
        ...(minutes !== undefined && { monthlySecondsMax: Math.round(Number(minutes) * 60) }),
      },
    }),
    fieldPaths: {
      'voice.enabled': 'enabled',
      'voice.monthlySecondsMax': 'minutes',
      'voice.timeZone': 'timeZone',
    },
    validate: ({ minutes }): Record<string, string> =>
      minutes === '' || !(Number(minutes) >= 0) ? { minutes: t('badCap') } : {},
  });
}

function VoiceForm({ settings }: { settings: TenantSettings }) {
  const t = useTranslations('settings.voice');
  const { canEdit } = useWorkspace();
  const card = useVoiceForm(settings);
  const { timeZone } = settings.voice;
  const zones = Intl.supportedValuesOf('timeZone');
  return (
    <SettingsCard title={t('switch')} lead={t('lead')} form={card}>
      <Switch
        label={t('enabled')}
        disabled={!canEdit}
        {...card.form.getInputProps('enabled', { type: 'checkbox' })}
      />
      <NumberInput
        label={t('cap')}
        description={t('capHint')}
        min={0}
        decimalScale={2}
        allowNegative={false}
        thousandSeparator
        hideControls
        readOnly={!canEdit}
        maw={320}
        {...card.form.getInputProps('minutes')}
      />
      <VoiceUsage />
      <Select
        label={t('timeZone')}
        description={t('timeZoneHint')}
        searchable
        allowDeselect={false}
        limit={50}
        readOnly={!canEdit}
        data={zones.includes(timeZone) ? zones : [timeZone, ...zones]}
        maw={320}
        {...card.form.getInputProps('timeZone')}
      />
    </SettingsCard>
  );
}

function VoiceUsage() {
  const t = useTranslations('settings.voice');
  const format = useFormatter();
  const month = useMonthName();
  const usage = useUsage();
  if (usage.isPending) return <Loader type="dots" aria-hidden />;
  if (usage.isError) return <ErrorMessage error={usage.error} retry={usage.refetch} />;
  const { usedSeconds, monthlySecondsMax, period, endsAt } = usage.data.voice;
  const isUsedUp = monthlySecondsMax > 0 && usedSeconds >= monthlySecondsMax;
  const date = format.dateTime(new Date(endsAt), { dateStyle: 'long' });
  return (
    <UsageMeter
      label={t('used')}
      share={monthlySecondsMax > 0 ? usedSeconds / monthlySecondsMax : 1}
      words={t('usedOf', {
        used: toMinutes(usedSeconds),
        max: toMinutes(monthlySecondsMax),
        month: month(period),
      })}
    >
      <Text size="sm" c="dimmed">
        {t(isUsedUp ? 'usedUp' : 'until', { date })}
      </Text>
    </UsageMeter>
  );
}

const PROVIDERS = {
  tokenProvider: ['provider_a', 'provider_b', 'provider_b-batch', 'mock'],
  transcribeProvider: ['provider_a', 'provider_b'],
  speechProvider: ['provider_a', 'provider_b', 'provider_c', 'mock'],
} as const;
const KINDS = ['tokenProvider', 'transcribeProvider', 'speechProvider'] as const;

function ProvidersForm({ settings }: { settings: TenantSettings }) {
  const t = useTranslations('settings.voice');
  const { canEdit } = useWorkspace();
  const card = useSettingsForm({
    settings,
    toValues: ({ voice }) => ({
      tokenProvider: voice.tokenProvider ?? ('auto' as const),
      transcribeProvider: voice.transcribeProvider ?? ('auto' as const),
      speechProvider: voice.speechProvider ?? ('auto' as const),
      voiceId: voice.voiceId ?? '',
    }),
    toChange: ({ voiceId, ...providers }) => ({
      voice: { ...providers, ...(voiceId !== undefined && { voiceId: voiceId || null }) },
    }),
    fieldPaths: Object.fromEntries([...KINDS, 'voiceId'].map((name) => [`voice.${name}`, name])),
    normalize: (values) => ({ ...values, voiceId: values.voiceId.trim() }),
    validate: ({ voiceId }): Record<string, string> =>
      /^[!-~]*$/.test(voiceId) ? {} : { voiceId: t('badVoiceId') },
  });
  const getProviderName = (provider: string) => {
    if (provider === 'auto') return t('auto');
    if (provider === 'mock') return t('mock');
    const name = (provider.split('_')[1]?.[0] ?? provider).toUpperCase();
    return t(provider.endsWith('-batch') ? 'batch' : 'provider', { name });
  };
  return (
    <SettingsCard title={t('providers')} lead={t('providersLead')} form={card}>
      {KINDS.map((kind) => (
        <Select
          key={kind}
          label={t(kind)}
          allowDeselect={false}
          readOnly={!canEdit}
          data={['auto', ...PROVIDERS[kind]].map((value) => ({ value, label: getProviderName(value) }))}
          maw={420}
          {...card.form.getInputProps(kind)}
        />
      ))}
      <TextInput
        label={t('voiceId')}
        description={t('voiceIdHint')}
        autoComplete="off"
        spellCheck={false}
        readOnly={!canEdit}
        maw={420}
        {...card.form.getInputProps('voiceId')}
      />
    </SettingsCard>
  );
}
