import { type QueryKey, type UseQueryOptions, useQuery } from '@tanstack/react-query';
import type { Tenant } from '../sdk/tenant.ts';
import type { Article } from '../sdk/types.ts';
import { useWorkspace } from './session.ts';

type Options<T> = Omit<UseQueryOptions<T>, 'queryKey' | 'queryFn'>;

/** A query of the workspace in the URL. */
export function useTenantQuery<T>(
  key: QueryKey,
  read: (tenant: Tenant, options: { readonly signal: AbortSignal }) => Promise<T>,
  options: Options<T> = {},
) {
  const { tenant, tenantId } = useWorkspace();
  return useQuery({
    queryKey: ['tenant', tenantId, ...key],
    queryFn: ({ signal }) => read(tenant, { signal }),
    ...options,
  });
}

export const useArticle = (id: string, options?: Options<Article>) =>
  useTenantQuery(['articles', id], (tenant, reading) => tenant.articles.read(id, reading), options);

/** How many articles and translations are published. */
export const useCoverage = () =>
  useTenantQuery(['articles', 'coverage'], (tenant, options) => tenant.articles.coverage(options));
