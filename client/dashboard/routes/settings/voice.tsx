import { Loader, Switch, TextInput } from '@mantine/core';
import { useFormatter, useTranslations } from 'use-intl';
import type { TenantSettings } from '../../../sdk/types.ts';
import { trim } from '../../components/form.tsx';
import { ErrorMessage } from '../../components/loading.tsx';
import { Muted } from '../../components/page.tsx';
import { SettingsView } from './settings.tsx';
import { Choice, SettingsForm, WholeNumber } from './settings-form.tsx';
import { UsageMeter, useMonthName, useUsage } from './usage.tsx';
export default function VoiceSettings() {
  const t = useTranslations('settings.voice');
  return (
    <SettingsView tab="voice">
      {(settings) => {
        const { timeZone } = settings.voice;
        const zones = [...new Set([timeZone, ...Intl.supportedValuesOf('timeZone')])];
        return (
          <>
            <SettingsForm
              settings={settings}
              section="voice"
              title="switch"
              lead="lead"
              fields={[
                { name: 'enabled', as: Switch, path: 'voice.enabled' },
                {
                  name: 'cap',
                  as: WholeNumber,
                  path: 'voice.monthlySecondsMax',
                  read: toMinutes,
                  write: (minutes: number | string) => Math.round(Number(minutes) * 60),
                  check: (minutes: number | string) =>
                    (minutes === '' || !(Number(minutes) >= 0)) && t('badCap'),
                  input: { min: 0, allowDecimal: true, decimalScale: 2, maw: 320 },
                  below: <VoiceUsage />,
                },
                {
                  name: 'timeZone',
                  as: Choice,
                  path: 'voice.timeZone',
                  input: { data: zones, searchable: true, limit: 50, maw: 320 },
                },
              ]}
            />
            <ProvidersForm settings={settings} />
          </>
        );
      }}
    </SettingsView>
  );
}

const toMinutes = (seconds: number) => Math.round((seconds / 60) * 100) / 100;

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
      <Muted>{t(isUsedUp ? 'usedUp' : 'until', { date })}</Muted>
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
  const getProviderName = (provider: string) => {
    if (provider === 'auto') return t('auto');
    if (provider === 'mock') return t('mock');
    const name = (provider.split('_')[1]?.[0] ?? provider).toUpperCase();
    return t(provider.endsWith('-batch') ? 'batch' : 'provider', { name });
  };
  return (
    <SettingsForm
      settings={settings}
      section="voice"
      title="providers"
      lead="providersLead"
      fields={[
        ...KINDS.map((name) => ({
          name,
          as: Choice,
          path: `voice.${name}`,
          read: (provider: string | undefined) => provider ?? 'auto',
          input: {
            data: ['auto', ...PROVIDERS[name]].map((value) => ({ value, label: getProviderName(value) })),
            maw: 420,
          },
        })),
        {
          name: 'voiceId',
          as: TextInput,
          path: 'voice.voiceId',
          clean: trim,
          check: (id: string) => !/^[!-~]*$/.test(id) && t('badVoiceId'),
          input: { autoComplete: 'off', spellCheck: false, maw: 420 },
        },
      ]}
    />
  );
}
