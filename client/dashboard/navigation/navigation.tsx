import { Badge, NavLink } from '@mantine/core';
import { Link, useLocation } from '@tanstack/react-router';
import { useFormatter, useTranslations } from 'use-intl';
import { useInboxTop, useTenantQuery, useWorkspace } from '../session.ts';
import { PAGES } from './pages.ts';

/** The main navigation, with the numbers of open tasks and questions. */
export function Navigation({ tenantId }: { tenantId: string }) {
  const t = useTranslations('shell');
  const format = useFormatter();
  const { canEdit } = useWorkspace();
  const { pathname } = useLocation();
  const counts: Partial<Record<string, number>> = {
    reviewQueue: useTaskCount(),
    inbox: useInboxCount(),
  };
  const base = `/w/${tenantId}`;
  return PAGES.filter(({ editorsOnly }) => canEdit || !editorsOnly).map(({ key, path, icon: Icon }) => {
    const to = base + path;
    const isActive = path === '' ? pathname === to || pathname === `${to}/` : pathname.startsWith(to);
    const count = counts[key] ?? 0;
    return (
      <NavLink
        key={key}
        component={Link}
        to={to}
        activeOptions={{ exact: path === '' }}
        label={t(`pages.${key}`)}
        active={isActive}
        aria-current={isActive ? 'page' : undefined}
        leftSection={<Icon size={18} aria-hidden />}
        mih={44}
        {...(count > 0 && {
          'aria-description': t(`waiting.${key as 'inbox'}`, { count }),
          rightSection: (
            <Badge variant="light" color="orange" className="status-orange" aria-hidden>
              {format.number(count)}
            </Badge>
          ),
        })}
      />
    );
  });
}

function useTaskCount(): number | undefined {
  const { data } = useTenantQuery(['review-queue', 'mine'], (tenant, options) =>
    tenant.translations.reviewQueue({ for: 'me' }).page(undefined, options),
  );
  return data && Object.values(data.counts).reduce((sum, count) => sum + count, 0);
}

const useInboxCount = () => useInboxTop().data?.counts.open;
