import { Radio, SimpleGrid, Stack, Switch, TextInput } from '@mantine/core';
import { useTranslations } from 'use-intl';
import type { TenantSettings } from '../../../sdk/types.ts';
import { useWorkspace } from '../../session.ts';
import { ColorField } from './color-field.tsx';
import { isColor } from './contrast.ts';
import { LooksPreview } from './looks-preview.tsx';
import { SettingsCard } from './settings-card.tsx';
import { useSettingsForm } from './settings-form.ts';
import { SettingsView } from './settings-view.tsx';

export function AppearanceSettings() {
  const t = useTranslations('settings');
  return (
    <SettingsView title={t('tabs.appearance')}>
      {(settings) => (
        <Stack>
          <Looks settings={settings} />
          <Features settings={settings} />
        </Stack>
      )}
    </SettingsView>
  );
}

const FEATURES = ['pageActions', 'screenshot', 'feedback'] as const;

function Features({ settings }: { readonly settings: TenantSettings }) {
  const t = useTranslations('settings.appearance');
  const { mayChange } = useWorkspace();
  const card = useSettingsForm({
    settings,
    valuesOf: ({ features }) => ({ ...features }),
    changeOf: (features) => ({ features }),
    places: {},
  });
  return (
    <SettingsCard title={t('features')} lead={t('featuresLead')} form={card}>
      {FEATURES.map((feature) => (
        <Switch
          key={feature}
          label={t(feature)}
          description={t(`${feature}Hint`)}
          disabled={!mayChange}
          {...card.form.getInputProps(feature, { type: 'checkbox' })}
        />
      ))}
    </SettingsCard>
  );
}

export type LooksValues = {
  readonly title: string;
  readonly color: string;
  readonly launcher: 'start' | 'end';
  readonly showBranding: boolean;
};

function Looks({ settings }: { readonly settings: TenantSettings }) {
  const t = useTranslations('settings.appearance');
  const { mayChange } = useWorkspace();
  const card = useSettingsForm<LooksValues>({
    settings,
    valuesOf: ({ branding: { title = '', color = '', launcher }, showBranding }) => ({
      title,
      color,
      launcher,
      showBranding,
    }),
    changeOf: ({ showBranding, title, color, launcher }) => ({
      ...(showBranding !== undefined && { showBranding }),
      branding: {
        ...(title !== undefined && { title: title || null }),
        ...(color !== undefined && { color: color || null }),
        ...(launcher && { launcher }),
      },
    }),
    places: {
      'branding.title': 'title',
      'branding.color': 'color',
      'branding.launcher': 'launcher',
      showBranding: 'showBranding',
    },
    tidy: ({ title, color, ...rest }) => ({
      ...rest,
      title: title.trim(),
      color: color.trim().toLowerCase(),
    }),
    wrong: ({ color }): Record<string, string> =>
      color === '' || isColor(color) ? {} : { color: t('badColor') },
  });
  const { form } = card;
  return (
    <SettingsCard title={t('looks')} lead={t('looksLead')} form={card}>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
        <Stack>
          <TextInput
            label={t('brandTitle')}
            description={t('brandTitleHint')}
            placeholder={t('defaultTitle')}
            readOnly={!mayChange}
            dir="auto"
            {...form.getInputProps('title')}
          />
          <ColorField readOnly={!mayChange} {...form.getInputProps('color')} />
          <Radio.Group
            label={t('launcher')}
            description={t('launcherHint')}
            readOnly={!mayChange}
            {...form.getInputProps('launcher')}
          >
            <Stack gap="xs" mt="xs">
              {(['end', 'start'] as const).map((side) => (
                <Radio key={side} value={side} label={t(side)} disabled={!mayChange} />
              ))}
            </Stack>
          </Radio.Group>
          <Switch
            label={t('mark')}
            disabled={!mayChange}
            {...form.getInputProps('showBranding', { type: 'checkbox' })}
          />
        </Stack>
        <LooksPreview looks={form.values} />
      </SimpleGrid>
    </SettingsCard>
  );
}
