import { NavLink } from '@mantine/core';
import {
  IconChartBar,
  IconFileText,
  IconHistory,
  IconHome,
  IconInbox,
  IconMessages,
  IconPlayerPlay,
  IconSettings,
} from '@tabler/icons-react';
import { Link, useLocation } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import { useWorkspace } from '../session.ts';

const PAGES = [
  { key: 'overview', path: '', icon: IconHome, changersOnly: false },
  { key: 'articles', path: '/articles', icon: IconFileText, changersOnly: false },
  { key: 'waiting', path: '/waiting', icon: IconInbox, changersOnly: false },
  { key: 'tryIt', path: '/try', icon: IconPlayerPlay, changersOnly: false },
  { key: 'conversations', path: '/conversations', icon: IconMessages, changersOnly: false },
  { key: 'analytics', path: '/analytics', icon: IconChartBar, changersOnly: false },
  { key: 'audit', path: '/history', icon: IconHistory, changersOnly: true },
  { key: 'settings', path: '/settings', icon: IconSettings, changersOnly: false },
] as const;

export function Navigation({ tenantId }: { readonly tenantId: string }) {
  const t = useTranslations('shell.pages');
  const { mayChange } = useWorkspace();
  const { pathname } = useLocation();
  const base = `/w/${tenantId}`;
  return PAGES.filter(({ changersOnly }) => mayChange || !changersOnly).map(({ key, path, icon: Icon }) => {
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
