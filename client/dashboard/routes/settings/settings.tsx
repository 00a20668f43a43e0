import { NavLink, Stack } from '@mantine/core';
import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useTranslations } from 'use-intl';
import { useWorkspace } from '../../session.ts';

const TABS = [
  ['general', ''],
  ['appearance', '/appearance'],
  ['consent', '/consent'],
  ['voice', '/voice'],
  ['guide', '/guide'],
  ['members', '/members'],
  ['apiKeys', '/api-keys'],
  ['data', '/data'],
] as const;

/** The pages of the settings beside each other; each has its own address and title. */
export function SettingsPage() {
  return (
    <Stack gap="lg">
      <SettingsTabs />
      <Outlet />
    </Stack>
  );
}

function SettingsTabs() {
  const t = useTranslations('settings');
  const { tenantId } = useWorkspace();
  const { pathname } = useLocation();
  const row = useRef<HTMLElement>(null);
  // On a phone the row is longer than the screen: the page that is shown is in sight.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page has another tab
  useEffect(() => {
    row.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [pathname]);
  return (
    <nav className="settings-tabs" aria-label={t('title')} ref={row}>
      {TABS.map(([key, path]) => {
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
            mih={44}
            w="auto"
          />
        );
      })}
    </nav>
  );
}
