import { useQuery } from '@tanstack/react-query';
import { useFormatter } from 'use-intl';
import { useWorkspace } from '../../session.ts';

export function useUsage() {
  const { tenant, tenantId } = useWorkspace();
  return useQuery({
    queryKey: ['tenant', tenantId, 'usage'],
    queryFn: ({ signal }) => tenant.usage({ signal }),
  });
}

/** A month by its name, of a period such as 2026-11. */
export function useMonthName(): (period: string) => string {
  const format = useFormatter();
  return (period) =>
    format.dateTime(new Date(`${period}-15T12:00:00Z`), { month: 'long', year: 'numeric', timeZone: 'UTC' });
}
