import { Button, Center, Group, Paper, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import { Link, useCanGoBack, useParams, useRouter } from '@tanstack/react-router';
import { type ComponentPropsWithRef, type ReactNode, useEffect, useId, useRef } from 'react';
import { useTranslations } from 'use-intl';
import { isGuideError } from '../../sdk/errors.ts';
import { Icon } from './icon.tsx';
import { PageLink } from './links.tsx';
import { ErrorMessage } from './loading.tsx';

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
    <Center component="main" mih="100vh" p="md" className="centered">
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
    <Page title={title ?? t('couldNotLoad')} lead={lead} crumbs={crumbs}>
      <ErrorMessage error={error} retry={retry} />
    </Page>
  );
}

/** True for an id that does not exist or is malformed, as in a truncated link. */
const isDeadLink = (error: unknown) =>
  isGuideError(error) && (error.status === 404 || error.code === 'request/invalid');

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

/** A page above the current one, and its path below the workspace. */
type Crumb = { label: string; to: string };

/** Links to the pages above the current one, which the heading names. */
function Breadcrumbs({ crumbs }: { crumbs: readonly Crumb[] }) {
  const t = useTranslations('shell');
  return (
    <nav aria-label={t('breadcrumbs')}>
      <ol className="breadcrumbs">
        {crumbs.map(({ label, to }) => (
          <li key={to}>
            <PageLink to={to} size="sm" dir="auto" className="wrap">
              {label}
            </PageLink>
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
