import { Alert, Loader, NumberInput, Stack, Switch, Textarea } from '@mantine/core';
import { IconInfoCircle } from '@tabler/icons-react';
import { useTranslations } from 'use-intl';
import type { TenantSettings } from '../../../sdk/types.ts';
import { Trouble } from '../../components/trouble.tsx';
import { useWorkspace } from '../../session.ts';
import { SettingsCard } from './settings-card.tsx';
import { useSettingsForm } from './settings-form.ts';
import { SettingsView } from './settings-view.tsx';
import { useMonthName, useUsage } from './use-usage.ts';
import { Used } from './used.tsx';

export function GuideSettings() {
  const t = useTranslations('settings');
  return (
    <SettingsView title={t('tabs.guide')}>
      {(settings) => (
        <Stack>
          <NoModel />
          <Instructions settings={settings} />
          <Budget settings={settings} />
        </Stack>
      )}
    </SettingsView>
  );
}

/** Instructions that nobody reads would be a puzzle. */
function NoModel() {
  const t = useTranslations('settings.guide');
  const { data } = useUsage();
  if (data?.engine !== 'extractive') return null;
  return (
    <Alert color="blue" icon={<IconInfoCircle size={18} aria-hidden />} title={t('noModel')} maw={820}>
      {t('noModelLead')}
    </Alert>
  );
}

function Instructions({ settings }: { readonly settings: TenantSettings }) {
  const t = useTranslations('settings.guide');
  const { mayChange } = useWorkspace();
  const card = useSettingsForm({
    settings,
    valuesOf: ({ guide: { instructions = '', generalAnswers } }) => ({ instructions, generalAnswers }),
    changeOf: ({ instructions, ...guide }) => ({
      guide: {
        ...guide,
        ...(instructions !== undefined && { instructions: /\S/.test(instructions) ? instructions : null }),
      },
    }),
    places: { 'guide.instructions': 'instructions', 'guide.generalAnswers': 'generalAnswers' },
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
        readOnly={!mayChange}
        dir="auto"
        {...card.form.getInputProps('instructions')}
      />
      <Switch
        label={t('generalAnswers')}
        description={t('generalAnswersHint')}
        disabled={!mayChange}
        {...card.form.getInputProps('generalAnswers', { type: 'checkbox' })}
      />
    </SettingsCard>
  );
}

type BudgetValues = { readonly monthly: number | string; readonly turn: number | string };

/** An empty field takes the cap away. */
const numberOf = (typed: number | string) => (typed === '' ? null : Number(typed));
const isWhole = (typed: number | string) => typed === '' || Number.isInteger(Number(typed));

function Budget({ settings }: { readonly settings: TenantSettings }) {
  const t = useTranslations('settings.guide');
  const { mayChange } = useWorkspace();
  const card = useSettingsForm<BudgetValues>({
    settings,
    valuesOf: ({ guide: { monthlyTokensMax = '', turnTokensMax = '' } }) => ({
      monthly: monthlyTokensMax,
      turn: turnTokensMax,
    }),
    changeOf: ({ monthly, turn }) => ({
      guide: {
        ...(monthly !== undefined && { monthlyTokensMax: numberOf(monthly) }),
        ...(turn !== undefined && { turnTokensMax: numberOf(turn) }),
      },
    }),
    places: { 'guide.monthlyTokensMax': 'monthly', 'guide.turnTokensMax': 'turn' },
    wrong: (values) =>
      Object.fromEntries(
        (['monthly', 'turn'] as const)
          .filter((name) => !isWhole(values[name]))
          .map((name) => [name, t('badNumber')]),
      ),
  });
  return (
    <SettingsCard title={t('budget')} lead={t('budgetLead')} form={card}>
      {(['monthly', 'turn'] as const).map((name) => (
        <NumberInput
          key={name}
          label={t(name)}
          description={t(`${name}Hint`)}
          allowDecimal={false}
          allowNegative={false}
          thousandSeparator
          hideControls
          readOnly={!mayChange}
          maw={420}
          {...card.form.getInputProps(name)}
        />
      ))}
      <TokensUsed />
    </SettingsCard>
  );
}

function TokensUsed() {
  const t = useTranslations('settings.guide');
  const month = useMonthName();
  const usage = useUsage();
  if (usage.isPending) return <Loader type="dots" aria-hidden />;
  if (usage.isError) return <Trouble error={usage.error} retry={usage.refetch} />;
  const { usedTokens, monthlyTokensMax: max, period } = usage.data.tokens;
  const words =
    max === undefined
      ? t('usedWithoutCap', { used: usedTokens, month: month(period) })
      : t('usedOf', { used: usedTokens, max, month: month(period) });
  return (
    <Used
      label={t('used')}
      share={max === undefined ? undefined : max > 0 ? usedTokens / max : 1}
      words={words}
    />
  );
}
