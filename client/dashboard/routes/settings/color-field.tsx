import { ActionIcon, ColorPicker, ColorSwatch, Group, Popover, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { FocusEventHandler, ReactNode } from 'react';
import { useTranslations } from 'use-intl';

/** The guide's default color. */
export const DEFAULT_COLOR = '#1f55c4';
const SWATCHES = [DEFAULT_COLOR, '#0b7285', '#2b8a3e', '#862e9c', '#c92a2a', '#d9480f', '#212529'];

type ColorFieldProps = {
  readonly value?: string;
  readonly onChange?: (color: string) => void;
  readonly onBlur?: FocusEventHandler<HTMLInputElement>;
  readonly error?: ReactNode;
  readonly readOnly: boolean;
};

/** A color field with a picker and contrast hints. */
export function ColorField({ value: color = '', onChange, readOnly, ...field }: ColorFieldProps) {
  const t = useTranslations('settings.appearance');
  const [opened, { toggle, close }] = useDisclosure(false);
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
        {getContrastHints(color).map(({ hint, ratio }) => (
          <Text key={hint} size="sm">
            {t(hint, { ratio: ratio.toFixed(1) })}
          </Text>
        ))}
      </div>
    </Stack>
  );
}

/** The contrast ratio of WCAG 2. */

export const isColor = (text: string) => /^#[\da-f]{6}$/i.test(text);

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [lighter = 0, darker = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (lighter + 0.05) / (darker + 0.05);
}

/** Black or white, whichever contrasts more; the guide chooses the same. */
export const getTextColor = (color: string) =>
  contrast(color, '#000000') > contrast(color, '#ffffff') ? '#000000' : '#ffffff';

type Hint = {
  readonly hint: 'inkBlack' | 'inkWhite' | 'faintOnWhite' | 'faintOnBlack';
  readonly ratio: number;
};

function getContrastHints(color: string): readonly Hint[] {
  if (!isColor(color)) return [];
  const ink = getTextColor(color);
  const hints: Hint[] = [{ hint: ink === '#000000' ? 'inkBlack' : 'inkWhite', ratio: contrast(color, ink) }];
  const onWhite = contrast(color, '#ffffff');
  const onBlack = contrast(color, '#000000');
  if (onWhite < 3) hints.push({ hint: 'faintOnWhite', ratio: onWhite });
  if (onBlack < 3) hints.push({ hint: 'faintOnBlack', ratio: onBlack });
  return hints;
}
