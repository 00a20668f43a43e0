import { Group, Select, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { findPathRule, parsePathPattern } from '../../../../contract/path-rules.ts';
import type { TenantSettings } from '../../../sdk/types.ts';
import { useWorkspace } from '../../session.ts';
import { Rows } from './rows.tsx';
import { SettingsCard, useSettingsForm } from './settings-form.tsx';

type Rule = TenantSettings['pathRules'][number];
/** Questions are typed one in a line. */
type RuleValues = Pick<Rule, 'pattern' | 'mode'> & { readonly questions: string };
type Values = { readonly rules: readonly RuleValues[] };

const MODES = ['shown', 'hidden', 'opened'] as const;
const NEW_RULE: RuleValues = { pattern: '', mode: 'hidden', questions: '' };

const toValues = ({ pathRules }: TenantSettings): Values => ({
  rules: pathRules.map(({ pattern, mode, suggestions = [] }) => ({
    pattern,
    mode,
    questions: suggestions.join('\n'),
  })),
});

const toLines = (text: string) => text.split('\n').filter((line) => /\S/.test(line));

function toRule({ pattern, mode, questions }: RuleValues): Rule {
  const suggestions = mode === 'hidden' ? [] : toLines(questions);
  return { pattern, mode, ...(suggestions.length > 0 && { suggestions }) };
}

/** A path as typed or pasted: a whole address, or with spaces around it. */
function normalizePath(typed: string): string {
  const path = typed.trim();
  if (/^https?:\/\//i.test(path)) return URL.canParse(path) ? new URL(path).pathname : path;
  return path === '' || /^[/*]/.test(path) ? path : `/${path}`;
}

/** Where on the site the guide appears: rules in order, and a path to try them on. */
export function PathRulesForm({ settings }: { readonly settings: TenantSettings }) {
  const t = useTranslations('settings.paths');
  const { canEdit } = useWorkspace();
  const card = useSettingsForm<Values>({
    settings,
    toValues,
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
      const bad = rules.flatMap(({ pattern }, at) =>
        parsePathPattern(pattern) ? [] : [`rules.${at}.pattern`],
      );
      return Object.fromEntries(bad.map((path) => [path, t('badPattern')]));
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
        fresh={NEW_RULE}
        firstField=".pattern"
        canEdit={canEdit}
        error={form.errors.rules}
        words={{
          add: t('add'),
          none: t('none'),
          remove: (number) => t('remove', { number }),
          up: (number) => t('up', { number }),
          down: (number) => t('down', { number }),
        }}
        row={(at) => (
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
            {rules[at]?.mode !== 'hidden' && (
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
        )}
      />
      <Text size="sm" c="dimmed">
        {t('hint')}
      </Text>
      <TryPath rules={rules.map((rule) => ({ ...rule, pattern: normalizePath(rule.pattern) }))} />
    </SettingsCard>
  );
}

/** Applies the rules above, saved or not. */
function TryPath({ rules }: { readonly rules: readonly RuleValues[] }) {
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
