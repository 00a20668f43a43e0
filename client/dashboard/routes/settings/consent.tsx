import { Alert, Autocomplete, Group, Radio, Select, Stack, Text } from '@mantine/core';
import { useLocale, useTranslations } from 'use-intl';
import type { RegionStrictness, TenantSettings } from '../../../sdk/types.ts';
import { IconInfoCircle } from '../../components/icons.tsx';
import { countries, isRegion, regionNames } from '../../languages.ts';
import { useWorkspace } from '../../session.ts';
import { type ConsentValues, DirectivePreview } from './consent-preview.tsx';
import { Rows } from './rows.tsx';
import { SettingsView } from './settings.tsx';
import { SettingsCard, useSettingsForm } from './settings-form.tsx';

export function ConsentSettings() {
  const t = useTranslations('settings');
  return (
    <SettingsView title={t('tabs.consent')}>{(settings) => <ConsentForm settings={settings} />}</SettingsView>
  );
}

const LEVELS = ['region', 'notice', 'opt_out', 'opt_in'] as const;
const MODES = ['notice', 'opt_out', 'opt_in'] as const;

function ConsentForm({ settings }: { readonly settings: TenantSettings }) {
  const t = useTranslations('settings.consent');
  const { canEdit } = useWorkspace();
  const card = useSettingsForm<ConsentValues>({
    settings,
    toValues: ({ consentStrictness, consentStrictnessByRegion }) => ({
      strictness: consentStrictness,
      rules: consentStrictnessByRegion,
    }),
    toChange: ({ strictness, rules }) => ({
      ...(strictness && { consentStrictness: strictness }),
      ...(rules && { consentStrictnessByRegion: [...rules] }),
    }),
    fieldPaths: { consentStrictnessByRegion: 'rules', consentStrictness: 'strictness' },
    normalize: ({ strictness, rules }) => ({
      strictness,
      rules: rules
        .map((rule) => ({ ...rule, region: rule.region.trim().toUpperCase() }))
        .filter(({ region }) => region !== ''),
    }),
    validate: ({ rules }) => validateRegions(rules, { bad: t('badRegion'), twice: t('duplicate') }),
  });
  const { form } = card;
  return (
    <Stack>
      <SettingsCard title={t('strictness')} lead={t('strictnessLead')} form={card}>
        <Radio.Group label={t('everywhere')} {...form.getInputProps('strictness')}>
          <Stack gap="sm" mt="xs">
            {LEVELS.map((level) => (
              <Radio
                key={level}
                value={level}
                label={t(`levels.${level}`)}
                description={t(`levelHints.${level}`)}
                disabled={!canEdit}
              />
            ))}
          </Stack>
        </Radio.Group>
        <Text fw={500} size="sm">
          {t('byRegion')}
        </Text>
        <RegionRules form={form} />
        <Alert color="blue" icon={<IconInfoCircle size={18} aria-hidden />}>
          {t('asks')}
        </Alert>
      </SettingsCard>
      <DirectivePreview values={form.values} settings={settings} />
    </Stack>
  );
}

function RegionRules({ form }: { readonly form: ConsentCard['form'] }) {
  const t = useTranslations('settings.consent');
  const { canEdit } = useWorkspace();
  return (
    <Rows
      form={form}
      path="rules"
      count={form.values.rules.length}
      fresh={{ region: '', strictness: 'opt_in' }}
      firstField=".region"
      canEdit={canEdit}
      error={form.errors.rules}
      words={{
        add: t('addRegion'),
        none: t('noRules'),
        remove: (number) => t('removeRegion', { number }),
      }}
      row={(at) => (
        <Group gap="xs" align="flex-start" grow preventGrowOverflow={false}>
          <RegionField number={at + 1} readOnly={!canEdit} {...form.getInputProps(`rules.${at}.region`)} />
          <Select
            aria-label={t('level', { number: at + 1 })}
            allowDeselect={false}
            readOnly={!canEdit}
            data={MODES.map((value) => ({ value, label: t(`levels.${value}`) }))}
            {...form.getInputProps(`rules.${at}.strictness`)}
          />
        </Group>
      )}
    />
  );
}

type ConsentCard = ReturnType<typeof useSettingsForm<ConsentValues>>;

/** Accepts a code, or finds it by the country's name. */
function RegionField({
  number,
  ...field
}: {
  readonly number: number;
  readonly readOnly: boolean;
  readonly value?: string;
  readonly onChange?: (code: string) => void;
}) {
  const t = useTranslations('settings.consent');
  const locale = useLocale();
  const name = regionNames(locale);
  const { value = '' } = field;
  return (
    <Autocomplete
      aria-label={t('region', { number })}
      placeholder="US-CA"
      data={[...countries(locale)]}
      limit={20}
      filter={({ options, search, limit }) => {
        const query = search.trim().toLowerCase();
        return options
          .filter(
            (option) =>
              'value' in option && `${option.value} ${name(option.value)}`.toLowerCase().includes(query),
          )
          .slice(0, limit);
      }}
      renderOption={({ option }) => `${option.value} · ${name(option.value)}`}
      description={isRegion(value.trim()) ? name(value.trim()) : t('regionHint')}
      inputWrapperOrder={['input', 'description', 'error']}
      {...field}
    />
  );
}

function validateRegions(
  rules: readonly RegionStrictness[],
  words: { readonly bad: string; readonly twice: string },
): Record<string, string> {
  const named = new Set<string>();
  const errors: Record<string, string> = {};
  for (const [at, { region }] of rules.entries()) {
    if (!isRegion(region)) errors[`rules.${at}.region`] = words.bad;
    else if (named.has(region)) errors[`rules.${at}.region`] = words.twice;
    named.add(region);
  }
  return errors;
}
