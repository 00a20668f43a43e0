import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { isGuideError } from '../sdk/errors.ts';

/**
 * What was read from the service. The client below tries again by itself where that is safe, so that nothing is tried twice
 * here; a session that ended sends the person to the sign-in, from wherever that is noticed.
 */
export const queries: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noticeSignedOut }),
  mutationCache: new MutationCache({ onError: noticeSignedOut }),
  defaultOptions: {
    queries: { retry: false, staleTime: 10_000, refetchOnWindowFocus: true },
    mutations: { retry: false },
  },
});

export const SESSION = ['session'] as const;

function noticeSignedOut(error: unknown): void {
  if (isGuideError(error, 'session/unauthorized')) queries.setQueryData(SESSION, null);
}
