import { Alert, Anchor, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useTranslations } from 'use-intl';
import { CenteredPage } from '../components/page.tsx';
import { takeReturnPath, useProviderErrorText } from '../components/provider.tsx';
import { account, arrivalQuery, basePath, startSession } from '../session.ts';

/** Where an identity provider leads back to. */
export default function ProviderReturnPage() {
  const t = useTranslations('provider');
  const errorText = useProviderErrorText();
  const router = useRouter();
  const { data, error } = useQuery({
    queryKey: ['provider-return'],
    queryFn: () => account.provider.finish(arrivalQuery || '?'),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  useEffect(() => {
    // The code works once, but belongs into no history.
    history.replaceState(history.state, '', location.pathname);
  }, []);
  useEffect(() => {
    if (!data) return;
    startSession(data);
    router.history.replace(basePath + takeReturnPath());
  }, [data, router]);
  if (!error) {
    return (
      <CenteredPage key="waiting" title={t('finishing')}>
        {null}
      </CenteredPage>
    );
  }
  return (
    <CenteredPage key="failed" title={t('failedTitle')}>
      <Alert color="red" role="alert">
        <Text>{errorText(error)}</Text>
      </Alert>
      <Anchor component={Link} to="/sign-in" className="self-start">
        {t('tryAgain')}
      </Anchor>
    </CenteredPage>
  );
}
