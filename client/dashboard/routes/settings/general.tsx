import { Select, Stack, TextInput } from '@mantine/core';
import { useLocale, useTranslations } from 'use-intl';
import type { TenantSettings } from '../../../sdk/types.ts';
import { languageChoices } from '../../languages.ts';
import { useWorkspace } from '../../session.ts';
import { Snippet } from '../welcome/installation.tsx';
import { Origins } from './origins.tsx';
import { Rows } from './rows.tsx';
import { Card, SettingsCard } from './settings-card.tsx';
import { useSettingsForm } from './settings-form.ts';
import { SettingsView } from './settings-view.tsx';

export function GeneralSettings() {
  const t = useTranslations('settings');
  return (
    <SettingsView title={t('tabs.general')}>
      {(settings) => (
        <Stack>
          <Basics settings={settings} />
          <Origins settings={settings} />
          <Suggestions settings={settings} />
          <Card title={t('general.install')} lead={t('general.installLead')}>
            <Snippet />
          </Card>
        </Stack>
      )}
    </SettingsView>
  );
}

function Basics({ settings }: { readonly settings: TenantSettings }) {
  const t = useTranslations('settings.general');
  const { mayChange } = useWorkspace();
  const card = useSettingsForm({
    settings,
    valuesOf: ({ name, sourceLocale }) => ({ name, sourceLocale }),
    changeOf: (changed) => changed,
    places: { name: 'name', sourceLocale: 'sourceLocale' },
    wrong: ({ name }): Record<string, string> => (/\S/.test(name) ? {} : { name: t('needName') }),
  });
  const choices = languageChoices(useLocale());
  const { sourceLocale } = settings;
  const known = choices.some(({ value }) => value === sourceLocale);
  return (
    <SettingsCard title={t('basics')} form={card}>
      <TextInput
        label={t('name')}
        description={t('nameHint')}
        readOnly={!mayChange}
        dir="auto"
        {...card.form.getInputProps('name')}
      />
      <Select
        label={t('sourceLocale')}
        description={t('sourceLocaleHint')}
        searchable
        allowDeselect={false}
        readOnly={!mayChange}
        data={known ? choices : [{ value: sourceLocale, label: sourceLocale }, ...choices]}
        {...card.form.getInputProps('sourceLocale')}
      />
    </SettingsCard>
  );
}

function Suggestions({ settings }: { readonly settings: TenantSettings }) {
  const t = useTranslations('settings.general');
  const { mayChange } = useWorkspace();
  const card = useSettingsForm({
    settings,
    valuesOf: ({ suggestions }) => ({ suggestions }),
    changeOf: (changed) => changed,
    places: { suggestions: 'suggestions' },
    tidy: ({ suggestions }) => ({ suggestions: suggestions.filter((each) => /\S/.test(each)) }),
  });
  const { suggestions } = card.form.values;
  return (
    <SettingsCard title={t('suggestions')} lead={t('suggestionsLead')} form={card}>
      <Rows
        form={card.form}
        path="suggestions"
        count={suggestions.length}
        fresh=""
        mayChange={mayChange}
        error={card.form.errors.suggestions}
        words={{
          add: t('addSuggestion'),
          none: t('noSuggestions'),
          remove: (number) => t('removeSuggestion', { number }),
          up: (number) => t('up', { number }),
        }}
        row={(at) => (
          <TextInput
            aria-label={t('suggestion', { number: at + 1 })}
            readOnly={!mayChange}
            dir="auto"
            {...card.form.getInputProps(`suggestions.${at}`)}
          />
        )}
      />
    </SettingsCard>
  );
}
