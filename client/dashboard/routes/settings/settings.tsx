import { Alert, NavLink, Stack } from '@mantine/core';
import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import { useTranslations } from 'use-intl';
import type { TenantSettings } from '../../../sdk/types.ts';
import { Icon } from '../../components/icon.tsx';
import { Loaded } from '../../components/loading.tsx';
import { Page } from '../../components/page.tsx';
import { SETTINGS_PAGES } from '../../navigation/pages.ts';
import { useTenantQuery, useWorkspace } from '../../session.ts';

export default function SettingsLayout() {
  useLinkedSetting();
  return (
    <div className="settings">
      <SettingsPages />
      <Outlet />
    </div>
  );
}

const LOADING_MILLIS = 5_000;

/** Focuses the setting that the hash of the address names, once its form is there. */
function useLinkedSetting(): void {
  const { hash, pathname } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: settings of two pages can have the same name
  useEffect(() => {
    if (!hash) return;
    const name = CSS.escape(hash);
    const focus = () => {
      const field = document.querySelector(`main :is([data-path="${name}"], [data-path^="${name}."])`);
      const control = field?.matches('div') ? field.querySelector('input:not([type=file]), button') : field;
      if (!(control instanceof HTMLElement)) return;
      observer.disconnect();
      control.focus({ preventScroll: true });
      control.scrollIntoView({ block: 'center' });
    };
    const observer = new MutationObserver(focus);
    observer.observe(document.body, { childList: true, subtree: true });
    focus();
    const timer = setTimeout(() => observer.disconnect(), LOADING_MILLIS);
    return () => {
      clearTimeout(timer);
      observer.disconnect();
    };
  }, [hash, pathname]);
}

/** Where a group of pages begins, after the first. */
const GROUPS: ReadonlySet<string> = new Set(['members', 'apiKeys', 'storage']);

function SettingsPages() {
  const t = useTranslations('settings');
  const { tenantId, canEdit } = useWorkspace();
  const { pathname } = useLocation();
  const row = useRef<HTMLElement>(null);
  // On a phone the row is wider than the screen, so scroll the current page into view.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page is current then
  useEffect(() => {
    row.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [pathname]);
  return (
    <nav className="settings-pages" aria-label={t('title')} ref={row}>
      {SETTINGS_PAGES.filter(({ editorsOnly }) => canEdit || !editorsOnly).map(({ key, path }) => {
        const to = `/w/${tenantId}/settings${path}`;
        const active = pathname.replace(/\/$/, '') === to;
        return (
          <NavLink
            key={key}
            component={Link}
            to={to}
            activeOptions={{ exact: true }}
            label={t(`tabs.${key}`)}
            active={active}
            aria-current={active ? 'page' : undefined}
            w="auto"
            data-starts={GROUPS.has(key) || undefined}
          />
        );
      })}
    </nav>
  );
}

type SettingsViewProps = {
  tab: (typeof SETTINGS_PAGES)[number]['key'];
  children: (settings: TenantSettings) => ReactNode;
};

/** A settings page that waits for the settings. */
export function SettingsView({ tab, children }: SettingsViewProps) {
  const t = useTranslations('settings.tabs');
  const settings = useTenantQuery(['settings'], (tenant, options) => tenant.settings.read(options));
  return (
    <Page title={t(tab)}>
      <ReadOnlyNotice />
      {settings.data ? (
        <Stack>{children(settings.data)}</Stack>
      ) : (
        <Loaded query={settings}>{() => null}</Loaded>
      )}
    </Page>
  );
}

/** Shows its content to owners and admins, and a notice to members. */
export function RequireEditor({ children }: { children: ReactNode }) {
  const t = useTranslations('shell');
  return useWorkspace().canEdit ? children : <LockedNotice>{t('editorsOnly')}</LockedNotice>;
}

export function ReadOnlyNotice() {
  const t = useTranslations('shell');
  return useWorkspace().canEdit ? null : <LockedNotice>{t('readOnly')}</LockedNotice>;
}

function LockedNotice({ children }: { children: string }) {
  return (
    <Alert color="gray" icon={<Icon name="lock" size={18} />}>
      {children}
    </Alert>
  );
}
