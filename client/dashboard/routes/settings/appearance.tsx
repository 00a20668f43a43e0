import { Box, Group, Paper, Radio, SimpleGrid, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useTranslations } from 'use-intl';
import type { TenantSettings } from '../../../sdk/types.ts';
import { IconMessageCircle } from '../../components/icons.tsx';
import { useWorkspace } from '../../session.ts';
import { ColorField, DEFAULT_COLOR, getTextColor, isColor } from './color-field.tsx';
import { SettingsView } from './settings.tsx';
import { SettingsCard, useSettingsForm } from './settings-form.tsx';

export function AppearanceSettings() {
  const t = useTranslations('settings');
  return (
    <SettingsView title={t('tabs.appearance')}>
      {(settings) => (
        <Stack>
          <AppearanceForm settings={settings} />
          <FeaturesForm settings={settings} />
        </Stack>
      )}
    </SettingsView>
  );
}

const FEATURES = ['pageActions', 'screenshot', 'feedback'] as const;

function FeaturesForm({ settings }: { readonly settings: TenantSettings }) {
  const t = useTranslations('settings.appearance');
  const { canEdit } = useWorkspace();
  const card = useSettingsForm({
    settings,
    toValues: ({ features }) => ({ ...features }),
    toChange: (features) => ({ features }),
    fieldPaths: {},
  });
  return (
    <SettingsCard title={t('features')} lead={t('featuresLead')} form={card}>
      {FEATURES.map((feature) => (
        <Switch
          key={feature}
          label={t(feature)}
          description={t(`${feature}Hint`)}
          disabled={!canEdit}
          {...card.form.getInputProps(feature, { type: 'checkbox' })}
        />
      ))}
    </SettingsCard>
  );
}

type AppearanceValues = {
  readonly title: string;
  readonly color: string;
  readonly launcher: 'start' | 'end';
  readonly showBranding: boolean;
};

function useAppearanceForm(settings: TenantSettings) {
  const t = useTranslations('settings.appearance');
  return useSettingsForm<AppearanceValues>({
    settings,
    toValues: ({ branding: { title = '', color = '', launcher }, showBranding }) => ({
      title,
      color,
      launcher,
      showBranding,
    }),
    toChange: ({ showBranding, title, color, launcher }) => ({
      ...(showBranding !== undefined && { showBranding }),
      branding: {
        ...(title !== undefined && { title: title || null }),
        ...(color !== undefined && { color: color || null }),
        ...(launcher && { launcher }),
      },
    }),
    fieldPaths: {
      'branding.title': 'title',
      'branding.color': 'color',
      'branding.launcher': 'launcher',
      showBranding: 'showBranding',
    },
    normalize: ({ title, color, ...rest }) => ({
      ...rest,
      title: title.trim(),
      color: color.trim().toLowerCase(),
    }),
    validate: ({ color }): Record<string, string> =>
      color === '' || isColor(color) ? {} : { color: t('badColor') },
  });
}

function AppearanceForm({ settings }: { readonly settings: TenantSettings }) {
  const t = useTranslations('settings.appearance');
  const { canEdit } = useWorkspace();
  const card = useAppearanceForm(settings);
  const { form } = card;
  return (
    <SettingsCard title={t('branding')} lead={t('brandingLead')} form={card}>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
        <Stack>
          <TextInput
            label={t('brandTitle')}
            description={t('brandTitleHint')}
            placeholder={t('defaultTitle')}
            readOnly={!canEdit}
            dir="auto"
            {...form.getInputProps('title')}
          />
          <ColorField readOnly={!canEdit} {...form.getInputProps('color')} />
          <Radio.Group
            label={t('launcher')}
            description={t('launcherHint')}
            readOnly={!canEdit}
            {...form.getInputProps('launcher')}
          >
            <Stack gap="xs" mt="xs">
              {(['end', 'start'] as const).map((side) => (
                <Radio key={side} value={side} label={t(side)} disabled={!canEdit} />
              ))}
            </Stack>
          </Radio.Group>
          <Switch
            label={t('showBranding')}
            disabled={!canEdit}
            {...form.getInputProps('showBranding', { type: 'checkbox' })}
          />
        </Stack>
        <AppearancePreview values={form.values} />
      </SimpleGrid>
    </SettingsCard>
  );
}

function AppearancePreview({ values }: { readonly values: AppearanceValues }) {
  const t = useTranslations('settings.appearance');
  const color = isColor(values.color) ? values.color : DEFAULT_COLOR;
  const worn = { bg: color, c: getTextColor(color) };
  const side = values.launcher === 'end' ? 'flex-end' : 'flex-start';
  return (
    <Stack gap="xs">
      <Text fw={500} size="sm" aria-hidden>
        {t('preview')}
      </Text>
      <Stack
        role="img"
        aria-label={t('previewAlt')}
        className="preview-site"
        justify="flex-end"
        align={side}
        gap="sm"
        p="md"
      >
        <Paper shadow="md" w="85%" maw={280} withBorder p="sm">
          <Stack gap="xs">
            <Text fw={700} truncate dir="auto">
              {values.title.trim() || t('defaultTitle')}
            </Text>
            <Box {...worn} className="preview-bubble" px="sm" py={6} ms="auto">
              <Text size="sm" c="inherit">
                {t('sampleQuestion')}
              </Text>
            </Box>
            <Text size="sm">{t('sampleAnswer')}</Text>
            {values.showBranding && (
              <Text size="xs" c="dimmed" ta="center">
                {t('byGuidepost')}
              </Text>
            )}
          </Stack>
        </Paper>
        <Group {...worn} className="preview-launcher" justify="center">
          <IconMessageCircle size={24} />
        </Group>
      </Stack>
    </Stack>
  );
}
