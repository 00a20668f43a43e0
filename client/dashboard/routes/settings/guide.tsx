import { Alert, Loader, Stack, Switch, Textarea } from '@mantine/core';
import { IconInfoCircle } from '@tabler/icons-react';
import { useTranslations } from 'use-intl';
import type { TenantSettings } from '../../../sdk/types.ts';
import { ErrorMessage } from '../../components/page.tsx';
import { useWorkspace } from '../../session.ts';
import { SettingsView } from './settings.tsx';
import { SettingsCard, useSettingsForm, WholeNumberInput } from './settings-form.tsx';
import { UsageMeter, useMonthName, useUsage } from './usage.tsx';

export function GuideSettings() {
  const t = useTranslations('settings');
  return (
    <SettingsView title={t('tabs.guide')}>
      {(settings) => (
        <Stack>
          <NoModelNotice />
          <InstructionsForm settings={settings} />
          <BudgetForm settings={settings} />
        </Stack>
      )}
    </SettingsView>
  );
}

/** Without a language model the instructions have no effect. */
function NoModelNotice() {
  const t = useTranslations('settings.guide');
  const { data } = useUsage();
  if (data?.engine !== 'extractive') return null;
  return (
    <Alert color="blue" icon={<IconInfoCircle size={18} aria-hidden />} title={t('noModel')} maw={820}>
      {t('noModelLead')}
    </Alert>
  );
}

function InstructionsForm({ settings }: { settings: TenantSettings }) {
  const t = useTranslations('settings.guide');
  const { canEdit } = useWorkspace();
  const card = useSettingsForm({
    settings,
    toValues: ({ guide: { instructions = '', generalAnswers } }) => ({ instructions, generalAnswers }),
    toChange: ({ instructions, ...guide }) => ({
      guide: {
        ...guide,
        ...(instructions !== undefined && { instructions: /\S/.test(instructions) ? instructions : null }),
      },
    }),
    fieldPaths: { 'guide.instructions': 'instructions', 'guide.generalAnswers': 'generalAnswers' },
  });
  return (
    <SettingsCard title={t('model')} lead={t('lead')} form={card}>
      <Textarea
        label={t('instructions')}
        description={t('instructionsHint')}
        placeholder={t('instructionsPlaceholder')}
        autosize
        minRows={4}
        maxRows={16}
        readOnly={!canEdit}
        dir="auto"
        {...card.form.getInputProps('instructions')}
      />
      <Switch
        label={t('generalAnswers')}
        description={t('generalAnswersHint')}
        disabled={!canEdit}
        {...card.form.getInputProps('generalAnswers', { type: 'checkbox' })}
      />
    </SettingsCard>
  );
}

type BudgetValues = { monthly: number | string; turn: number | string };

/** Returns null for an empty field, which removes the limit. */
const toNumberOrNull = (typed: number | string) => (typed === '' ? null : Number(typed));
const isWhole = (typed: number | string) => typed === '' || Number.isInteger(Number(typed));

function BudgetForm({ settings }: { settings: TenantSettings }) {
  const t = useTranslations('settings.guide');
  const { canEdit } = useWorkspace();
  const card = useSettingsForm<BudgetValues>({
    settings,
    toValues: ({ guide: { monthlyTokensMax = '', turnTokensMax = '' } }) => ({
      monthly: monthlyTokensMax,
      turn: turnTokensMax,
    }),
    toChange: ({ monthly, turn }) => ({
      guide: {
        ...(monthly !== undefined && { monthlyTokensMax: toNumberOrNull(monthly) }),
        ...(turn !== undefined && { turnTokensMax: toNumberOrNull(turn) }),
      },
    }),
    fieldPaths: { 'guide.monthlyTokensMax': 'monthly', 'guide.turnTokensMax': 'turn' },
    validate: (values) =>
      Object.fromEntries(
        (['monthly', 'turn'] as const)
          .filter((name) => !isWhole(values[name]))
          .map((name) => [name, t('badNumber')]),
      ),
  });
  return (
    <SettingsCard title={t('budget')} lead={t('budgetLead')} form={card}>
      {(['monthly', 'turn'] as const).map((name) => (
        <WholeNumberInput
          key={name}
          label={t(name)}
          description={t(`${name}Hint`)}
          readOnly={!canEdit}
          {...card.form.getInputProps(name)}
        />
      ))}
      <TokenUsage />
    </SettingsCard>
  );
}

function TokenUsage() {
  const t = useTranslations('settings.guide');
  const month = useMonthName();
  const usage = useUsage();
  if (usage.isPending) return <Loader type="dots" aria-hidden />;
  if (usage.isError) return <ErrorMessage error={usage.error} retry={usage.refetch} />;
  const { tokens, embeddings } = usage.data;
  const { usedTokens, monthlyTokensMax: max, period } = tokens;
  const words =
    max === undefined
      ? t('usedWithoutCap', { used: usedTokens, month: month(period) })
      : t('usedOf', { used: usedTokens, max, month: month(period) });
  return (
    <>
      <UsageMeter
        label={t('used')}
        share={max === undefined ? undefined : max > 0 ? usedTokens / max : 1}
        words={words}
      />
      {embeddings && embeddings.texts > 0 && (
        <UsageMeter
          label={t('embedded')}
          share={undefined}
          words={t('embeddedOf', { embedded: embeddings.embeddedTexts, texts: embeddings.texts })}
        />
      )}
    </>
  );
}
