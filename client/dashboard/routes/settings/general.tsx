import { Select, Stack, TextInput } from '@mantine/core';
import { useLocale, useTranslations } from 'use-intl';
import type { Installation, TenantSettings } from '../../../sdk/types.ts';
import { RelativeTime } from '../../components/attribution.tsx';
import { Card } from '../../components/page.tsx';
import { languageChoices } from '../../languages.ts';
import { completeOrigin } from '../../origin.ts';
import { useWorkspace } from '../../session.ts';
import { RefusedOrigin, Snippet, useInstallation } from '../installation.tsx';
import { ContactForm } from './contact.tsx';
import { PathRulesForm } from './path-rules.tsx';
import { Rows } from './rows.tsx';
import { SettingsView } from './settings.tsx';
import { SettingsCard, useSettingsForm } from './settings-form.tsx';

export function GeneralSettings() {
  const t = useTranslations('settings');
  return (
    <SettingsView title={t('tabs.general')}>
      {(settings) => (
        <Stack>
          <BasicsForm settings={settings} />
          <OriginsForm settings={settings} />
          <PathRulesForm settings={settings} />
          <SuggestionsForm settings={settings} />
          <ContactForm settings={settings} />
          <Card title={t('general.install')} lead={t('general.installLead')}>
            <Snippet />
          </Card>
        </Stack>
      )}
    </SettingsView>
  );
}

function BasicsForm({ settings }: { readonly settings: TenantSettings }) {
  const t = useTranslations('settings.general');
  const { canEdit } = useWorkspace();
  const card = useSettingsForm({
    settings,
    toValues: ({ name, sourceLocale }) => ({ name, sourceLocale }),
    toChange: (changed) => changed,
    fieldPaths: { name: 'name', sourceLocale: 'sourceLocale' },
    validate: ({ name }): Record<string, string> => (/\S/.test(name) ? {} : { name: t('needName') }),
  });
  const choices = languageChoices(useLocale());
  const { sourceLocale } = settings;
  const known = choices.some(({ value }) => value === sourceLocale);
  return (
    <SettingsCard title={t('basics')} form={card}>
      <TextInput
        label={t('name')}
        description={t('nameHint')}
        readOnly={!canEdit}
        dir="auto"
        {...card.form.getInputProps('name')}
      />
      <Select
        label={t('sourceLocale')}
        description={t('sourceLocaleHint')}
        searchable
        allowDeselect={false}
        readOnly={!canEdit}
        data={known ? choices : [{ value: sourceLocale, label: sourceLocale }, ...choices]}
        {...card.form.getInputProps('sourceLocale')}
      />
    </SettingsCard>
  );
}

function SuggestionsForm({ settings }: { readonly settings: TenantSettings }) {
  const t = useTranslations('settings.general');
  const { canEdit } = useWorkspace();
  const card = useSettingsForm({
    settings,
    toValues: ({ suggestions }) => ({ suggestions }),
    toChange: (changed) => changed,
    fieldPaths: { suggestions: 'suggestions' },
    normalize: ({ suggestions }) => ({ suggestions: suggestions.filter((each) => /\S/.test(each)) }),
  });
  const { suggestions } = card.form.values;
  return (
    <SettingsCard title={t('suggestions')} lead={t('suggestionsLead')} form={card}>
      <Rows
        form={card.form}
        path="suggestions"
        count={suggestions.length}
        fresh=""
        canEdit={canEdit}
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
            readOnly={!canEdit}
            dir="auto"
            {...card.form.getInputProps(`suggestions.${at}`)}
          />
        )}
      />
    </SettingsCard>
  );
}

type Values = { readonly origins: readonly string[] };

/** Shows the completed origin while typing, and saves that. */
function OriginsForm({ settings }: { readonly settings: TenantSettings }) {
  const t = useTranslations('settings.general');
  const { canEdit } = useWorkspace();
  const { data: installation } = useInstallation();
  const card = useSettingsForm<Values>({
    settings,
    toValues: ({ allowedOrigins }) => ({ origins: allowedOrigins }),
    toChange: ({ origins = [] }) => ({ allowedOrigins: [...origins] }),
    fieldPaths: { allowedOrigins: 'origins' },
    normalize: ({ origins }) => ({
      origins: origins.filter((each) => /\S/.test(each)).map((each) => completeOrigin(each) ?? each),
    }),
    validate: ({ origins }) => {
      if (origins.length === 0) return { origins: t('needOrigin') };
      const bad = origins.flatMap((each, at) => (completeOrigin(each) ? [] : [`origins.${at}`]));
      return Object.fromEntries(bad.map((path) => [path, t('badOrigin')]));
    },
  });
  const { origins } = card.form.values;
  return (
    <SettingsCard title={t('origins')} lead={t('originsLead')} form={card}>
      <Rows
        form={card.form}
        path="origins"
        count={origins.length}
        fresh=""
        canEdit={canEdit}
        error={card.form.errors.origins}
        words={{ add: t('addOrigin'), remove: (number) => t('removeOrigin', { number }) }}
        row={(at) => {
          const typed = origins[at] ?? '';
          const meant = completeOrigin(typed);
          const seen = installation?.origins.find(({ origin }) => origin === typed);
          return (
            <TextInput
              aria-label={t('origin', { number: at + 1 })}
              placeholder={t('originPlaceholder')}
              inputMode="url"
              autoComplete="off"
              spellCheck={false}
              readOnly={!canEdit}
              dir="ltr"
              inputWrapperOrder={['input', 'description', 'error']}
              description={
                meant && meant !== typed ? t('savedAs', { origin: meant }) : seen && <LastSeen {...seen} />
              }
              {...card.form.getInputProps(`origins.${at}`)}
            />
          );
        }}
      />
      {installation?.refused.map(({ origin }) => (
        <RefusedOrigin key={origin} origin={origin} />
      ))}
    </SettingsCard>
  );
}

function LastSeen({ origin, seenOrigin = origin, lastSeenAt }: Installation['origins'][number]) {
  const t = useTranslations('settings.general');
  if (!lastSeenAt) return t('notSeen');
  const when = () => <RelativeTime at={lastSeenAt} />;
  return seenOrigin === origin ? t.rich('seen', { when }) : t.rich('seenOn', { origin: seenOrigin, when });
}
