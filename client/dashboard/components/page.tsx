import {
  Alert,
  Anchor,
  Button,
  Center,
  Group,
  Loader,
  Paper,
  Stack,
  Text,
  Title,
  VisuallyHidden,
} from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import { useFormatter, useTranslations } from 'use-intl';
import { isGuideError } from '../../sdk/errors.ts';

type PageProps = {
  readonly title: string;
  readonly lead?: ReactNode;
  /** Actions on the whole page, beside the title. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
};

/** A page with its title in the window and as a heading that takes the focus after navigation. */
export function Page({ title, lead, actions, children }: PageProps) {
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

/** Limits the line length, in pixels. */
export const READABLE_WIDTH = 820;

type CardProps = {
  readonly title: string;
  readonly lead?: ReactNode;
  /** For tables with many columns. */
  readonly wide?: boolean;
  readonly children: ReactNode;
};

/** A section of a page under its heading. */
export function Card({ title, lead, wide = false, children }: CardProps) {
  return (
    <Paper withBorder p="lg" maw={wide ? undefined : READABLE_WIDTH}>
      <CardContent title={title} lead={lead}>
        {children}
      </CardContent>
    </Paper>
  );
}

type CardContentProps = Omit<CardProps, 'wide'> & {
  /** Id of the heading, for a region that it labels. */
  readonly id?: string;
};

export function CardContent({ id, title, lead, children }: CardContentProps) {
  return (
    <Stack>
      <Stack gap={4}>
        <Title order={2} size="h4" id={id}>
          {title}
        </Title>
        {lead && (
          <Text size="sm" c="dimmed">
            {lead}
          </Text>
        )}
      </Stack>
      {children}
    </Stack>
  );
}

/** Stands where a list will be. */
export function EmptyState({ title, lead, children }: Omit<CardProps, 'wide'>) {
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

export function Loading() {
  const t = useTranslations('shell');
  return (
    <Center mih={160} role="status">
      <Loader aria-hidden type="dots" />
      <VisuallyHidden>{t('loading')}</VisuallyHidden>
    </Center>
  );
}

type DialogButtonsProps = {
  readonly cancel: () => void;
  readonly locked?: boolean;
  /** The button that submits. */
  readonly children: ReactNode;
};

/** The last row of a form in a dialog. */
export function DialogButtons({ cancel, locked = false, children }: DialogButtonsProps) {
  const t = useTranslations('shell');
  return (
    <Group justify="flex-end">
      <Button variant="default" onClick={cancel} disabled={locked}>
        {t('cancel')}
      </Button>
      {children}
    </Group>
  );
}

export function NotFound() {
  const t = useTranslations('shell');
  return (
    <Page title={t('notFound')} lead={t('notFoundLead')}>
      <Anchor component={Link} to="/">
        {t('toOverview')}
      </Anchor>
    </Page>
  );
}

/** For an account without memberships. */
export function NoWorkspacePage() {
  const t = useTranslations('shell');
  return (
    <Page title={t('noWorkspace')} lead={t('noWorkspaceLead')}>
      {null}
    </Page>
  );
}
