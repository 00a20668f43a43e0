import {
  Alert,
  AppShell,
  Burger,
  Button,
  Group,
  type MantineColorScheme,
  Menu,
  NavLink,
  Stack,
  Text,
  useMantineColorScheme,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { onlineManager, useQuery } from '@tanstack/react-query';
import { Link, Outlet, useLocation, useNavigate, useParams } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useEffect, useId, useSyncExternalStore } from 'react';
import { useFormatter, useTranslations } from 'use-intl';
import type { SessionState } from '../sdk/types.ts';
import { useTestCounts } from './answer-tests.ts';
import { LANGUAGES } from './catalogs.ts';
import { Icon } from './components/icon.tsx';
import { Loading } from './components/loading.tsx';
import { NotFound } from './components/page.tsx';
import { getOwnName, setLanguage, withFurtherTexts } from './languages.ts';
import { Commands } from './navigation/commands.tsx';
import { COLOR_SCHEMES, PAGE_GROUPS, PAGES } from './navigation/pages.ts';
import { forgetSession, useSignOut } from './navigation/sign-out.ts';
import {
  onSignOutElsewhere,
  sessionQuery,
  useInboxTop,
  useIsSessionOver,
  useRecoveryCodes,
  useTenantQuery,
  useVerifyCount,
  useWorkspace,
} from './session.ts';

/** Lazy: few sessions end under an open page. */
const SignInAgain = lazy(async () => ({
  default: (await import('./components/password.tsx')).SignInAgain,
}));

/** Loaded when it is shown: few workspaces require their identity provider. */
const ProviderGate = lazy(() => import('./routes/provider-gate.tsx'));

/** Loaded when it is shown: few workspaces require a second factor. */
const FactorGate = lazy(() => withFurtherTexts(import('./routes/factor-gate.tsx')));

export function Shell() {
  const t = useTranslations('shell');
  const { data: session } = useQuery(sessionQuery);
  const { tenantId } = useParams({ strict: false });
  const location = useLocation();
  const [opened, { toggle, close }] = useDisclosure(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: opening another page closes the navigation on a phone
  useEffect(close, [location.pathname]);
  const isOver = useIsSessionOver();
  const hasNewCodes = useRecoveryCodes() !== undefined;
  useEffect(() => onSignOutElsewhere(forgetSession), []);
  if (!session) return <RedirectToSignIn from={location.href} />;
  const membership = session.memberships.find((each) => each.tenantId === tenantId);
  const isClosed =
    membership !== undefined && (membership.closed || membership.needsSecondFactor || hasNewCodes);
  const isInWorkspace = tenantId !== undefined && membership !== undefined;
  const hasNavigation = isInWorkspace && !isClosed;
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 240, breakpoint: 'sm', collapsed: { mobile: !opened, desktop: !hasNavigation } }}
      padding="lg"
    >
      <a href="#main" className="skip">
        {t('skip')}
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap" miw={0}>
            {hasNavigation && <NavigationButton opened={opened} toggle={toggle} />}
            <Text fw={600} visibleFrom="xs">
              Guidepost
            </Text>
            {isInWorkspace && <WorkspaceMenu session={session} tenantId={tenantId} />}
          </Group>
          <Group gap="xs" wrap="nowrap">
            {hasNavigation && <Commands />}
            <AccountMenu session={session} />
          </Group>
        </Group>
      </AppShell.Header>
      {hasNavigation && (
        <AppShell.Navbar p="sm" aria-label={t('navigation')}>
          <Navigation tenantId={tenantId} />
        </AppShell.Navbar>
      )}
      <AppShell.Main id="main" tabIndex={-1} data-with-navigation={hasNavigation || undefined}>
        <OfflineNotice />
        {isClosed ? (
          <Suspense fallback={<Loading shape="page" />}>
            {membership.closed ? (
              <ProviderGate name={membership.name} />
            ) : (
              <FactorGate name={membership.name} />
            )}
          </Suspense>
        ) : tenantId !== undefined && !isInWorkspace ? (
          <NotFound />
        ) : (
          <Outlet />
        )}
      </AppShell.Main>
      {isOver && (
        <Suspense>
          <SignInAgain email={session.email} />
        </Suspense>
      )}
    </AppShell>
  );
}

type NavigationButtonProps = { opened: boolean; toggle: () => void };

/** Shows the navigation on a phone. */
function NavigationButton({ opened, toggle }: NavigationButtonProps) {
  const t = useTranslations('shell');
  return (
    <Burger
      opened={opened}
      onClick={toggle}
      hiddenFrom="sm"
      size="sm"
      aria-label={opened ? t('closeNavigation') : t('openNavigation')}
      aria-expanded={opened}
    />
  );
}

/** Redirects once, on mount: the location changes while the sign-in page loads. */
function RedirectToSignIn({ from }: { from: string }) {
  const navigate = useNavigate();
  // biome-ignore lint/correctness/useExhaustiveDependencies: each later location would redirect again
  useEffect(() => {
    void navigate({ to: '/sign-in', search: { to: from }, replace: true, ignoreBlocker: true });
  }, []);
  return null;
}

function WorkspaceMenu({ session, tenantId }: { session: SessionState; tenantId: string }) {
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
          rightSection={<Icon name="selector" />}
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

function AccountMenu({ session }: { session: SessionState }) {
  const t = useTranslations('shell');
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const signOut = useSignOut();
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <Button variant="default" leftSection={<Icon name="user" />}>
          {t('account')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown mah="calc(100dvh - 72px)" className="scrolling">
        <Menu.Label>
          <Text size="sm" className="wrap">
            {t('signedInAs', { email: session.email })}
          </Text>
        </Menu.Label>
        <Menu.Divider />
        <Menu.Label>{t('language')}</Menu.Label>
        <Menu.RadioGroup value={document.documentElement.lang} onChange={setLanguage}>
          {LANGUAGES.map((each) => (
            <Menu.RadioItem key={each} value={each} lang={each}>
              {getOwnName(each)}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Label>{t('theme')}</Menu.Label>
        <Menu.RadioGroup
          value={colorScheme}
          onChange={(scheme) => setColorScheme(scheme as MantineColorScheme)}
        >
          {COLOR_SCHEMES.map(([scheme, key]) => (
            <Menu.RadioItem key={scheme} value={scheme}>
              {t(key)}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Item component={Link} to="/account" leftSection={<Icon name="user" />}>
          {t('yourAccount')}
        </Menu.Item>
        <Menu.Item leftSection={<Icon name="logout" />} onClick={() => signOut.mutate()}>
          {t('signOut')}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Label>{getRunningVersion()}</Menu.Label>
      </Menu.Dropdown>
    </Menu>
  );
}

/** Returns the name, version and commit of the server, which writes them into the page. */
const getRunningVersion = () => document.querySelector<HTMLMetaElement>('meta[name="generator"]')?.content;

/** Requests wait while the browser is offline, and are sent afterwards. */
function OfflineNotice() {
  const t = useTranslations('shell');
  const isOnline = useSyncExternalStore(
    (listener) => onlineManager.subscribe(listener),
    () => onlineManager.isOnline(),
  );
  return (
    <div role="status">
      {!isOnline && (
        <Alert color="orange" title={t('offline')} mb="lg">
          {t('offlineLead')}
        </Alert>
      )}
    </div>
  );
}

/** The main navigation in groups, with the numbers of open tasks and questions. */
export function Navigation({ tenantId }: { tenantId: string }) {
  const t = useTranslations('shell');
  const { canEdit } = useWorkspace();
  const counts: Partial<Record<string, number>> = {
    reviewQueue: useTaskCount(),
    inbox: useInboxCount(),
    handovers: useHandoverCount(),
    answerTests: useTestCounts().data?.failed,
  };
  return PAGE_GROUPS.map((group) => (
    <NavGroup key={group} name={group === 'home' ? undefined : t(`groups.${group}`)}>
      {PAGES.filter((page) => page.group === group && (canEdit || !page.editorsOnly)).map((page) => (
        <PageNavLink
          key={page.key}
          name={page.key}
          path={page.path}
          icon={page.icon}
          base={`/w/${tenantId}`}
          count={counts[page.key] ?? 0}
        />
      ))}
    </NavGroup>
  ));
}

function NavGroup({ name, children }: { name: string | undefined; children: ReactNode }) {
  const id = useId();
  if (name === undefined) return children;
  return (
    <Stack gap={0} role="group" aria-labelledby={id}>
      <p className="nav-group" id={id}>
        {name}
      </p>
      {children}
    </Stack>
  );
}

type PageNavLinkProps = Pick<(typeof PAGES)[number], 'path' | 'icon'> & {
  name: (typeof PAGES)[number]['key'];
  /** The path of the workspace. */
  base: string;
  /** What waits on the page. */
  count: number;
};

function PageNavLink({ name, base, path, icon, count }: PageNavLinkProps) {
  const t = useTranslations('shell');
  const format = useFormatter();
  const { pathname } = useLocation();
  const to = base + path;
  const isActive = path === '' ? pathname === to || pathname === `${to}/` : pathname.startsWith(to);
  return (
    <NavLink
      component={Link}
      to={to}
      activeOptions={{ exact: path === '' }}
      label={t(`pages.${name}`)}
      active={isActive}
      aria-current={isActive ? 'page' : undefined}
      leftSection={<Icon name={icon} size={18} />}
      {...(count > 0 && {
        'aria-description': t(`waiting.${name as 'inbox'}`, { count }),
        rightSection: (
          <Text span size="xs" c="dimmed" aria-hidden>
            {format.number(count)}
          </Text>
        ),
      })}
    />
  );
}

function useTaskCount(): number | undefined {
  const { data } = useTenantQuery(['review-queue', 'mine'], (tenant, options) =>
    tenant.translations.reviewQueue({ for: 'me' }).page(undefined, options),
  );
  const toVerify = useVerifyCount();
  return data && Object.values(data.counts).reduce((sum, count) => sum + count, toVerify);
}

function useHandoverCount(): number | undefined {
  const { data } = useTenantQuery(
    ['handovers', 'counts'],
    (tenant, { signal }) => tenant.handovers.list({ limit: 1, signal }).page(),
    { staleTime: 60_000 },
  );
  return data?.counts.open;
}

const useInboxCount = () => useInboxTop().data?.counts.open;
