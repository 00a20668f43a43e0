import { Alert, Button, Code, Group, List, Paper, Stack, Text, ThemeIcon } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import type { Installation as InstallationData } from '../../sdk/types.ts';
import { RelativeTime } from '../components/attribution.tsx';
import { CopyText, ImportButton } from '../components/buttons.tsx';
import { Icon } from '../components/icon.tsx';
import { ButtonLink, PageLink } from '../components/links.tsx';
import { ErrorMessage, Loading } from '../components/loading.tsx';
import { Heading, Muted, Page } from '../components/page.tsx';
import { StatusBadge } from '../components/status-badge.tsx';
import { useAction } from '../components/use-action.tsx';
import { serviceUrl, useCoverage, useTenantQuery, useWorkspace } from '../session.ts';
import { SiteCheck } from './site-check.tsx';

/** The steps of an installation. Each step detects by itself that it is done. */
export default function InstallationPage() {
  const t = useTranslations('installation');
  const pages = useTranslations('shell.pages');
  const overview = useTranslations('overview');
  const { canEdit } = useWorkspace();
  const installation = useInstallation();
  const coverage = useCoverage();
  const isSeen = installation.data?.origins.some(({ lastSeenAt }) => lastSeenAt !== undefined) ?? false;
  const { articles = 0, published = 0 } = coverage.data ?? {};
  return (
    <Page title={t('title')} lead={t('lead')} crumbs={[{ label: pages('overview'), to: '' }]}>
      <Stack component="ol" className="plain-list" maw={820}>
        <StepCard number={1} title={t('installTitle')} done={isSeen}>
          <Installation />
        </StepCard>
        <StepCard number={2} title={t('writeTitle')} done={published > 0}>
          <Text>
            {published > 0
              ? t('written', { count: published })
              : articles > 0
                ? t('draftOnly')
                : t('writeLead')}
          </Text>
          {canEdit && (
            <Group>
              <ButtonLink
                to={`/articles${articles > 0 ? '' : '/new'}`}
                variant={published > 0 ? 'default' : 'filled'}
              >
                {articles > 0 ? overview('toArticles') : t('write')}
              </ButtonLink>
              <ImportButton />
              {articles === 0 && <PageLink to="/start">{t('readWebsite')}</PageLink>}
            </Group>
          )}
        </StepCard>
        <StepCard number={3} title={t('tryTitle')} done={false}>
          <Text>{t('tryLead')}</Text>
          <Group>
            <ButtonLink to="/preview" variant={published > 0 ? 'filled' : 'default'}>
              {t('openPlayground')}
            </ButtonLink>
            <PageLink to="">{t('overview')}</PageLink>
          </Group>
        </StepCard>
      </Stack>
    </Page>
  );
}

type StepCardProps = {
  number: number;
  title: string;
  done: boolean;
  children: ReactNode;
};

function StepCard({ number, title, done, children }: StepCardProps) {
  const t = useTranslations('installation');
  return (
    <Paper component="li" withBorder p="lg">
      <Stack>
        <Group gap="sm">
          <ThemeIcon
            radius="xl"
            variant={done ? 'filled' : 'light'}
            color={done ? 'green.9' : 'blue'}
            aria-hidden
          >
            {done ? <Icon name="check" size={18} /> : number}
          </ThemeIcon>
          <Heading>{title}</Heading>
          {done && <StatusBadge color="green">{t('done')}</StatusBadge>}
        </Group>
        {children}
      </Stack>
    </Paper>
  );
}

const POLL_MILLIS = 1500;

/** Polls until the guide was seen on a site. */
export function useInstallation() {
  return useTenantQuery(['installation'], (tenant, options) => tenant.installation(options), {
    refetchInterval: ({ state }) =>
      state.data?.origins.some(({ lastSeenAt }) => lastSeenAt) ? 15_000 : POLL_MILLIS,
  });
}

export function Snippet() {
  const t = useTranslations('installation');
  const { appId } = useWorkspace();
  const snippet = `<script src="${serviceUrl}/guide.js" data-gp-app="${appId}" data-gp-api="${serviceUrl}" async></script>`;
  return (
    <>
      <Code block dir="ltr" translate="no" className="wrapped" aria-label={t('snippet')}>
        {snippet}
      </Code>
      <Group>
        <CopyText text={snippet} label={t('copySnippet')} />
      </Group>
    </>
  );
}

export function Installation() {
  const t = useTranslations('installation');
  const { canEdit } = useWorkspace();
  const installation = useInstallation();
  return (
    <Stack>
      <Text>{t('installLead')}</Text>
      <Snippet />
      {installation.isPending && <Loading />}
      {installation.isError && <ErrorMessage error={installation.error} retry={installation.refetch} />}
      {installation.data && (
        <>
          <Text fw={600} size="sm">
            {t('allowed')}
          </Text>
          <List spacing={4} aria-live="polite" listStyleType="none">
            {installation.data.origins.map((each) => (
              <SeenOrigin key={each.origin} {...each} />
            ))}
          </List>
          {installation.data.refused.map(({ origin }) => (
            <RefusedOrigin key={origin} origin={origin} />
          ))}
          {canEdit && (
            <>
              <PageLink to="/settings" size="sm">
                {t('changeAllowed')}
              </PageLink>
              <SiteCheck origin={getTriedOrigin(installation.data)} />
            </>
          )}
        </>
      )}
    </Stack>
  );
}

/** The site to try first: where the guide was seen, or else the first that is no pattern. */
const getTriedOrigin = ({ origins }: InstallationData) =>
  origins.find(({ seenOrigin }) => seenOrigin)?.seenOrigin ??
  origins.find(({ origin }) => !origin.includes('*'))?.origin ??
  'https://';

function SeenOrigin({ origin, seenOrigin = origin, lastSeenAt }: InstallationData['origins'][number]) {
  const t = useTranslations('installation');
  return (
    <List.Item
      icon={
        <Icon
          name={lastSeenAt ? 'circle-check' : 'circle-dashed'}
          size={18}
          className={lastSeenAt && 'status-green'}
        />
      }
    >
      <Text component="span" className="wrap">
        {lastSeenAt
          ? t.rich('seen', { origin: seenOrigin, when: () => <RelativeTime at={lastSeenAt} /> })
          : `${origin} · ${t('notSeen')}`}
      </Text>
      {!lastSeenAt && <Muted>{t('waiting')}</Muted>}
    </List.Item>
  );
}

/** A missing origin is the most common installation error, so one click allows it. */
export function RefusedOrigin({ origin }: { origin: string }) {
  const t = useTranslations('installation');
  const { tenant, canEdit } = useWorkspace();
  const allow = useAction(
    async () => {
      const { allowedOrigins } = await tenant.settings.read();
      return tenant.settings.change({ allowedOrigins: [...allowedOrigins, origin] });
    },
    {
      changes: ['installation', 'settings'],
      done: t('allowedNow'),
      undo: () => async () => {
        const { allowedOrigins } = await tenant.settings.read();
        return tenant.settings.change({ allowedOrigins: allowedOrigins.filter((each) => each !== origin) });
      },
    },
  );
  return (
    <Alert color="orange">
      <Stack gap="xs" align="flex-start">
        <Text className="wrap">{t('rejected', { origin })}</Text>
        {canEdit && (
          <Button variant="default" onClick={() => allow.mutate()} loading={allow.isPending}>
            {t('allow', { origin })}
          </Button>
        )}
      </Stack>
    </Alert>
  );
}
