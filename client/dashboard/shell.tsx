import { AppShell, Burger, Button, Group, Menu, NavLink, Text, useMantineColorScheme } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useLocation, useNavigate, useParams } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useLocale, useTranslations } from 'use-intl';
import type { SessionState } from '../sdk/types.ts';
import {
  IconChartBar,
  IconFileText,
  IconHistory,
  IconHome,
  IconInbox,
  IconLogout,
  IconMessages,
  IconPlayerPlay,
  IconSelector,
  IconSettings,
  IconUser,
} from './components/icons.tsx';
import { NotFound } from './components/page.tsx';
import { useAction } from './components/use-action.tsx';
import { deleteAllDrafts } from './editor/draft.ts';
import { LANGUAGES, setLanguage } from './languages.ts';
import { account, queries, SESSION, sessionQuery, useWorkspace } from './session.ts';

export function Shell() {
  const t = useTranslations('shell');
  const { data: session } = useQuery(sessionQuery);
  const { tenantId } = useParams({ strict: false });
  const location = useLocation();
  const [opened, { toggle, close }] = useDisclosure(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page closes the navigation of a phone
  useEffect(close, [location.pathname]);
  if (!session) return <RedirectToSignIn from={location.href} />;
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

/** Redirects once, on mount: the location changes while the sign-in page loads. */
function RedirectToSignIn({ from }: { readonly from: string }) {
  const navigate = useNavigate();
  // biome-ignore lint/correctness/useExhaustiveDependencies: every step on the way there would be one more
  useEffect(() => {
    void navigate({ to: '/sign-in', search: { to: from }, replace: true, ignoreBlocker: true });
  }, []);
  return null;
}

const PAGES = [
  { key: 'overview', path: '', icon: IconHome, editorsOnly: false },
  { key: 'articles', path: '/articles', icon: IconFileText, editorsOnly: false },
  { key: 'reviewQueue', path: '/review-queue', icon: IconInbox, editorsOnly: false },
  { key: 'preview', path: '/preview', icon: IconPlayerPlay, editorsOnly: false },
  { key: 'conversations', path: '/conversations', icon: IconMessages, editorsOnly: false },
  { key: 'analytics', path: '/analytics', icon: IconChartBar, editorsOnly: false },
  { key: 'audit', path: '/audit', icon: IconHistory, editorsOnly: true },
  { key: 'settings', path: '/settings', icon: IconSettings, editorsOnly: false },
] as const;

export function Navigation({ tenantId }: { readonly tenantId: string }) {
  const t = useTranslations('shell.pages');
  const { canEdit } = useWorkspace();
  const { pathname } = useLocation();
  const base = `/w/${tenantId}`;
  return PAGES.filter(({ editorsOnly }) => canEdit || !editorsOnly).map(({ key, path, icon: Icon }) => {
    const to = base + path;
    const active = path === '' ? pathname === to || pathname === `${to}/` : pathname.startsWith(to);
    return (
      <NavLink
        key={key}
        component={Link}
        to={to}
        activeOptions={{ exact: path === '' }}
        label={t(key)}
        active={active}
        aria-current={active ? 'page' : undefined}
        leftSection={<Icon size={18} aria-hidden />}
        mih={44}
      />
    );
  });
}

function WorkspaceMenu({ session, tenantId }: { readonly session: SessionState; readonly tenantId: string }) {
  const t = useTranslations('shell');
  const { memberships } = session;
  const name = memberships.find((each) => each.tenantId === tenantId)?.name ?? '';
  if (memberships.length < 2) {
    return (
      <Text truncate dir="auto">
        {name}
      </Text>
    );
  }
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <Button
          variant="default"
          rightSection={<IconSelector size={16} aria-hidden />}
          aria-label={`${t('workspace')}: ${name}`}
        >
          <Text truncate dir="auto" maw={200}>
            {name}
          </Text>
        </Button>
      </Menu.Target>
      <Menu.Dropdown mah={400} className="scrolling">
        {memberships.map((each) => (
          <Menu.Item
            key={each.tenantId}
            component={Link}
            to={`/w/${each.tenantId}`}
            aria-current={each.tenantId === tenantId ? 'true' : undefined}
          >
            <span dir="auto">{each.name}</span>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

const COLOR_SCHEMES = [
  ['auto', 'themeAuto'],
  ['light', 'themeLight'],
  ['dark', 'themeDark'],
] as const;

function useSignOut() {
  const navigate = useNavigate();
  return useAction(() => account.signOut(), {
    onDone: async () => {
      deleteAllDrafts();
      await navigate({ to: '/sign-in' });
      queries.clear();
      queries.setQueryData(SESSION, null);
    },
  });
}

function AccountMenu({ session }: { readonly session: SessionState }) {
  const t = useTranslations('shell');
  const locale = useLocale();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const signOut = useSignOut();
  const marked = (chosen: boolean) =>
    chosen ? { 'aria-checked': true, fw: 600 } : { 'aria-checked': false };
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <Button variant="default" leftSection={<IconUser size={16} aria-hidden />}>
          {t('account')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text size="sm" className="wrap">
            {t('signedInAs', { email: session.email })}
          </Text>
        </Menu.Label>
        <Menu.Divider />
        <Menu.Label>{t('language')}</Menu.Label>
        {LANGUAGES.map((each) => (
          <Menu.Item
            key={each}
            role="menuitemradio"
            lang={each}
            onClick={() => setLanguage(each)}
            {...marked(locale.startsWith(each))}
          >
            {new Intl.DisplayNames([each], { type: 'language' }).of(each)}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Label>{t('theme')}</Menu.Label>
        {COLOR_SCHEMES.map(([scheme, key]) => (
          <Menu.Item
            key={scheme}
            role="menuitemradio"
            onClick={() => setColorScheme(scheme)}
            {...marked(colorScheme === scheme)}
          >
            {t(key)}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item component={Link} to="/account" leftSection={<IconUser size={16} aria-hidden />}>
          {t('yourAccount')}
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={() => signOut.mutate()}>
          {t('signOut')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
