import {
  ActionIcon,
  Button,
  ColorPicker,
  ColorSwatch,
  FileButton,
  Group,
  Image,
  Input,
  luminance,
  Popover,
  SimpleGrid,
  Stack,
  Switch,
  Text,
  TextInput,
  type TextInputProps,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useTranslations } from 'use-intl';
import type { TenantSettings } from '../../../sdk/types.ts';
import { trim } from '../../components/form.tsx';
import { useAction } from '../../components/use-action.tsx';
import { IMAGE_TYPES, uploadImage } from '../../images.ts';
import { useWorkspace } from '../../session.ts';
import { AppearancePreview, type AppearanceValues } from './appearance-preview.tsx';
import { DEFAULT_COLOR, isColor } from './colors.ts';
import { SettingsView } from './settings.tsx';
import { RadioField, SettingsForm } from './settings-form.tsx';

export default function AppearanceSettings() {
  return (
    <SettingsView tab="appearance">
      {(settings) => (
        <>
          <BrandingForm settings={settings} />
          <SettingsForm
            settings={settings}
            section="appearance"
            title="features"
            lead="featuresLead"
            fields={(['pageActions', 'screenshot', 'feedback'] as const).map((name) => ({
              name,
              as: Switch,
              path: `features.${name}`,
            }))}
          />
        </>
      )}
    </SettingsView>
  );
}

function BrandingForm({ settings }: { settings: TenantSettings }) {
  const t = useTranslations('settings.appearance');
  return (
    <SettingsForm
      settings={settings}
      section="appearance"
      title="branding"
      lead="brandingLead"
      fields={[
        {
          name: 'brandTitle',
          as: TextInput,
          path: 'branding.title',
          clean: trim,
          input: { placeholder: settings.name, dir: 'auto' },
        },
        {
          name: 'color',
          path: 'branding.color',
          clean: (color: string) => color.trim().toLowerCase(),
          check: (color: string) => color !== '' && !isColor(color) && t('badColor'),
          as: ColorField,
          input: { placeholder: DEFAULT_COLOR },
        },
        {
          name: 'launcher',
          as: RadioField,
          path: 'branding.launcher',
          input: { choices: (['end', 'start'] as const).map((value) => ({ value, label: t(value) })) },
        },
        { name: 'logo', path: 'branding.logo', as: LogoField },
        {
          name: 'icon',
          path: 'branding.icon',
          read: (icon?: string) => icon ?? 'bubble',
          as: RadioField,
          input: {
            choices: [
              { value: 'bubble', label: t('bubble') },
              { value: 'question', label: t('question') },
              { value: 'logo', label: t('logoIcon') },
            ],
          },
        },
        {
          name: 'label',
          as: TextInput,
          path: 'branding.label',
          clean: trim,
          input: { dir: 'auto' },
        },
        { name: 'showBranding', as: Switch },
      ]}
    >
      {(fields, { values }) => (
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
          <Stack>{fields}</Stack>
          <AppearancePreview settings={settings} values={values as AppearanceValues} />
        </SimpleGrid>
      )}
    </SettingsForm>
  );
}

type LogoFieldProps = {
  value: string;
  onChange: (logo: string) => void;
  label: string;
  description?: string;
  readOnly?: boolean;
  'data-path'?: string;
};

/** Uploads the logo, and shows the current one. */
function LogoField({ value, onChange, label, description, readOnly, ...place }: LogoFieldProps) {
  const t = useTranslations('settings.appearance');
  const workspace = useWorkspace();
  const upload = useAction((file: File) => uploadImage(workspace, file), { onDone: onChange });
  return (
    <Input.Wrapper label={label} description={description} data-path={place['data-path']}>
      <Group gap="sm" mt={6}>
        {value && <Image src={value} alt={t('logo')} h={48} w="auto" maw={192} fit="contain" />}
        {!readOnly && (
          <FileButton accept={IMAGE_TYPES} onChange={(file) => file && upload.mutate(file)}>
            {(props) => (
              <Button {...props} variant="default" loading={upload.isPending}>
                {t('chooseLogo')}
              </Button>
            )}
          </FileButton>
        )}
        {value && !readOnly && (
          <Button variant="subtle" onClick={() => onChange('')}>
            {t('removeLogo')}
          </Button>
        )}
      </Group>
    </Input.Wrapper>
  );
}

const SWATCHES = [DEFAULT_COLOR, '#0b7285', '#2b8a3e', '#862e9c', '#c92a2a', '#d9480f', '#212529'];

type ColorFieldProps = Omit<TextInputProps, 'value' | 'onChange'> & {
  value: string;
  onChange: (color: string) => void;
};

/** A color field with a picker and contrast hints. */
function ColorField({ value: color, onChange, readOnly, ...field }: ColorFieldProps) {
  const t = useTranslations('settings.appearance');
  const [opened, { toggle, close }] = useDisclosure(false);
  const shownColor = isColor(color) ? color : DEFAULT_COLOR;
  return (
    <Stack gap={6}>
      <Group gap="xs" align="flex-end" wrap="nowrap">
        <TextInput
          autoComplete="off"
          spellCheck={false}
          dir="ltr"
          className="grow"
          readOnly={readOnly}
          value={color}
          onChange={(event) => onChange(event.currentTarget.value)}
          {...field}
        />
        {!readOnly && (
          <Popover opened={opened} onDismiss={close} position="bottom-end" trapFocus returnFocus>
            <Popover.Target>
              <ActionIcon variant="default" size={36} onClick={toggle} aria-label={t('pickColor')}>
                <ColorSwatch color={shownColor} size={20} withShadow={false} />
              </ActionIcon>
            </Popover.Target>
            <Popover.Dropdown aria-label={t('pickColor')}>
              <ColorPicker
                value={shownColor}
                onChange={onChange}
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

/** Returns the contrast ratio of WCAG 2. */
function getContrast(one: string, other: string): number {
  const [lighter = 0, darker = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (lighter + 0.05) / (darker + 0.05);
}

/** Returns black or white, whichever contrasts more; the guide chooses the same. */
const getTextColor = (color: string) =>
  getContrast(color, '#000000') > getContrast(color, '#ffffff') ? '#000000' : '#ffffff';

type Hint = {
  hint: 'inkBlack' | 'inkWhite' | 'faintOnWhite' | 'faintOnBlack';
  ratio: number;
};

function getContrastHints(color: string): readonly Hint[] {
  if (!isColor(color)) return [];
  const ink = getTextColor(color);
  const hints: Hint[] = [
    { hint: ink === '#000000' ? 'inkBlack' : 'inkWhite', ratio: getContrast(color, ink) },
  ];
  const onWhite = getContrast(color, '#ffffff');
  const onBlack = getContrast(color, '#000000');
  if (onWhite < 3) hints.push({ hint: 'faintOnWhite', ratio: onWhite });
  if (onBlack < 3) hints.push({ hint: 'faintOnBlack', ratio: onBlack });
  return hints;
}
