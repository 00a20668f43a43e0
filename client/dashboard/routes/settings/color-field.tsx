import { ActionIcon, ColorPicker, ColorSwatch, Group, Popover, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { FocusEventHandler, ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import { hintsAbout, isColor } from './contrast.ts';

/** The guide's own colour, which it wears where none is chosen. */
export const DEFAULT_COLOR = '#1f55c4';
const SWATCHES = [DEFAULT_COLOR, '#0b7285', '#2b8a3e', '#862e9c', '#c92a2a', '#d9480f', '#212529'];

/** A colour as text or picked by eye, with how well it can be read. */
export function ColorField({
  value,
  onChange,
  readOnly,
  ...field
}: {
  readonly value?: string;
  readonly onChange?: (color: string) => void;
  readonly onBlur?: FocusEventHandler<HTMLInputElement>;
  readonly error?: ReactNode;
  readonly readOnly: boolean;
}) {
  const t = useTranslations('settings.appearance');
  const [opened, { toggle, close }] = useDisclosure(false);
  const color = value ?? '';
  const shown = isColor(color) ? color : DEFAULT_COLOR;
  return (
    <Stack gap={6}>
      <Group gap="xs" align="flex-end" wrap="nowrap">
        <TextInput
          label={t('color')}
          description={t('colorHint')}
          placeholder={DEFAULT_COLOR}
          autoComplete="off"
          spellCheck={false}
          dir="ltr"
          className="grow"
          readOnly={readOnly}
          value={color}
          onChange={(event) => onChange?.(event.currentTarget.value)}
          {...field}
        />
        {!readOnly && (
          <Popover opened={opened} onDismiss={close} position="bottom-end" trapFocus returnFocus>
            <Popover.Target>
              <ActionIcon variant="default" size={36} onClick={toggle} aria-label={t('pickColor')}>
                <ColorSwatch color={shown} size={20} withShadow={false} />
              </ActionIcon>
            </Popover.Target>
            <Popover.Dropdown aria-label={t('pickColor')}>
              <ColorPicker
                value={shown}
                onChange={(picked) => onChange?.(picked)}
                swatches={SWATCHES}
                saturationLabel={t('saturation')}
                hueLabel={t('hue')}
              />
            </Popover.Dropdown>
          </Popover>
        )}
      </Group>
      <div aria-live="polite">
        {hintsAbout(color).map(({ hint, ratio }) => (
          <Text key={hint} size="sm">
            {t(hint, { ratio: ratio.toFixed(1) })}
          </Text>
        ))}
      </div>
    </Stack>
  );
}
