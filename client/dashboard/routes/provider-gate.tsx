import { Alert } from '@mantine/core';
import { useLocation } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { Page } from '../components/page.tsx';
import { goToProvider, ProviderButton, useProviderErrorText } from '../components/provider.tsx';
import { useSession } from '../session.ts';

/** Shown instead of a workspace that requires its identity provider. */
export default function ProviderGate({ name }: { name: string }) {
  const t = useTranslations('provider');
  const { email } = useSession();
  const { href } = useLocation();
  const errorText = useProviderErrorText();
  const [error, setError] = useState<unknown>();
  return (
    <Page title={t('closedTitle')} lead={t('closedLead', { workspace: name })}>
      {error !== undefined && (
        <Alert color="red" role="alert">
          {errorText(error)}
        </Alert>
      )}
      <ProviderButton
        className="self-start"
        label={t('company')}
        go={() => goToProvider({ email }, href)}
        onError={setError}
      />
    </Page>
  );
}
