import { Group, Select, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useLocale, useTranslations } from 'use-intl';
import { findPathRule, parsePathPattern } from '../../../../contract/path-rules.ts';
import type { Installation, TenantSettings } from '../../../sdk/types.ts';
import { RelativeTime } from '../../components/attribution.tsx';
import { Card } from '../../components/page.tsx';
import { languageChoices } from '../../languages.ts';
import { completeOrigin } from '../../origin.ts';
import { useWorkspace } from '../../session.ts';
import { RefusedOrigin, Snippet, useInstallation } from '../installation.tsx';
import { SettingsView } from './settings.tsx';
import { Rows, SettingsCard, useSettingsForm } from './settings-form.tsx';

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

function BasicsForm({ settings }: { settings: TenantSettings }) {
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
  const isListed = choices.some(({ value }) => value === sourceLocale);
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
        data={isListed ? choices : [{ value: sourceLocale, label: sourceLocale }, ...choices]}
        {...card.form.getInputProps('sourceLocale')}
      />
    </SettingsCard>
  );
}

function SuggestionsForm({ settings }: { settings: TenantSettings }) {
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
        newRow=""
        canEdit={canEdit}
        error={card.form.errors.suggestions}
        labels={{
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

type OriginValues = { origins: readonly string[] };

/** Shows the completed origin while typing, and saves that. */
function OriginsForm({ settings }: { settings: TenantSettings }) {
  const t = useTranslations('settings.general');
  const { canEdit } = useWorkspace();
  const { data: installation } = useInstallation();
  const card = useSettingsForm<OriginValues>({
    settings,
    toValues: ({ allowedOrigins }) => ({ origins: allowedOrigins }),
    toChange: ({ origins = [] }) => ({ allowedOrigins: [...origins] }),
    fieldPaths: { allowedOrigins: 'origins' },
    normalize: ({ origins }) => ({
      origins: origins.filter((each) => /\S/.test(each)).map((each) => completeOrigin(each) ?? each),
    }),
    validate: ({ origins }) => {
      if (origins.length === 0) return { origins: t('needOrigin') };
      const invalidPaths = origins.flatMap((each, at) => (completeOrigin(each) ? [] : [`origins.${at}`]));
      return Object.fromEntries(invalidPaths.map((path) => [path, t('badOrigin')]));
    },
  });
  const { origins } = card.form.values;
  return (
    <SettingsCard title={t('origins')} lead={t('originsLead')} form={card}>
      <Rows
        form={card.form}
        path="origins"
        count={origins.length}
        newRow=""
        canEdit={canEdit}
        error={card.form.errors.origins}
        labels={{ add: t('addOrigin'), remove: (number) => t('removeOrigin', { number }) }}
        row={(at) => {
          const typed = origins[at] ?? '';
          const completed = completeOrigin(typed);
          const installed = installation?.origins.find(({ origin }) => origin === typed);
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
                completed && completed !== typed
                  ? t('savedAs', { origin: completed })
                  : installed && <LastSeen {...installed} />
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

const CONTACT_FIELDS = {
  email: {
    type: 'email',
    error: 'badEmail',
    isValid: (text: string) => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text),
  },
  url: {
    type: 'url',
    error: 'badUrl',
    isValid: (text: string) => /^https?:\/\/\S+$/i.test(text) && URL.canParse(text),
  },
  phone: {
    type: 'tel',
    error: 'badPhone',
    isValid: (text: string) => /^\+?\d(?: ?\d){2,14}$/.test(text),
  },
} as const;
const CONTACT_WAYS = ['email', 'url', 'phone'] as const;

type ContactValues = Readonly<Record<(typeof CONTACT_WAYS)[number], string>>;

/** Where visitors reach a person. An empty field removes it. */
function ContactForm({ settings }: { settings: TenantSettings }) {
  const t = useTranslations('settings.general');
  const { canEdit } = useWorkspace();
  const card = useSettingsForm<ContactValues>({
    settings,
    toValues: ({ contact: { email = '', url = '', phone = '' } = {} }) => ({ email, url, phone }),
    toChange: (changed) => ({
      contact: Object.fromEntries(Object.entries(changed).map(([name, text]) => [name, text || null])),
    }),
    fieldPaths: { 'contact.email': 'email', 'contact.url': 'url', 'contact.phone': 'phone' },
    normalize: ({ email, url, phone }) => ({
      email: email.trim(),
      url: url.trim(),
      phone: phone.trim().replace(/[\s./-]+/g, ' '),
    }),
    validate: (values) => {
      const invalidFields = CONTACT_WAYS.filter(
        (name) => values[name] !== '' && !CONTACT_FIELDS[name].isValid(values[name]),
      );
      return Object.fromEntries(invalidFields.map((name) => [name, t(CONTACT_FIELDS[name].error)]));
    },
  });
  return (
    <SettingsCard title={t('contact')} lead={t('contactLead')} form={card}>
      {CONTACT_WAYS.map((name) => (
        <TextInput
          key={name}
          type={CONTACT_FIELDS[name].type}
          label={t(name)}
          description={t(`${name}Hint`)}
          autoComplete="off"
          spellCheck={false}
          readOnly={!canEdit}
          dir="ltr"
          maw={520}
          {...card.form.getInputProps(name)}
        />
      ))}
    </SettingsCard>
  );
}

type Rule = TenantSettings['pathRules'][number];
/** `questions` holds one question per line. */
type RuleRow = Pick<Rule, 'pattern' | 'mode'> & { questions: string };
type RulesValues = { rules: readonly RuleRow[] };

const MODES = ['shown', 'hidden', 'opened'] as const;
const NEW_RULE: RuleRow = { pattern: '', mode: 'hidden', questions: '' };

const toRulesValues = ({ pathRules }: TenantSettings): RulesValues => ({
  rules: pathRules.map(({ pattern, mode, suggestions = [] }) => ({
    pattern,
    mode,
    questions: suggestions.join('\n'),
  })),
});

const toLines = (text: string) => text.split('\n').filter((line) => /\S/.test(line));

function toRule({ pattern, mode, questions }: RuleRow): Rule {
  const suggestions = mode === 'hidden' ? [] : toLines(questions);
  return { pattern, mode, ...(suggestions.length > 0 && { suggestions }) };
}

/** Accepts a full URL, surrounding spaces or a missing leading slash. */
function normalizePath(typed: string): string {
  const path = typed.trim();
  if (/^https?:\/\//i.test(path)) return URL.canParse(path) ? new URL(path).pathname : path;
  return path === '' || /^[/*]/.test(path) ? path : `/${path}`;
}

/** Where on the site the guide appears: rules in order, and a path to try them on. */
function PathRulesForm({ settings }: { settings: TenantSettings }) {
  const t = useTranslations('settings.paths');
  const { canEdit } = useWorkspace();
  const card = useSettingsForm<RulesValues>({
    settings,
    toValues: toRulesValues,
    toChange: ({ rules = [] }) => ({ pathRules: rules.map(toRule) }),
    fieldPaths: { pathRules: 'rules' },
    normalize: ({ rules }) => ({
      rules: rules
        .filter(({ pattern, questions }) => /\S/.test(pattern + questions))
        .map((rule) => ({
          ...rule,
          pattern: normalizePath(rule.pattern),
          questions: rule.mode === 'hidden' ? '' : toLines(rule.questions).join('\n'),
        })),
    }),
    validate: ({ rules }) => {
      const invalidPaths = rules.flatMap(({ pattern }, at) =>
        parsePathPattern(pattern) ? [] : [`rules.${at}.pattern`],
      );
      return Object.fromEntries(invalidPaths.map((path) => [path, t('badPattern')]));
    },
  });
  const { form } = card;
  const { rules } = form.values;
  return (
    <SettingsCard title={t('title')} lead={t('lead')} form={card}>
      <Rows
        form={form}
        path="rules"
        count={rules.length}
        newRow={NEW_RULE}
        firstField=".pattern"
        canEdit={canEdit}
        error={form.errors.rules}
        labels={{
          add: t('add'),
          none: t('none'),
          remove: (number) => t('remove', { number }),
          up: (number) => t('up', { number }),
          down: (number) => t('down', { number }),
        }}
        row={(at) => <RuleFields form={form} at={at} canEdit={canEdit} />}
      />
      <Text size="sm" c="dimmed">
        {t('hint')}
      </Text>
      <TryPath rules={rules.map((rule) => ({ ...rule, pattern: normalizePath(rule.pattern) }))} />
    </SettingsCard>
  );
}

type RuleFieldsProps = {
  form: ReturnType<typeof useSettingsForm<RulesValues>>['form'];
  at: number;
  canEdit: boolean;
};

function RuleFields({ form, at, canEdit }: RuleFieldsProps) {
  const t = useTranslations('settings.paths');
  return (
    <Stack gap="xs">
      <Group gap="xs" align="flex-start" grow preventGrowOverflow={false}>
        <TextInput
          aria-label={t('pattern', { number: at + 1 })}
          placeholder="/checkout/*"
          autoComplete="off"
          spellCheck={false}
          readOnly={!canEdit}
          dir="ltr"
          {...form.getInputProps(`rules.${at}.pattern`)}
        />
        <Select
          aria-label={t('mode', { number: at + 1 })}
          allowDeselect={false}
          readOnly={!canEdit}
          data={MODES.map((value) => ({ value, label: t(`modes.${value}`) }))}
          {...form.getInputProps(`rules.${at}.mode`)}
        />
      </Group>
      {form.values.rules[at]?.mode !== 'hidden' && (
        <Textarea
          aria-label={t('questions', { number: at + 1 })}
          placeholder={t('questionsHint')}
          autosize
          minRows={1}
          maxRows={4}
          readOnly={!canEdit}
          dir="auto"
          {...form.getInputProps(`rules.${at}.questions`)}
        />
      )}
    </Stack>
  );
}

/** Applies the rules above, saved or not. */
function TryPath({ rules }: { rules: readonly RuleRow[] }) {
  const t = useTranslations('settings.paths');
  const [typed, setTyped] = useState('');
  const path = normalizePath(typed);
  const rule = findPathRule(rules, path);
  const mode = t(`modes.${rule?.mode ?? 'shown'}`);
  const result = rule ? t('tried', { number: rules.indexOf(rule) + 1, mode }) : t('triedNone', { mode });
  return (
    <Stack gap={4} w="100%">
      <TextInput
        label={t('try')}
        description={t('tryHint')}
        placeholder="/checkout/payment"
        autoComplete="off"
        spellCheck={false}
        dir="ltr"
        value={typed}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        // Enter would save the form.
        onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
      />
      <Text role="status" size="sm">
        {path && result}
      </Text>
    </Stack>
  );
}
