import {
  Alert,
  Autocomplete,
  Button,
  Group,
  Paper,
  Select,
  Stack,
  Switch,
  Text,
  TextInput,
} from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData } from '@tanstack/react-query';
import { useState } from 'react';
import { useFormatter, useLocale, useTranslations } from 'use-intl';
import type {
  ConsentDirectives,
  DirectiveOptions,
  RegionDirective,
  RegionStrictness,
  TenantSettings,
} from '../../../sdk/types.ts';
import type { FormState } from '../../components/form.tsx';
import { Icon } from '../../components/icon.tsx';
import { Loading } from '../../components/loading.tsx';
import { Card, Note } from '../../components/page.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { DataTable } from '../../components/table.tsx';
import { countries, isRegion, LISTED, regionNames } from '../../languages.ts';
import { useTenantQuery, useWorkspace } from '../../session.ts';
import { SettingsView } from './settings.tsx';
import { RadioField, Rows, SettingsForm } from './settings-form.tsx';

export default function ConsentSettings() {
  return <SettingsView tab="consent">{(settings) => <ConsentForm settings={settings} />}</SettingsView>;
}

const LEVELS = ['region', 'notice', 'opt_out', 'opt_in'] as const;
const MODES = ['notice', 'opt_out', 'opt_in'] as const;

function ConsentForm({ settings }: { settings: TenantSettings }) {
  const t = useTranslations('settings.consent');
  return (
    <SettingsForm
      settings={settings}
      section="consent"
      title="strictness"
      lead="strictnessLead"
      fields={[
        {
          name: 'everywhere',
          as: RadioField,
          path: 'consentStrictness',
          input: {
            choices: LEVELS.map((value) => ({
              value,
              label: t(`levels.${value}`),
              description: t(`levelHints.${value}`),
            })),
          },
        },
        {
          name: 'rules',
          path: 'consentStrictnessByRegion',
          clean: (rules: Rules) => rules.map(withCode).filter(({ region }) => region !== ''),
          check: (rules: Rules) => validateRegions(rules, { bad: t('badRegion'), twice: t('duplicate') }),
          render: (form) => <RegionRules form={form} />,
        },
      ]}
      preview={({ values }) => <DirectivePreview values={values as ConsentValues} settings={settings} />}
    />
  );
}

type Rules = readonly RegionStrictness[];

const withCode = (rule: RegionStrictness) => ({ ...rule, region: rule.region.trim().toUpperCase() });

function RegionRules({ form }: { form: FormState }) {
  const t = useTranslations('settings.consent');
  const { canEdit } = useWorkspace();
  return (
    <>
      <Text fw={500} size="sm">
        {t('byRegion')}
      </Text>
      <Rows
        form={form}
        path="rules"
        newRow={{ region: '', strictness: 'opt_in' }}
        firstField=".region"
        labels={{
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
      <Alert color="blue" icon={<Icon name="info-circle" size={18} />}>
        {t('asks')}
      </Alert>
    </>
  );
}

/** Accepts a code, or finds it by the country's name. */
function RegionField({
  number,
  ...field
}: {
  number: number;
  readOnly: boolean;
  value?: string;
  onChange?: (code: string) => void;
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

function validateRegions(rules: Rules, texts: { bad: string; twice: string }): Record<string, string> {
  const listedRegions = new Set<string>();
  const errors: Record<string, string> = {};
  for (const [at, { region }] of rules.entries()) {
    if (!isRegion(region)) errors[`rules.${at}.region`] = texts.bad;
    else if (listedRegions.has(region)) errors[`rules.${at}.region`] = texts.twice;
    listedRegions.add(region);
  }
  return errors;
}

type ConsentValues = {
  everywhere: NonNullable<DirectiveOptions['strictness']>;
  rules: Rules;
};

const DEBOUNCE_MILLIS = 300;
const ROWS = 15;

/** Compares the directives of each region under the form's values with the current ones. */
function DirectivePreview({ values, settings }: { values: ConsentValues; settings: TenantSettings }) {
  const t = useTranslations('settings.consent');
  const [gpc, setGpc] = useState(false);
  const [options] = useDebouncedValue(JSON.stringify(toDirectiveOptions(values)), DEBOUNCE_MILLIS);
  const current = useDirectives({ gpc });
  const proposed = useDirectives({ ...(JSON.parse(options) as DirectiveOptions), gpc });
  return (
    <>
      <Card title={t('preview')} lead={t('previewLead')} wide>
        <Switch label={t('gpc')} checked={gpc} onChange={(event) => setGpc(event.currentTarget.checked)} />
        {proposed.isError && <Alert color="orange">{t('previewInvalid')}</Alert>}
        {proposed.data ? (
          <Directives current={current.data} proposed={proposed.data} />
        ) : (
          !proposed.isError && <Loading />
        )}
      </Card>
      {proposed.data && <Prompt directives={proposed.data} locale={settings.sourceLocale} />}
    </>
  );
}

function useDirectives(options: DirectiveOptions) {
  return useTenantQuery(
    ['directives', options],
    (tenant, { signal }) => tenant.settings.directives({ ...options, signal }),
    { placeholderData: keepPreviousData },
  );
}

/** Skips regions that are not yet valid. */
function toDirectiveOptions({ everywhere: strictness, rules }: ConsentValues): DirectiveOptions {
  const typed = rules.map(withCode);
  const byRegion = typed.filter(
    ({ region }, at) => isRegion(region) && typed.findIndex((each) => each.region === region) === at,
  );
  return { strictness, byRegion };
}

type DirectivesProps = {
  current: ConsentDirectives | undefined;
  proposed: ConsentDirectives;
};

function Directives({ current, proposed }: DirectivesProps) {
  const t = useTranslations('settings.consent');
  const s = useTranslations('shell');
  const name = regionNames(useLocale());
  const [search, setSearch] = useState('');
  const [onlyChanges, setOnlyChanges] = useState(false);
  const [shown, setShown] = useState(ROWS);
  const before = new Map((current?.data ?? []).map((each) => [each.region, each.mode]));
  const defaultMode = before.get('ZZ');
  /** Returns the current mode. Regions that only the form lists currently follow their country or the default. */
  const modeBefore = ({ region }: RegionDirective) =>
    current === undefined ? undefined : (before.get(region) ?? before.get(region.slice(0, 2)) ?? defaultMode);
  const isChanged = (each: RegionDirective) => current !== undefined && modeBefore(each) !== each.mode;
  const query = search.trim().toLowerCase();
  const rows = proposed.data.filter(
    (each) =>
      (!onlyChanges || isChanged(each)) &&
      `${each.region} ${name(each.region)} ${each.basis ?? ''}`.toLowerCase().includes(query),
  );
  return (
    <Stack>
      <Group align="flex-end" gap="md">
        <TextInput
          className="grow"
          type="search"
          label={t('filter')}
          leftSection={<Icon name="search" />}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
        <Switch
          label={t('onlyChanges')}
          checked={onlyChanges}
          onChange={(event) => setOnlyChanges(event.currentTarget.checked)}
          pb={8}
        />
      </Group>
      <Text size="sm" role="status">
        {t('count', { count: rows.length, changed: rows.filter(isChanged).length })}
      </Text>
      {rows.length > 0 && (
        <DataTable
          caption={t('caption')}
          isRegion
          minWidth={640}
          layout="fixed"
          rows={rows.slice(0, shown)}
          getKey={({ region }) => region}
          columns={[
            {
              label: t('columnRegion'),
              cell: ({ region }) => (
                <>
                  {region === 'ZZ' ? t('unknown') : name(region)}
                  <Note ff="monospace">{region}</Note>
                </>
              ),
            },
            {
              label: t('columnRule'),
              cell: ({ rule, basis }) => (
                <>
                  {t(`modes.${rule}`)}
                  <Note>{basis ?? t('noBasis')}</Note>
                </>
              ),
            },
            {
              label: t('columnMode'),
              cell: (row) => <ModeCell row={row} before={isChanged(row) ? modeBefore(row) : undefined} />,
            },
            { label: t('columnBefore'), cell: (row) => <PurposesCell row={row} /> },
          ]}
        />
      )}
      {rows.length > shown && (
        <Button variant="default" className="self-start" onClick={() => setShown(shown + 50)}>
          {s('more')}
        </Button>
      )}
    </Stack>
  );
}

function Prompt({ directives, locale }: { directives: ConsentDirectives; locale: string }) {
  const t = useTranslations('settings.consent');
  const { copy, disclosure } = directives;
  return (
    <Card title={t('prompt')}>
      <Paper withBorder p="md" maw={420} lang={copy.locale ?? locale} dir="auto">
        <Stack gap="sm">
          <Text fw={700}>{copy.title}</Text>
          <Text size="sm">{copy.text}</Text>
          <Group gap="sm" aria-hidden>
            <Text size="sm" className="pretend-button">
              {copy.accept}
            </Text>
            <Text size="sm" className="pretend-button">
              {copy.deny}
            </Text>
          </Group>
        </Stack>
      </Paper>
      <Text size="sm">
        <b>{t('disclosure')}</b>
        {': '}
        <span lang={disclosure.locale} dir="auto">
          {disclosure.text}
        </span>
      </Text>
    </Card>
  );
}

type Mode = RegionDirective['mode'];

const BADGES = {
  opt_in: { icon: 'help-circle', color: 'grape' },
  opt_out: { icon: 'hand-stop', color: 'blue' },
  notice: { icon: 'bell', color: 'gray' },
} as const;

/** `before` is the current mode, if it would change. */
function ModeCell({ row: { mode, reason }, before }: { row: RegionDirective; before: Mode | undefined }) {
  const t = useTranslations('settings.consent');
  return (
    <>
      <StatusBadge {...BADGES[mode]} miw="max-content">
        {t(`modes.${mode}`)}
      </StatusBadge>
      <Note>{before ? t('changes', { mode: t(`modes.${before}`) }) : t(`reasons.${reason}`)}</Note>
    </>
  );
}

function PurposesCell({ row: { ask, purposes } }: { row: RegionDirective }) {
  const t = useTranslations('settings.consent');
  const format = useFormatter();
  const allowed = Object.entries(purposes)
    .filter(([, decision]) => decision === 'granted')
    .map(([purpose]) => t(`purposes.${purpose as keyof RegionDirective['purposes']}`));
  return (
    <>
      {t(ask ? 'asked' : 'notAsked')}
      <Note>{format.list(allowed, LISTED)}</Note>
    </>
  );
}
