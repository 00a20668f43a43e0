import { createStore, useStore } from '@mantine/store';
import {
  MutationCache,
  QueryCache,
  QueryClient,
  type QueryKey,
  queryOptions,
  type UseQueryOptions,
  useQuery,
} from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { createAccount } from '../sdk/account.ts';
import { isGuideError } from '../sdk/errors.ts';
import type { Tenant } from '../sdk/tenant.ts';
import type { Article, MemberRole, SessionState } from '../sdk/types.ts';
import { toLanguage } from './languages.ts';

/** The bundle is two directories below the service, wherever a proxy mounts the service. */
const script = import.meta.url;

export const serviceUrl = new URL('../..', script).href.replace(/\/$/, '');
/** The query of the first page, before the router tidies it: an identity provider leads back with one. */
export const arrivalQuery: string = location.search;
/** The path of the dashboard, such as `/dashboard`. */
export const basePath = new URL('..', script).pathname.replace(/\/$/, '');
export const account = createAccount({ baseUrl: serviceUrl });

/**
 * Repeats a request that was under way while its session got another token, which confirming the password does. The SDK
 * retries everything else where that is safe.
 */
const hadOldToken = (failures: number, error: Error) =>
  failures === 0 && isGuideError(error, 'session/unauthorized');

export const queries: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: (error) => void signedInAgain(error) }),
  mutationCache: new MutationCache({ onError: (error) => void signedInAgain(error) }),
  defaultOptions: {
    queries: { retry: hadOldToken, staleTime: 10_000, refetchOnWindowFocus: true },
    mutations: { retry: false },
  },
});

export const SESSION = ['session'] as const;

/**
 * Asks the user to sign in again when the error says that the session is over. Resolves to
 * whether the failed call can be repeated.
 */
export async function signedInAgain(error: unknown): Promise<boolean> {
  if (!isGuideError(error, 'session/unauthorized')) return false;
  // Before the first page is shown, the sign-in page handles this.
  const before = queries.getQueryData<SessionState>(SESSION);
  if (!before) return false;
  const session = await readAgain().catch(() => undefined);
  return session?.userId === before.userId || waitForSignIn();
}

const AGAIN_MILLIS = 500;

/** Reads the session after a request without one: it may have been sent before a confirmation replaced the token. */
async function readAgain(signal?: AbortSignal): Promise<SessionState | undefined> {
  await new Promise((resolve) => setTimeout(resolve, AGAIN_MILLIS));
  return account.session(signal && { signal });
}

/** Null when signed out. */
export const sessionQuery = queryOptions({
  queryKey: SESSION,
  queryFn: async ({ signal }): Promise<SessionState | null> => {
    const session = (await account.session({ signal })) ?? null;
    const before = queries.getQueryData<SessionState>(SESSION);
    if (session || !before) return session;
    const again = await readAgain(signal);
    if (again) return again;
    void waitForSignIn();
    return before;
  },
  staleTime: 60_000,
});

/** Starts a session. Drops cached data, which may have been read for another account. */
export function startSession(session: SessionState): void {
  const before = queries.getQueryData<SessionState>(SESSION);
  queries.removeQueries({ type: 'inactive' });
  queries.setQueryData(SESSION, session);
  endWaiting(before?.userId === session.userId);
}

/** Continues a session whose user has just been confirmed. */
export function continueSession(session: SessionState): void {
  queries.setQueryData(SESSION, session);
  endWaiting(true);
}

export function useSession(): SessionState {
  const { data } = useQuery(sessionQuery);
  if (!data) throw new Error('useSession requires a signed-in reader');
  return data;
}

/** Most powerful first. */
export const ROLES = ['owner', 'admin', 'member'] as const satisfies readonly MemberRole[];

export type Workspace = {
  tenant: Tenant;
  tenantId: string;
  name: string;
  appId: string;
  memberId: string;
  role: MemberRole;
  /** Owners and admins can edit; members can only read. */
  canEdit: boolean;
};

/** Returns the workspace in the URL, and the user's role in it. */
export function useWorkspace(): Workspace {
  const { tenantId } = useParams({ strict: false });
  const { memberships } = useSession();
  const membership = memberships.find((each) => each.tenantId === tenantId);
  if (!membership) throw new Error('The reader is not a member of this workspace');
  const { name, appId, memberId, role } = membership;
  return {
    tenant: account.tenant(membership.tenantId),
    tenantId: membership.tenantId,
    name,
    appId,
    memberId,
    role,
    canEdit: role !== 'member',
  };
}

/** Leads to another workspace, or to the sign-in, after the user's membership ended. */
export function useLeaveWorkspace(): () => Promise<void> {
  const navigate = useNavigate();
  return async () => {
    const session = await account.session();
    if (session) {
      queries.setQueryData(SESSION, session);
      await navigate({ to: '/', ignoreBlocker: true });
      return;
    }
    await navigate({ to: '/sign-in', ignoreBlocker: true });
    queries.clear();
    queries.setQueryData(SESSION, null);
  };
}

type Options<T> = Omit<UseQueryOptions<T>, 'queryKey' | 'queryFn'>;

/** Queries the workspace in the URL. */
export function useTenantQuery<T>(
  key: QueryKey,
  read: (tenant: Tenant, options: { signal: AbortSignal }) => Promise<T>,
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

/** Reads where the help centre is. */
export const useHelpAddress = () =>
  useTenantQuery(['help-domain'], (tenant, options) => tenant.helpDomain.read(options));

/** Reads the analytics of the last 28 days, in the user's time zone. */
export function useRecentAnalytics() {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return useTenantQuery(['analytics', { zone }], (tenant, { signal }) => tenant.analytics({ zone, signal }), {
    staleTime: 60_000,
  });
}

/** Reads the open groups of the inbox with the most questions, and how many groups are open. */
export const useInboxTop = () =>
  useTenantQuery(['inbox', 'top'], (tenant, { signal }) => tenant.inbox.list({ limit: 5, signal }).page(), {
    staleTime: 60_000,
  });

/** Reads how many articles and translations are published. */
export const useCoverage = () =>
  useTenantQuery(['articles', 'coverage'], (tenant, options) => tenant.articles.coverage(options));

/** Counts the articles that the user is to verify now. */
export function useVerifyCount(): number {
  const { canEdit } = useWorkspace();
  const { data } = useTenantQuery(
    ['articles', 'verify-count'],
    (tenant, options) => tenant.articles.list({ toVerify: true, limit: 1 }).page(undefined, options),
    { enabled: canEdit },
  );
  return data?.total ?? 0;
}

/** Returns a function that says whether nothing is published in a language. */
export function useIsMissing() {
  const coverage = useCoverage();
  const published = new Set(
    coverage.data?.locales.flatMap(({ locale, live, stale }) =>
      live + stale > 0 ? [toLanguage(locale)] : [],
    ),
  );
  return (locale: string) => coverage.isSuccess && !published.has(toLanguage(locale));
}

/** Pending while an open page, whose session has ended, waits until its user signs in again. */

const signIn = createStore<{ pending: PromiseWithResolvers<boolean> | undefined }>({ pending: undefined });

/** Asks the user to sign in again. Resolves to true once the same person has. */
function waitForSignIn(): Promise<boolean> {
  const pending = signIn.getState().pending ?? Promise.withResolvers<boolean>();
  signIn.setState({ pending });
  return pending.promise;
}

export function endWaiting(isSamePerson: boolean): void {
  signIn.getState().pending?.resolve(isSamePerson);
  signIn.setState({ pending: undefined });
}

export const useIsSessionOver = () => useStore(signIn).pending !== undefined;

/** The recovery codes that are shown now, and never again. What they open waits until they are stored. */
const recoveryCodes = createStore<{ codes: readonly string[] | undefined }>({ codes: undefined });
export const showRecoveryCodes = (codes: readonly string[] | undefined): void =>
  recoveryCodes.setState({ codes });
export const useRecoveryCodes = () => useStore(recoveryCodes).codes;

const SIGNED_OUT = 'guidepost-signed-out';

/** Makes the other tabs stop showing the data of this account. */
export function announceSignOut(): void {
  try {
    localStorage.setItem(SIGNED_OUT, String(Date.now()));
  } catch {
    // Without storage, the other tabs notice with their next request.
  }
}

export function onSignOutElsewhere(react: () => void): () => void {
  const listener = ({ key }: StorageEvent) => key === SIGNED_OUT && react();
  addEventListener('storage', listener);
  return () => removeEventListener('storage', listener);
}
