import { Loader, Switch } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { ErrorMessage } from '../../components/loading.tsx';
import { ModelCard, NoModelNotice } from './model.tsx';
import { SettingsView } from './settings.tsx';
import { SettingsForm, WholeNumber } from './settings-form.tsx';
import { UsageMeter, useMonthName, useUsage } from './usage.tsx';
export default function GuideSettings() {
  const t = useTranslations('settings.guide');
  const isWhole = (typed: number | string) => typed === '' || Number.isInteger(Number(typed));
  const toNumber = (typed: number | string) => (typed === '' ? null : Number(typed));
  const limit = {
    as: WholeNumber,
    write: toNumber,
    check: (typed: number | string) => !isWhole(typed) && t('badNumber'),
  } as const;
  return (
    <SettingsView tab="guide">
      {(settings) => (
        <>
          <NoModelNotice />
          <ModelCard />
          <SettingsForm
            settings={settings}
            section="guide"
            title="model"
            lead="lead"
            fields={[{ name: 'generalAnswers', as: Switch, path: 'guide.generalAnswers' }]}
          />
          <SettingsForm
            settings={settings}
            section="guide"
            title="budget"
            lead="budgetLead"
            fields={[
              { ...limit, name: 'monthly', path: 'guide.monthlyTokensMax' },
              { ...limit, name: 'turn', path: 'guide.turnTokensMax', below: <TokenUsage /> },
            ]}
          />
        </>
      )}
    </SettingsView>
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
