import { Box, Group, Paper, Stack, Text } from '@mantine/core';
import { IconMessageCircle } from '@tabler/icons-react';
import { useTranslations } from 'use-intl';
import type { LooksValues } from './appearance.tsx';
import { DEFAULT_COLOR } from './color-field.tsx';
import { inkOn, isColor } from './contrast.ts';

/** A small page with the guide on it, as it would look with what is chosen. */
export function LooksPreview({ looks }: { readonly looks: LooksValues }) {
  const t = useTranslations('settings.appearance');
  const color = isColor(looks.color) ? looks.color : DEFAULT_COLOR;
  const worn = { bg: color, c: inkOn(color) };
  const side = looks.launcher === 'end' ? 'flex-end' : 'flex-start';
  return (
    <Stack gap="xs">
      <Text fw={500} size="sm" aria-hidden>
        {t('preview')}
      </Text>
      <Stack
        role="img"
        aria-label={t('previewAlt')}
        className="looks-preview"
        justify="flex-end"
        align={side}
        gap="sm"
        p="md"
      >
        <Paper shadow="md" w="85%" maw={280} withBorder p="sm">
          <Stack gap="xs">
            <Text fw={700} truncate dir="auto">
              {looks.title.trim() || t('defaultTitle')}
            </Text>
            <Box {...worn} className="looks-bubble" px="sm" py={6} ms="auto">
              <Text size="sm" c="inherit">
                {t('sampleQuestion')}
              </Text>
            </Box>
            <Text size="sm">{t('sampleAnswer')}</Text>
            {looks.showBranding && (
              <Text size="xs" c="dimmed" ta="center">
                {t('byGuidepost')}
              </Text>
            )}
          </Stack>
        </Paper>
        <Group {...worn} className="looks-launcher" justify="center">
          <IconMessageCircle size={24} />
        </Group>
      </Stack>
    </Stack>
  );
}
