import { Alert, Button, SimpleGrid, Skeleton, Stack, Text, VisuallyHidden } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useFormatter, useTranslations } from 'use-intl';
import { isGuideError } from '../../sdk/errors.ts';

/** What a page shows until it has its data, or when it has none. */

/** Explains a failure in place. Failed loading is retried, automatically if the failure may be temporary. */
export function ErrorMessage({ error, retry }: { error: unknown; retry?: () => void }) {
  const t = useTranslations();
  const text = useErrorText();
  const format = useFormatter();
  const retryAt = useAutomaticRetry(error, retry);
  return (
    <Alert color="red" variant="light" role="alert" title={retry && t('errors.couldNotLoad')}>
      <Stack gap="xs" align="flex-start">
        <Text className="wrap">{text(error)}</Text>
        {retryAt && (
          <Text size="sm">
            {t('errors.retryingAt', { time: format.dateTime(retryAt, { timeStyle: 'medium' }) })}
          </Text>
        )}
        {retry && (
          <Button variant="default" onClick={retry}>
            {t('shell.retry')}
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

type LoadedProps<T> = {
  query: {
    data?: T | undefined;
    error: unknown;
    isPending: boolean;
    isFetchNextPageError?: boolean;
    refetch: () => unknown;
  };
  /** The shape of the placeholder. */
  shape?: keyof typeof SKELETONS;
  children: (data: T) => ReactNode;
};

/** Shows the data of a query, a placeholder while it loads, or an explanation after a failure. */
export function Loaded<T>({ query, shape, children }: LoadedProps<T>) {
  const { data, error, isPending, isFetchNextPageError = false, refetch } = query;
  if (error && !isFetchNextPageError) return <ErrorMessage error={error} retry={() => void refetch()} />;
  if (isPending || data === undefined) return <Loading shape={shape} />;
  return children(data);
}

/** Texts of errors, by code. */
const ERROR_TEXTS = {
  network: 'network',
  timeout: 'network',
  protocol: 'network',
  'server/overloaded': 'busy',
  'server/shutting_down': 'busy',
  'storage/unavailable': 'busy',
  'session/cross_site': 'crossSite',
  'tenant/role_required': 'role',
  'tenant/storage_full': 'storageFull',
  'image/unsupported': 'imageUnsupported',
  'image/too_large': 'imageTooLarge',
  'image/too_many': 'imagesTooMany',
  'article/conflict': 'conflict',
  'translation/conflict': 'conflict',
} as const;

export function useErrorText(): (error: unknown) => string {
  const t = useTranslations();
  const format = useFormatter();
  return (error) => {
    if (!isGuideError(error)) return t('errors.unexpected');
    const { code, status, issues = [], requestId, retryAfterSeconds = 60 } = error;
    if (code in ERROR_TEXTS) return t(`errors.${ERROR_TEXTS[code as keyof typeof ERROR_TEXTS]}`);
    if (code === 'session/too_many_automations') return t('automation.tooMany');
    if (code === 'request/invalid')
      return [t('errors.invalid'), ...issues.map(({ message }) => message)].join(' ');
    if (code === 'rate_limit/exceeded') {
      const retryAt = new Date(Date.now() + retryAfterSeconds * 1000);
      return t('errors.rateLimited', { time: format.dateTime(retryAt, { timeStyle: 'medium' }) });
    }
    if (status === 404) return t('errors.notFound');
    const reference = requestId ? ` ${t('errors.reference', { id: requestId })}` : '';
    return t('errors.unexpected') + reference;
  };
}

/** Heights in pixels of the placeholder boxes while content loads. */
const SKELETONS = {
  lines: [16, 16, 16],
  table: [24, 36, 36, 36, 36, 36],
  cards: [92, 92, 92, 92],
  chart: [240],
  page: [32, 16, 240],
} as const;

/** Placeholder in about the shape of the content that is loading. */
export function Loading({ shape = 'lines' }: { shape?: keyof typeof SKELETONS }) {
  const t = useTranslations('shell');
  const boxes = SKELETONS[shape].map((height, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: boxes are never reordered
    <Skeleton key={index} height={height} width={getBoxWidth(shape, index)} />
  ));
  return (
    <div role="status" className="skeleton">
      <VisuallyHidden>{t('loading')}</VisuallyHidden>
      {shape === 'cards' ? (
        <SimpleGrid cols={{ base: 1, xs: 2, lg: 4 }}>{boxes}</SimpleGrid>
      ) : (
        <Stack gap="sm">{boxes}</Stack>
      )}
    </div>
  );
}

function getBoxWidth(shape: keyof typeof SKELETONS, index: number): string {
  if (shape === 'page' && index < 2) return index === 0 ? '30%' : '50%';
  return shape === 'lines' && index === 2 ? '60%' : '100%';
}

/** True for an error that may pass by itself. */
export const isTemporary = (error: unknown) =>
  isGuideError(error) &&
  (error.code === 'rate_limit/exceeded' ||
    ['network', 'busy'].includes(ERROR_TEXTS[error.code as keyof typeof ERROR_TEXTS]));

const RETRY_SECONDS = 15;

/**
 * Tries again when a temporary failure may have passed: after the time that the server asked for,
 * or as soon as the browser is online. Returns when that will be.
 */
export function useAutomaticRetry(error: unknown, retry: (() => unknown) | undefined): Date | undefined {
  const latest = useRef(retry);
  latest.current = retry;
  const [at, setAt] = useState<Date>();
  const enabled = retry !== undefined;
  useEffect(() => {
    if (!enabled || !isTemporary(error)) {
      setAt(undefined);
      return;
    }
    const seconds = (isGuideError(error) && error.retryAfterSeconds) || RETRY_SECONDS;
    setAt(new Date(Date.now() + seconds * 1000));
    const retryNow = () => void latest.current?.();
    const timer = setTimeout(retryNow, seconds * 1000);
    addEventListener('online', retryNow);
    return () => {
      clearTimeout(timer);
      removeEventListener('online', retryNow);
    };
  }, [error, enabled]);
  return at;
}
