import { Group, Select, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useLocale, useTranslations } from 'use-intl';
import { HANDOVER_LIMITS } from '../../../../contract/limits/handovers.ts';
import { findPathRule, parsePathPattern } from '../../../../contract/path-rules.ts';
import type { Installation, TenantSettings } from '../../../sdk/types.ts';
import { RelativeTime } from '../../components/attribution.tsx';
import { type FormState, trim } from '../../components/form.tsx';
import { Card, Muted } from '../../components/page.tsx';
import { languageChoices } from '../../languages.ts';
import { completeOrigin } from '../../origin.ts';
import { useWorkspace } from '../../session.ts';
import { RefusedOrigin, Snippet, useInstallation } from '../installation.tsx';
import { SettingsView } from './settings.tsx';
import { Choice, RadioField, Rows, SettingsForm } from './settings-form.tsx';

type FormProps = { settings: TenantSettings };

export default function GeneralSettings() {
  const t = useTranslations('settings.general');
  return (
    <SettingsView tab="general">
      {(settings) => (
        <>
          <BasicsForm settings={settings} />
          <OriginsForm settings={settings} />
          <PathRulesForm settings={settings} />
          <SuggestionsForm settings={settings} />
          <ContactForm settings={settings} />
          <HandoverForm settings={settings} />
          <Card title={t('install')} lead={t('installLead')}>
            <Snippet />
          </Card>
        </>
      )}
    </SettingsView>
  );
}

function BasicsForm({ settings }: FormProps) {
  const t = useTranslations('settings.general');
  return (
    <SettingsForm
      settings={settings}
      section="general"
      title="basics"
      fields={[
        {
          name: 'name',
          as: TextInput,
          check: (name: string) => !/\S/.test(name) && t('needName'),
          input: { dir: 'auto' },
        },
        {
          name: 'sourceLocale',
          as: Choice,
          input: { searchable: true, data: languageChoices(useLocale(), settings.sourceLocale) },
        },
      ]}
    />
  );
}

function SuggestionsForm({ settings }: FormProps) {
  const t = useTranslations('settings.general');
  const { canEdit } = useWorkspace();
  const rows = (form: FormState) => (
    <Rows
      form={form}
      path="suggestions"
      newRow=""
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
          {...form.getInputProps(`suggestions.${at}`)}
        />
      )}
    />
  );
  return (
    <SettingsForm
      settings={settings}
      section="general"
      title="suggestions"
      lead="suggestionsLead"
      fields={[{ name: 'suggestions', clean: dropBlank, render: rows }]}
    />
  );
}

const dropBlank = (texts: readonly string[]) => texts.filter((text) => /\S/.test(text));

function OriginsForm({ settings }: FormProps) {
  const t = useTranslations('settings.general');
  const { data: installation } = useInstallation();
  const rows = (form: FormState) => (
    <Rows
      form={form}
      path="origins"
      newRow=""
      labels={{ add: t('addOrigin'), remove: (number) => t('removeOrigin', { number }) }}
      row={(at) => <OriginField form={form} at={at} />}
    />
  );
  const findErrors = (origins: readonly string[]) => {
    if (origins.length === 0) return t('needOrigin');
    const invalidPaths = origins.flatMap((each, at) => (completeOrigin(each) ? [] : [`origins.${at}`]));
    return Object.fromEntries(invalidPaths.map((path) => [path, t('badOrigin')]));
  };
  return (
    <SettingsForm
      settings={settings}
      section="general"
      title="origins"
      lead="originsLead"
      fields={[
        {
          name: 'origins',
          path: 'allowedOrigins',
          clean: (origins: readonly string[]) =>
            dropBlank(origins).map((each) => completeOrigin(each) ?? each),
          check: findErrors,
          explainIssue: () => t('badOrigin'),
          render: rows,
          below: installation?.refused.map(({ origin }) => <RefusedOrigin key={origin} origin={origin} />),
        },
      ]}
    />
  );
}

type RowProps = { form: FormState; at: number };

/** Shows the completed origin while typing; that one is saved. */
function OriginField({ form, at }: RowProps) {
  const t = useTranslations('settings.general');
  const { canEdit } = useWorkspace();
  const { data: installation } = useInstallation();
  const typed = (form.values.origins as readonly string[])[at] ?? '';
  const completed = completeOrigin(typed);
  const installed = installation?.origins.find(({ origin }) => origin === typed);
  return (
    <TextInput
      aria-label={t('origin', { number: at + 1 })}
      placeholder={t('originPlaceholder')}
      inputMode="url"
      {...CODE}
      readOnly={!canEdit}
      inputWrapperOrder={['input', 'description', 'error']}
      description={
        completed && completed !== typed
          ? t('savedAs', { origin: completed })
          : installed && <LastSeen {...installed} />
      }
      {...form.getInputProps(`origins.${at}`)}
    />
  );
}

/** For a field whose text is no language. */
const CODE = { autoComplete: 'off', spellCheck: false, dir: 'ltr' } as const;

function LastSeen({ origin, seenOrigin = origin, lastSeenAt }: Installation['origins'][number]) {
  const t = useTranslations('settings.general');
  if (!lastSeenAt) return t('notSeen');
  const when = () => <RelativeTime at={lastSeenAt} />;
  return seenOrigin === origin ? t.rich('seen', { when }) : t.rich('seenOn', { origin: seenOrigin, when });
}

/** Where visitors reach a person. An empty field removes it. */
function ContactForm({ settings }: FormProps) {
  const t = useTranslations('settings.general');
  const contact = (
    name: 'email' | 'url' | 'phone',
    type: string,
    isValid: (text: string) => boolean,
    bad: string,
  ) =>
    ({
      name,
      as: TextInput,
      path: `contact.${name}`,
      clean: trim,
      check: (text: string) => text !== '' && !isValid(text) && bad,
      input: { type, maw: 520, ...CODE },
    }) as const;
  return (
    <SettingsForm
      settings={settings}
      section="general"
      title="contact"
      lead="contactLead"
      fields={[
        contact('email', 'email', isEmail, t('badEmail')),
        contact('url', 'url', (text) => /^https?:\/\/\S+$/i.test(text) && URL.canParse(text), t('badUrl')),
        {
          ...contact('phone', 'tel', (text) => /^\+?\d(?: ?\d){2,14}$/.test(text), t('badPhone')),
          clean: (text: string) => text.trim().replace(/[\s./-]+/g, ' '),
        },
      ]}
    />
  );
}

const isEmail = (text: string) => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text);

const HANDOVER_MODES = ['off', 'when_needed', 'always'] as const;

/** When visitors may ask a person through the guide. */
function HandoverForm({ settings }: FormProps) {
  const t = useTranslations('settings.general');
  return (
    <SettingsForm
      settings={settings}
      section="general"
      title="handover"
      lead="handoverLead"
      fields={[
        {
          name: 'handoverMode',
          path: 'handover.mode',
          as: RadioField,
          input: {
            choices: HANDOVER_MODES.map((value) => ({ value, label: t(`handoverModes.${value}`) })),
          },
        },
        {
          name: 'answerTime',
          path: 'handover.answerTime',
          as: TextInput,
          clean: trim,
          input: { dir: 'auto', maw: 520, maxLength: HANDOVER_LIMITS.answerTimeCharsMax },
        },
        {
          name: 'deskEmail',
          path: 'handover.email',
          as: TextInput,
          clean: trim,
          check: (text: string) => text !== '' && !isEmail(text) && t('badEmail'),
          input: { type: 'email', maw: 520, ...CODE },
        },
      ]}
    />
  );
}

type Rule = TenantSettings['pathRules'][number];
/** `questions` holds one question per line. */
type RuleRow = Pick<Rule, 'pattern' | 'mode'> & { questions: string };

const MODES = ['shown', 'hidden', 'opened'] as const;
const NEW_RULE: RuleRow = { pattern: '', mode: 'hidden', questions: '' };

const toRows = (rules: readonly Rule[]): RuleRow[] =>
  rules.map(({ pattern, mode, suggestions = [] }) => ({ pattern, mode, questions: suggestions.join('\n') }));

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
function PathRulesForm({ settings }: FormProps) {
  const t = useTranslations('settings.paths');
  const rows = (form: FormState) => (
    <>
      <Rows
        form={form}
        path="rules"
        newRow={NEW_RULE}
        firstField=".pattern"
        labels={{
          add: t('add'),
          none: t('none'),
          remove: (number) => t('remove', { number }),
          up: (number) => t('up', { number }),
          down: (number) => t('down', { number }),
        }}
        row={(at) => <RuleFields form={form} at={at} />}
      />
      <Muted>{t('hint')}</Muted>
      <TryPath rules={(form.values.rules as RuleRow[]).map(normalizeRule)} />
    </>
  );
  const findErrors = (rules: readonly RuleRow[]) => {
    const invalidPaths = rules.flatMap(({ pattern }, at) =>
      parsePathPattern(pattern) ? [] : [`rules.${at}.pattern`],
    );
    return Object.fromEntries(invalidPaths.map((path) => [path, t('badPattern')]));
  };
  return (
    <SettingsForm
      settings={settings}
      section="paths"
      title="title"
      lead="lead"
      fields={[
        {
          name: 'rules',
          path: 'pathRules',
          read: toRows,
          write: (rules: readonly RuleRow[]) => rules.map(toRule),
          clean: (rules: readonly RuleRow[]) =>
            rules.filter(({ pattern, questions }) => /\S/.test(pattern + questions)).map(normalizeRule),
          check: findErrors,
          render: rows,
        },
      ]}
    />
  );
}

const normalizeRule = (rule: RuleRow): RuleRow => ({
  ...rule,
  pattern: normalizePath(rule.pattern),
  questions: rule.mode === 'hidden' ? '' : toLines(rule.questions).join('\n'),
});

function RuleFields({ form, at }: RowProps) {
  const { canEdit } = useWorkspace();
  const t = useTranslations('settings.paths');
  return (
    <Stack gap="xs">
      <Group gap="xs" align="flex-start" grow preventGrowOverflow={false}>
        <TextInput
          aria-label={t('pattern', { number: at + 1 })}
          placeholder="/checkout/*"
          {...CODE}
          readOnly={!canEdit}
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
      {(form.values.rules as RuleRow[])[at]?.mode !== 'hidden' && (
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
        {...CODE}
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
