import { AppShell, Burger, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Outlet, useLocation, useNavigate, useParams } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useTranslations } from 'use-intl';
import { sessionQuery } from '../session.ts';
import { AccountMenu } from './account-menu.tsx';
import { Navigation } from './navigation.tsx';
import { NotFound } from './not-found.tsx';
import { WorkspaceMenu } from './workspace-menu.tsx';

/** What stands around every page of somebody who is signed in. */
export function Shell() {
  const t = useTranslations('shell');
  const { data: session } = useQuery(sessionQuery);
  const { tenantId } = useParams({ strict: false });
  const location = useLocation();
  const [opened, { toggle, close }] = useDisclosure(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page closes the navigation of a phone
  useEffect(close, [location.pathname]);
  if (!session) return <ToSignIn from={location.href} />;
  const isMember = session.memberships.some((each) => each.tenantId === tenantId);
  const inside = tenantId !== undefined && isMember;
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 240, breakpoint: 'sm', collapsed: { mobile: !opened, desktop: !inside } }}
      padding="lg"
    >
      <a href="#main" className="skip">
        {t('skip')}
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap" miw={0}>
            {inside && (
              <Burger
                opened={opened}
                onClick={toggle}
                hiddenFrom="sm"
                size="sm"
                aria-label={opened ? t('closeNavigation') : t('openNavigation')}
                aria-expanded={opened}
              />
            )}
            <Text fw={700} visibleFrom="xs">
              Guidepost
            </Text>
            {inside && <WorkspaceMenu session={session} tenantId={tenantId} />}
          </Group>
          <AccountMenu session={session} />
        </Group>
      </AppShell.Header>
      {inside && (
        <AppShell.Navbar p="sm" aria-label={t('navigation')}>
          <Navigation tenantId={tenantId} />
        </AppShell.Navbar>
      )}
      <AppShell.Main id="main" tabIndex={-1}>
        {tenantId !== undefined && !isMember ? <NotFound /> : <Outlet />}
      </AppShell.Main>
    </AppShell>
  );
}

/** Once and no more: where the person was is not where they are while the sign-in is fetched. */
function ToSignIn({ from }: { readonly from: string }) {
  const navigate = useNavigate();
  // biome-ignore lint/correctness/useExhaustiveDependencies: every step on the way there would be one more
  useEffect(() => {
    void navigate({ to: '/sign-in', search: { to: from }, replace: true, ignoreBlocker: true });
  }, []);
  return null;
}
