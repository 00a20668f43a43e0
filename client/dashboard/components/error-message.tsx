import { Alert, Button, Stack, Text } from '@mantine/core';
import { useFormatter, useTranslations } from 'use-intl';
import { isGuideError } from '../../sdk/errors.ts';
import { Page, type PageProps } from './page.tsx';

/** Explains a failure in place, with a retry if what failed was loading. */
export function ErrorMessage({ error, retry }: { readonly error: unknown; readonly retry?: () => void }) {
  const t = useTranslations();
  const text = useErrorText();
  return (
    <Alert color="red" variant="light" role="alert" {...(retry && { title: t('errors.couldNotLoad') })}>
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

/** Why a form could not be submitted, above its fields. */
export function FormError({ error }: { readonly error: string | undefined }) {
  return (
    error && (
      <Alert color="red" role="alert">
        {error}
      </Alert>
    )
  );
}

type ErrorPageProps = Pick<PageProps, 'lead'> & {
  readonly title?: string;
  readonly error: unknown;
  readonly retry: () => void;
};

/** A page of which nothing could be loaded. */
export function ErrorPage({ title, lead, error, retry }: ErrorPageProps) {
  const t = useTranslations('errors');
  return (
    <Page title={title ?? t('couldNotLoad')} lead={lead}>
      <ErrorMessage error={error} retry={retry} />
    </Page>
  );
}

export function useErrorText(): (error: unknown) => string {
  const t = useTranslations('errors');
  const format = useFormatter();
  return (error) => {
    if (!isGuideError(error)) return t('unexpected');
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
      case 'tenant/storage_full':
        return t('storageFull');
      case 'request/invalid':
        return [t('invalid'), ...(error.issues ?? []).map(({ message }) => message)].join(' ');
      case 'article/conflict':
      case 'translation/conflict':
        return t('conflict');
      default:
        if (error.status === 404) return t('notFound');
        return error.requestId
          ? `${t('unexpected')} ${t('reference', { id: error.requestId })}`
          : t('unexpected');
    }
  };
}
