import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ErrorPage, Loading, NotFound, NoWorkspacePage } from './components/page.tsx';
import {
  parseAnalyticsSearch,
  parseArticleSearch,
  parseAuditSearch,
  parseConversationSearch,
  parseImportSearch,
  parseInboxSearch,
  parseNewArticleSearch,
  parseSignInSearch,
} from './search-params.ts';
import { basePath, queries, sessionQuery } from './session.ts';

/** Loads a page, and the styles that the overview and the shell do not use. */
function lazyPage(load: () => Promise<object>, name: string) {
  return lazyRouteComponent(async () => {
    const [page] = await Promise.all([load(), import('./theme-controls.css')]);
    return page as Record<string, () => ReactNode>;
  }, name);
}

const root = createRootRoute({ notFoundComponent: () => <NotFound /> });

const publicRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: '/sign-in',
    validateSearch: parseSignInSearch,
    component: lazyPage(() => import('./routes/sign-in.tsx'), 'SignInPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/setup',
    component: lazyPage(() => import('./routes/setup.tsx'), 'SetupPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/invitation',
    component: lazyPage(() => import('./routes/invitation.tsx'), 'InvitationPage'),
  }),
] as const;

const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  beforeLoad: async ({ location }) => {
    const session = await queries.ensureQueryData(sessionQuery);
    if (!session) throw redirect({ to: '/sign-in', search: { to: location.href } });
  },
  component: lazyRouteComponent(() => import('./shell.tsx'), 'Shell'),
});

const home = createRoute({
  getParentRoute: () => signedIn,
  path: '/',
  beforeLoad: () => {
    const [first] = queries.getQueryData(sessionQuery.queryKey)?.memberships ?? [];
    if (first) throw redirect({ to: '/w/$tenantId', params: { tenantId: first.tenantId } });
  },
  component: NoWorkspacePage,
});

const account = createRoute({
  getParentRoute: () => signedIn,
  path: '/account',
  component: lazyPage(() => import('./routes/account.tsx'), 'AccountPage'),
});

/** Shows "not found" for any other path, within the frame of the dashboard. */
const unknown = createRoute({ getParentRoute: () => signedIn, path: '/$', component: () => <NotFound /> });

const workspace = createRoute({ getParentRoute: () => signedIn, path: '/w/$tenantId' });
const inWorkspace = { getParentRoute: () => workspace };

const workspaceRoutes = [
  createRoute({
    ...inWorkspace,
    path: '/',
    component: lazyRouteComponent(() => import('./routes/overview.tsx'), 'OverviewPage'),
  }),
  createRoute({
    ...inWorkspace,
    path: '/installation',
    component: lazyPage(() => import('./routes/installation.tsx'), 'InstallationPage'),
  }),
  createRoute({
    ...inWorkspace,
    path: '/articles',
    validateSearch: parseArticleSearch,
    component: lazyPage(() => import('./routes/articles/articles.tsx'), 'ArticlesPage'),
  }),
  createRoute({
    ...inWorkspace,
    path: '/articles/new',
    validateSearch: parseNewArticleSearch,
    component: lazyPage(() => import('./routes/articles/new-article.tsx'), 'NewArticlePage'),
  }),
  createRoute({
    ...inWorkspace,
    path: '/articles/$articleId',
    component: lazyPage(() => import('./routes/articles/article.tsx'), 'ArticlePage'),
  }),
  createRoute({
    ...inWorkspace,
    path: '/articles/$articleId/revisions',
    component: lazyPage(() => import('./routes/articles/revisions.tsx'), 'ArticleRevisionsPage'),
  }),
  createRoute({
    ...inWorkspace,
    path: '/articles/$articleId/translations/$locale',
    component: lazyPage(() => import('./routes/translations/translation.tsx'), 'TranslationPage'),
  }),
  createRoute({
    ...inWorkspace,
    path: '/sources',
    component: lazyPage(() => import('./routes/sources/sources.tsx'), 'SourcesPage'),
  }),
  createRoute({
    ...inWorkspace,
    path: '/sources/import',
    validateSearch: parseImportSearch,
    component: lazyPage(() => import('./routes/sources/import-files.tsx'), 'ImportFilesPage'),
  }),
  createRoute({
    ...inWorkspace,
    path: '/sources/website',
    component: lazyPage(() => import('./routes/sources/website-form.tsx'), 'NewWebsitePage'),
  }),
  createRoute({
    ...inWorkspace,
    path: '/sources/$sourceId',
    component: lazyPage(() => import('./routes/sources/source.tsx'), 'SourcePage'),
  }),
  createRoute({
    ...inWorkspace,
    path: '/sources/$sourceId/conflicts',
    component: lazyPage(() => import('./routes/sources/conflicts.tsx'), 'ConflictsPage'),
  }),
  createRoute({
    ...inWorkspace,
    path: '/sources/$sourceId/runs/$runId',
    component: lazyPage(() => import('./routes/sources/run.tsx'), 'RunPage'),
  }),
  createRoute({
    ...inWorkspace,
    path: '/inbox',
    validateSearch: parseInboxSearch,
    component: lazyPage(() => import('./routes/inbox/inbox.tsx'), 'InboxPage'),
  }),
  createRoute({
    ...inWorkspace,
    path: '/review-queue',
    component: lazyPage(() => import('./routes/review-queue.tsx'), 'ReviewQueuePage'),
  }),
  createRoute({
    ...inWorkspace,
    path: '/preview',
    component: lazyPage(() => import('./routes/preview/preview.tsx'), 'PreviewPage'),
  }),
  createRoute({
    ...inWorkspace,
    path: '/conversations',
    validateSearch: parseConversationSearch,
    component: lazyPage(() => import('./routes/conversations/conversations.tsx'), 'ConversationsPage'),
  }),
  createRoute({
    ...inWorkspace,
    path: '/conversations/$conversationId',
    component: lazyPage(() => import('./routes/conversations/conversation.tsx'), 'ConversationPage'),
  }),
  createRoute({
    ...inWorkspace,
    path: '/analytics',
    validateSearch: parseAnalyticsSearch,
    component: lazyPage(() => import('./routes/analytics/analytics.tsx'), 'AnalyticsPage'),
  }),
  createRoute({
    ...inWorkspace,
    path: '/audit',
    validateSearch: parseAuditSearch,
    component: lazyPage(() => import('./routes/audit/audit.tsx'), 'AuditPage'),
  }),
  createRoute({ ...inWorkspace, path: '/$', component: () => <NotFound /> }),
] as const;

const settings = createRoute({
  ...inWorkspace,
  path: '/settings',
  component: lazyPage(() => import('./routes/settings/settings.tsx'), 'SettingsLayout'),
});
const inSettings = { getParentRoute: () => settings };

const settingsRoutes = [
  createRoute({
    ...inSettings,
    path: '/',
    component: lazyPage(() => import('./routes/settings/general.tsx'), 'GeneralSettings'),
  }),
  createRoute({
    ...inSettings,
    path: '/appearance',
    component: lazyPage(() => import('./routes/settings/appearance.tsx'), 'AppearanceSettings'),
  }),
  createRoute({
    ...inSettings,
    path: '/consent',
    component: lazyPage(() => import('./routes/settings/consent.tsx'), 'ConsentSettings'),
  }),
  createRoute({
    ...inSettings,
    path: '/voice',
    component: lazyPage(() => import('./routes/settings/voice.tsx'), 'VoiceSettings'),
  }),
  createRoute({
    ...inSettings,
    path: '/guide',
    component: lazyPage(() => import('./routes/settings/guide.tsx'), 'GuideSettings'),
  }),
  createRoute({
    ...inSettings,
    path: '/members',
    component: lazyPage(() => import('./routes/members.tsx'), 'MembersPage'),
  }),
  createRoute({
    ...inSettings,
    path: '/api-keys',
    component: lazyPage(() => import('./routes/api-keys.tsx'), 'ApiKeysPage'),
  }),
  createRoute({
    ...inSettings,
    path: '/automation',
    component: lazyPage(() => import('./routes/automation.tsx'), 'AutomationPage'),
  }),
  createRoute({
    ...inSettings,
    path: '/storage',
    component: lazyPage(() => import('./routes/settings/storage.tsx'), 'StorageSettings'),
  }),
  createRoute({
    ...inSettings,
    path: '/transfer',
    component: lazyPage(() => import('./routes/transfer.tsx'), 'TransferPage'),
  }),
] as const;

const routeTree = root.addChildren([
  ...publicRoutes,
  signedIn.addChildren([
    home,
    account,
    unknown,
    workspace.addChildren([...workspaceRoutes, settings.addChildren(settingsRoutes)]),
  ]),
]);

export const router = createRouter({
  routeTree,
  basepath: basePath,
  defaultPreload: 'intent',
  defaultPendingComponent: () => <Loading shape="page" />,
  defaultErrorComponent: ({ error, reset }) => <ErrorPage error={error} retry={reset} />,
  defaultNotFoundComponent: () => <NotFound />,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
