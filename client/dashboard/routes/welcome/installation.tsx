import { Alert, Anchor, Button, Code, Group, List, Stack, Text } from '@mantine/core';
import { IconCircleCheck, IconCircleDashed } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import { Copy } from '../../components/copy.tsx';
import { Loading } from '../../components/loading.tsx';
import { Moment } from '../../components/moment.tsx';
import { Trouble } from '../../components/trouble.tsx';
import { useStep } from '../../components/use-step.ts';
import { serviceUrl } from '../../service.ts';
import { useWorkspace } from '../../session.ts';

const LOOK_AGAIN_MILLIS = 1500;

/** On which sites the guide was seen, looked at again and again while somebody waits for it. */
export function useInstallation() {
  const { tenant, tenantId } = useWorkspace();
  return useQuery({
    queryKey: ['tenant', tenantId, 'installation'],
    queryFn: ({ signal }) => tenant.installation({ signal }),
    refetchInterval: ({ state }) =>
      state.data?.origins.some(({ lastSeenAt }) => lastSeenAt) ? 15_000 : LOOK_AGAIN_MILLIS,
  });
}

/** The line to paste. */
export function Snippet() {
  const t = useTranslations('welcome');
  const { appId } = useWorkspace();
  const snippet = `<script src="${serviceUrl}/guide.js" data-gp-app="${appId}" data-gp-api="${serviceUrl}" async></script>`;
  return (
    <>
      <Code block dir="ltr" translate="no" className="wrapped" aria-label={t('snippet')}>
        {snippet}
      </Code>
      <Group>
        <Copy text={snippet} label={t('copySnippet')} />
      </Group>
    </>
  );
}

/** The line to paste, and whether it has arrived. */
export function Installation() {
  const t = useTranslations('welcome');
  const { tenantId, mayChange } = useWorkspace();
  const installation = useInstallation();
  return (
    <Stack>
      <Text>{t('putLead')}</Text>
      <Snippet />
      {installation.isPending && <Loading />}
      {installation.isError && <Trouble error={installation.error} retry={installation.refetch} />}
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
          {mayChange && (
            <Anchor component={Link} to={`/w/${tenantId}/settings`} size="sm">
              {t('changeAllowed')}
            </Anchor>
          )}
        </>
      )}
    </Stack>
  );
}

function SeenOrigin({
  origin,
  seenOrigin = origin,
  lastSeenAt,
}: {
  readonly origin: string;
  readonly seenOrigin?: string | undefined;
  readonly lastSeenAt?: string | undefined;
}) {
  const t = useTranslations('welcome');
  return (
    <List.Item
      icon={
        lastSeenAt ? (
          <IconCircleCheck size={18} aria-hidden className="standing-green" />
        ) : (
          <IconCircleDashed size={18} aria-hidden />
        )
      }
    >
      <Text component="span" className="wrap">
        {lastSeenAt
          ? t.rich('seen', { origin: seenOrigin, when: () => <Moment at={lastSeenAt} /> })
          : `${origin} · ${t('notSeen')}`}
      </Text>
      {!lastSeenAt && (
        <Text size="sm" c="dimmed">
          {t('waiting')}
        </Text>
      )}
    </List.Item>
  );
}

/** Most first tries fail at the list of origins: the page that asked is named, and one click allows it. */
export function RefusedOrigin({ origin }: { readonly origin: string }) {
  const t = useTranslations('welcome');
  const { tenant, tenantId, mayChange } = useWorkspace();
  const allow = useStep(
    async () => {
      const { allowedOrigins } = await tenant.settings.read();
      return tenant.settings.change({ allowedOrigins: [...allowedOrigins, origin] });
    },
    {
      changes: [
        ['tenant', tenantId, 'installation'],
        ['tenant', tenantId, 'settings'],
      ],
      done: t('allowedNow'),
    },
  );
  return (
    <Alert color="orange">
      <Stack gap="xs" align="flex-start">
        <Text className="wrap">{t('refused', { origin })}</Text>
        {mayChange && (
          <Button variant="default" onClick={() => allow.mutate()} loading={allow.isPending}>
            {t('allowIt', { origin })}
          </Button>
        )}
      </Stack>
    </Alert>
  );
}
