import {
  Alert,
  Anchor,
  Button,
  Center,
  Group,
  Paper,
  SimpleGrid,
  Skeleton,
  Stack,
  Text,
  ThemeIcon,
  Title,
  VisuallyHidden,
} from '@mantine/core';
import { Link, useCanGoBack, useParams, useRouter } from '@tanstack/react-router';
import { type ComponentPropsWithRef, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { useFormatter, useTranslations } from 'use-intl';
import { isGuideError } from '../../sdk/errors.ts';
import { Icon } from './icon.tsx';

type PageProps = {
  title: string;
  lead?: ReactNode;
  /** The pages above this one, outermost first. */
  crumbs?: readonly Crumb[];
  /** Actions on the whole page, beside the title. */
  actions?: ReactNode;
  children: ReactNode;
};

/** A page with its title in the window and as a heading that takes the focus after navigation. */
export function Page({ title, lead, crumbs, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Guidepost`;
  }, [title]);
  useEffect(() => {
    // Focus the new page after a link was followed, unless a field has the focus.
    if (document.activeElement === document.body || document.activeElement?.closest('nav')) {
      heading.current?.focus({ preventScroll: true });
    }
  }, []);
  return (
    <Stack gap="lg" className="page">
      <Group justify="space-between" align="flex-start" gap="sm">
        <Stack gap={4}>
          {crumbs && <Breadcrumbs crumbs={crumbs} />}
          <Title order={1} size="h2" tabIndex={-1} ref={heading} dir="auto">
            {title}
          </Title>
          {lead && (
            <Text component="div" c="dimmed">
              {lead}
            </Text>
          )}
        </Stack>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  );
}

/** A page outside of the shell, such as the sign-in. */
export function CenteredPage(page: PageProps) {
  return (
    <Center component="main" mih="100vh" p="md">
      <Paper withBorder p="xl" w="100%" maw={520}>
        <Page {...page} />
      </Paper>
    </Center>
  );
}

/** Maximum width of text in pixels, which limits the line length. */
export const READABLE_WIDTH = 820;

type CardProps = Omit<ComponentPropsWithRef<'form'>, 'title' | 'color'> & {
  title: ReactNode;
  lead?: ReactNode;
  /** Beside the heading. */
  aside?: ReactNode;
  /** For tables with many columns. */
  wide?: boolean;
  component?: 'section' | 'form' | 'li';
  /** Makes the card a landmark with the name of its heading. */
  isRegion?: boolean;
};

/** A section of a page under its heading. */
export function Card({
  title,
  lead,
  aside,
  wide,
  component = 'section',
  isRegion,
  children,
  ...paper
}: CardProps) {
  const id = useId();
  return (
    <Paper
      withBorder
      p="lg"
      component={component as 'form'}
      maw={wide ? undefined : READABLE_WIDTH}
      aria-labelledby={isRegion ? id : undefined}
      {...paper}
    >
      <Stack>
        <Group justify="space-between" align="flex-start" gap="xs">
          <Stack gap={4}>
            <Heading id={id}>{title}</Heading>
            {lead && <Muted>{lead}</Muted>}
          </Stack>
          {aside}
        </Group>
        {children}
      </Stack>
    </Paper>
  );
}

/** Shown in place of an empty list. */
export function EmptyState({ title, lead, children }: Pick<CardProps, 'title' | 'lead' | 'children'>) {
  return (
    <Paper withBorder p="xl">
      <Stack align="flex-start">
        <Text fw={600} size="lg">
          {title}
        </Text>
        <Text>{lead}</Text>
        {children}
      </Stack>
    </Paper>
  );
}

/** Explains a failure in place. Failed loading is retried, automatically if the failure may be temporary. */
export function ErrorMessage({ error, retry }: { error: unknown; retry?: () => void }) {
  const t = useTranslations();
  const text = useErrorText();
  const format = useFormatter();
  const retryAt = useAutomaticRetry(error, retry);
  return (
    <Alert color="red" variant="light" role="alert" {...(retry && { title: t('errors.couldNotLoad') })}>
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

type ErrorPageProps = Pick<PageProps, 'lead' | 'crumbs'> & {
  title?: string;
  error: unknown;
  retry: () => void;
};

/** A page whose content could not be loaded. */
export function ErrorPage({ title, lead, crumbs, error, retry }: ErrorPageProps) {
  const t = useTranslations('errors');
  if (isDeadLink(error)) return <NotFound lead={t('deadLink')} />;
  return (
    <Page title={title ?? t('couldNotLoad')} lead={lead} {...(crumbs && { crumbs })}>
      <ErrorMessage error={error} retry={retry} />
    </Page>
  );
}

/** True for an id that does not exist or is malformed, as in a truncated link. */
const isDeadLink = (error: unknown) =>
  isGuideError(error) && (error.status === 404 || error.code === 'request/invalid');

export function useErrorText(): (error: unknown) => string {
  const t = useTranslations('errors');
  const automation = useTranslations('automation');
  const format = useFormatter();
  return (error) => {
    if (!isGuideError(error)) return t('unexpected');
    switch (error.code) {
      case 'network':
      case 'timeout':
      case 'protocol':
        return t('network');
      case 'rate_limit/exceeded': {
        const retryAt = new Date(Date.now() + (error.retryAfterSeconds ?? 60) * 1000);
        return t('rateLimited', { time: format.dateTime(retryAt, { timeStyle: 'medium' }) });
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
      case 'session/too_many_automations':
        return automation('tooMany');
      case 'image/unsupported':
        return t('imageUnsupported');
      case 'image/too_large':
        return t('imageTooLarge');
      case 'image/too_many':
        return t('imagesTooMany');
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

/** Says that a link leads nowhere, and where to go instead. */
export function NotFound({ lead }: Pick<PageProps, 'lead'>) {
  const t = useTranslations('shell');
  const { history } = useRouter();
  const { tenantId } = useParams({ strict: false });
  const canGoBack = useCanGoBack();
  return (
    <Center mih="60vh" className="page">
      <Stack align="center" maw={420} ta="center">
        <ThemeIcon variant="light" size={72} radius="xl" aria-hidden>
          <Icon name="directions" size={40} />
        </ThemeIcon>
        <Page title={t('notFound')} lead={lead ?? t('notFoundLead')}>
          <Group justify="center">
            <Button component={Link} to={tenantId === undefined ? '/' : `/w/${tenantId}`}>
              {t('toOverview')}
            </Button>
            {canGoBack && (
              <Button variant="default" onClick={() => history.back()}>
                {t('goBack')}
              </Button>
            )}
          </Group>
        </Page>
      </Stack>
    </Center>
  );
}

/** Shown to an account without memberships. */
export function NoWorkspacePage() {
  const t = useTranslations('shell');
  return (
    <Page title={t('noWorkspace')} lead={t('noWorkspaceLead')}>
      {null}
    </Page>
  );
}

/** Errors that may pass by themselves. */
const TEMPORARY = new Set([
  'network',
  'timeout',
  'protocol',
  'rate_limit/exceeded',
  'server/overloaded',
  'server/shutting_down',
  'storage/unavailable',
]);

export const isTemporary = (error: unknown) => isGuideError(error) && TEMPORARY.has(error.code);

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

/** A page above the current one. */
export type Crumb = { label: string; to: string };

/** Links to the pages above the current one, which the heading names. */
export function Breadcrumbs({ crumbs }: { crumbs: readonly Crumb[] }) {
  const t = useTranslations('shell');
  return (
    <nav aria-label={t('breadcrumbs')}>
      <ol className="breadcrumbs">
        {crumbs.map(({ label, to }) => (
          <li key={to}>
            <Anchor component={Link} to={to} size="sm" dir="auto" className="wrap">
              {label}
            </Anchor>
          </li>
        ))}
      </ol>
    </nav>
  );
}

/** The heading of a section of a page. */
export const Heading = Title.withProps({ order: 2, size: 'h4' });

/** A text that is less important than the one before it. */
export const Muted = Text.withProps({ size: 'sm', c: 'dimmed' });

/** A remark below a value. */
export const Note = Text.withProps({ size: 'xs', c: 'dimmed', component: 'div' });
