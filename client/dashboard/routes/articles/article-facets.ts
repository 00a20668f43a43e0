import { useQuery } from '@tanstack/react-query';
import { listCollections, listSources, listTags } from '../../../../generated/routes.ts';
import { useWorkspace } from '../../session.ts';

/** Reads the collections, tags and sources of the workspace; empty while they load. */
export function useArticleFacets() {
  const { tenant, tenantId } = useWorkspace();
  const key = ['tenant', tenantId, 'articles'] as const;
  const collections = useQuery({
    queryKey: [...key, 'collections'],
    queryFn: ({ signal }) => tenant.call(listCollections, { signal }),
  });
  const tags = useQuery({
    queryKey: [...key, 'tags'],
    queryFn: ({ signal }) => tenant.call(listTags, { signal }),
  });
  const sources = useQuery({
    queryKey: ['tenant', tenantId, 'sources', 'filter'],
    queryFn: ({ signal }) => tenant.call(listSources, { query: { limit: 200 }, signal }),
  });
  return {
    isPending: [collections, tags, sources].some((query) => query.isPending),
    collections: collections.data?.data ?? [],
    tags: tags.data?.data ?? [],
    sources: sources.data?.data ?? [],
  };
}
