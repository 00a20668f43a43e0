import { Group, SegmentedControl, Stack, Text, useComputedColorScheme } from '@mantine/core';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import type { BootPreview } from '../../../../generated/types.ts';
import type { TenantSettings } from '../../../sdk/types.ts';
import { ErrorMessage, Loading } from '../../components/loading.tsx';
import { GuideFrame, type GuideView } from '../../guide/guide-frame.tsx';
import { useTenantQuery, useWorkspace } from '../../session.ts';
import { isColor } from './colors.ts';

export type AppearanceValues = {
  brandTitle: string;
  color: string;
  launcher: 'start' | 'end';
  logo: string;
  icon: 'bubble' | 'question' | 'logo';
  label: string;
  showBranding: boolean;
};

const FRAME_PIXELS = 720;

/** The guide with the values of the form, on a light or a dark page. */
export function AppearancePreview({
  settings,
  values,
}: {
  settings: TenantSettings;
  values: AppearanceValues;
}) {
  const t = useTranslations('settings.appearance');
  const s = useTranslations('shell');
  const { tenant } = useWorkspace();
  const scheme = useComputedColorScheme('light');
  const [theme, setTheme] = useState(scheme);
  const [view, setView] = useState<GuideView>('opened');
  const locale = settings.sourceLocale;
  const boot = useTenantQuery(['preview-boot', { locale }], (client, options) =>
    client.previewBoot({ ...options, locale }),
  );
  return (
    <Stack gap="xs" className="sticky-preview">
      <Text fw={500} size="sm">
        {t('preview')}
      </Text>
      <Group gap="xs">
        <SegmentedControl
          size="xs"
          aria-label={t('previewView')}
          value={view}
          onChange={(value) => setView(value as GuideView)}
          data={[
            { value: 'opened', label: t('panel') },
            { value: 'shown', label: t('launcherOnly') },
          ]}
        />
        <SegmentedControl
          size="xs"
          aria-label={s('theme')}
          value={theme}
          onChange={(value) => setTheme(value as typeof theme)}
          data={[
            { value: 'light', label: s('themeLight') },
            { value: 'dark', label: s('themeDark') },
          ]}
        />
      </Group>
      {boot.isPending && <Loading />}
      {boot.isError && <ErrorMessage error={boot.error} retry={boot.refetch} />}
      {boot.data && (
        <GuideFrame
          title={t('previewAlt')}
          boot={withDraft(boot.data, values)}
          ask={(message, _, signal) => tenant.preview({ message, locale }, { signal })}
          view={view}
          theme={theme}
          locale={locale}
          height={FRAME_PIXELS}
        />
      )}
    </Stack>
  );
}

/** Boots with what the form says, as a visitor would once it is saved. */
function withDraft(boot: BootPreview, values: AppearanceValues): BootPreview {
  const { brandTitle, color, launcher, logo, icon, label, showBranding } = values;
  const branding = {
    launcher,
    icon,
    title: brandTitle.trim() || undefined,
    color: isColor(color) ? color : undefined,
    logo: logo || undefined,
    label: label.trim() || undefined,
  };
  return { ...boot, config: { ...boot.config, branding }, show_branding: showBranding };
}
