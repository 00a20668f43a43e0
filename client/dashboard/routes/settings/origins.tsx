import { TextInput } from '@mantine/core';
import { useTranslations } from 'use-intl';
import type { Installation, TenantSettings } from '../../../sdk/types.ts';
import { Moment } from '../../components/moment.tsx';
import { completedOrigin } from '../../origin.ts';
import { useWorkspace } from '../../session.ts';
import { RefusedOrigin, useInstallation } from '../welcome/installation.tsx';
import { Rows } from './rows.tsx';
import { SettingsCard } from './settings-card.tsx';
import { useSettingsForm } from './settings-form.ts';

type Values = { readonly origins: readonly string[] };

/** Few people type an origin whole: what they mean is shown while they type, and saved. */
export function Origins({ settings }: { readonly settings: TenantSettings }) {
  const t = useTranslations('settings.general');
  const { mayChange } = useWorkspace();
  const { data: installation } = useInstallation();
  const card = useSettingsForm<Values>({
    settings,
    valuesOf: ({ allowedOrigins }) => ({ origins: allowedOrigins }),
    changeOf: ({ origins = [] }) => ({ allowedOrigins: [...origins] }),
    places: { allowedOrigins: 'origins' },
    tidy: ({ origins }) => ({
      origins: origins.filter((each) => /\S/.test(each)).map((each) => completedOrigin(each) ?? each),
    }),
    wrong: ({ origins }) => {
      if (origins.length === 0) return { origins: t('needOrigin') };
      const bad = origins.flatMap((each, at) => (completedOrigin(each) ? [] : [`origins.${at}`]));
      return Object.fromEntries(bad.map((place) => [place, t('badOrigin')]));
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
        mayChange={mayChange}
        error={card.form.errors.origins}
        words={{ add: t('addOrigin'), remove: (number) => t('removeOrigin', { number }) }}
        row={(at) => {
          const typed = origins[at] ?? '';
          const meant = completedOrigin(typed);
          const seen = installation?.origins.find(({ origin }) => origin === typed);
          return (
            <TextInput
              aria-label={t('origin', { number: at + 1 })}
              placeholder={t('originPlaceholder')}
              inputMode="url"
              autoComplete="off"
              spellCheck={false}
              readOnly={!mayChange}
              dir="ltr"
              inputWrapperOrder={['input', 'description', 'error']}
              description={
                meant && meant !== typed ? t('becomes', { origin: meant }) : seen && <Seen {...seen} />
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

function Seen({ origin, seenOrigin = origin, lastSeenAt }: Installation['origins'][number]) {
  const t = useTranslations('settings.general');
  if (!lastSeenAt) return t('notSeen');
  const when = () => <Moment at={lastSeenAt} />;
  return seenOrigin === origin ? t.rich('seen', { when }) : t.rich('seenOn', { origin: seenOrigin, when });
}
