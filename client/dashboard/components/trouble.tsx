import { Alert, Button, Stack, Text } from '@mantine/core';
import { useFormatter, useTranslations } from 'use-intl';
import { isGuideError } from '../../sdk/errors.ts';
import { Page } from './page.tsx';

/** What did not work, at the place where it was asked for. */
export function Trouble({ error, retry }: { readonly error: unknown; readonly retry?: () => void }) {
  const t = useTranslations();
  const text = useTroubleText();
  return (
    <Alert color="red" variant="light" role="alert" title={t('trouble.title')}>
      <Stack gap="xs" align="flex-start">
        <Text>{text(error)}</Text>
        {retry && (
          <Button variant="default" onClick={retry}>
            {t('shell.retry')}
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

/** A page that could not be shown at all. */
export function TroublePage({ error, retry }: { readonly error: unknown; readonly retry: () => void }) {
  const t = useTranslations('trouble');
  return (
    <Page title={t('title')}>
      <Trouble error={error} retry={retry} />
    </Page>
  );
}

/** Why something did not work, in a sentence for the person in front of it. */
export function useTroubleText(): (error: unknown) => string {
  const t = useTranslations('trouble');
  const format = useFormatter();
  return (error) => {
    if (!isGuideError(error)) return t('broken');
    switch (error.code) {
      case 'network':
      case 'timeout':
      case 'protocol':
        return t('network');
      case 'rate_limit/exceeded': {
        const then = new Date(Date.now() + (error.retryAfterSeconds ?? 60) * 1000);
        return t('rateLimited', { time: format.dateTime(then, { timeStyle: 'medium' }) });
      }
      case 'server/overloaded':
      case 'server/shutting_down':
      case 'storage/unavailable':
        return t('busy');
      case 'session/cross_site':
        return t('crossSite');
      case 'tenant/role_required':
        return t('role');
      case 'request/invalid':
        return [t('invalid'), ...(error.issues ?? []).map(({ message }) => message)].join(' ');
      case 'article/conflict':
      case 'translation/conflict':
        return t('conflict');
      default:
        if (error.status === 404) return t('notFound');
        return error.requestId ? `${t('broken')} ${t('reference', { id: error.requestId })}` : t('broken');
    }
  };
}
