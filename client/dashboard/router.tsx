import {
  type AnyRoute,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Loading } from './components/loading.tsx';
import { ErrorPage, NotFound, NoWorkspacePage } from './components/page.tsx';
import { withFurtherTexts } from './languages.ts';
import { basePath, queries, sessionQuery } from './session.ts';

type PageModule = { default: () => ReactNode };
/** `search` names the parameters that the page takes. */
type PageLine = readonly [path: string, load: () => Promise<PageModule>, search?: readonly string[]];

const PUBLIC_PAGES: readonly PageLine[] = [
  ['/setup', () => import('./routes/setup.tsx')],
  ['/invitation', () => import('./routes/invitation.tsx')],
  ['/password', () => import('./routes/password.tsx')],
  ['/sign-in/callback', () => import('./routes/provider-return.tsx')],
];

/** The pages of a workspace, below `/w/$tenantId`. */
const PAGES: readonly PageLine[] = [
  ['/start', () => import('./routes/start/start.tsx')],
  ['/installation', () => import('./routes/installation.tsx')],
  [
    '/articles',
    () => import('./routes/articles/articles.tsx'),
    ['q', 'status', 'task', 'collection', 'tag', 'source', 'audience', 'sort'],
  ],
  ['/articles/new', () => import('./routes/articles/new-article.tsx'), ['title', 'inbox']],
  ['/articles/replace', () => import('./routes/articles/replace.tsx')],
  ['/articles/$articleId', () => import('./routes/articles/article.tsx')],
  ['/articles/$articleId/revisions', () => import('./routes/articles/revisions.tsx')],
  ['/articles/$articleId/translations/$locale', () => import('./routes/translations/translation.tsx')],
  ['/sources', () => import('./routes/sources/sources.tsx')],
  ['/sources/import', () => import('./routes/sources/import-files.tsx'), ['source']],
  ['/sources/website', () => import('./routes/sources/new-website.tsx')],
  ['/sources/zendesk', () => import('./routes/sources/new-zendesk.tsx')],
  ['/sources/notion', () => import('./routes/sources/new-notion.tsx')],
  ['/sources/$sourceId', () => import('./routes/sources/source.tsx')],
  ['/sources/$sourceId/conflicts', () => import('./routes/sources/conflicts.tsx')],
  ['/sources/$sourceId/runs/$runId', () => import('./routes/sources/run.tsx')],
  ['/sources/$sourceId/runs/$runId/text', () => import('./routes/sources/run-text.tsx'), ['place']],
  ['/inbox', () => import('./routes/inbox/inbox.tsx'), ['state', 'kind', 'for', 'order']],
  ['/handovers', () => import('./routes/handovers/handovers.tsx'), ['state', 'for']],
  ['/review-queue', () => import('./routes/review-queue.tsx')],
  ['/answer-tests', () => import('./routes/answer-tests/answer-tests.tsx'), ['state']],
  ['/preview', () => import('./routes/preview/preview.tsx')],
  [
    '/conversations',
    () => import('./routes/conversations/conversations.tsx'),
    ['view', 'q', 'question', 'answered', 'rating', 'commented', 'locale', 'visitor', 'from', 'to'],
  ],
  ['/conversations/$conversationId', () => import('./routes/conversations/conversation.tsx')],
  [
    '/analytics',
    () => import('./routes/analytics/analytics.tsx'),
    ['range', 'from', 'to', 'by', 'zone', 'tab'],
  ],
  ['/audit', () => import('./routes/audit/audit.tsx'), ['who', 'action', 'subject', 'from', 'to']],
];

const SETTINGS_PAGES: readonly PageLine[] = [
  ['/', () => import('./routes/settings/general.tsx')],
  ['/appearance', () => import('./routes/settings/appearance.tsx')],
  ['/consent', () => import('./routes/settings/consent.tsx')],
  ['/voice', () => import('./routes/settings/voice.tsx')],
  ['/guide', () => import('./routes/settings/guide.tsx')],
  ['/guidance', () => import('./routes/settings/guidance.tsx')],
  ['/help-centre', () => import('./routes/settings/help-centre.tsx')],
  ['/members', () => import('./routes/members.tsx')],
  ['/sign-in', () => import('./routes/settings/sign-in.tsx')],
  ['/api-keys', () => import('./routes/api-keys.tsx')],
  ['/automation', () => import('./routes/automation.tsx')],
  ['/customers', () => import('./routes/customers.tsx')],
  ['/webhooks', () => import('./routes/webhooks.tsx')],
  ['/storage', () => import('./routes/settings/storage.tsx')],
  ['/transfer', () => import('./routes/transfer/transfer.tsx')],
];

/** Loads a page without a session, and the styles that the overview and the shell do not use. */
const publicPage = (load: () => Promise<PageModule>) =>
  lazyRouteComponent(async () => {
    const [page] = await Promise.all([load(), import('./theme-controls.css')]);
    return page;
  });

/** Loads any other page but the overview, and what only these need. */
const lazyPage = (load: () => Promise<PageModule>) =>
  lazyRouteComponent(async () => {
    const [page] = await Promise.all([withFurtherTexts(load()), import('./theme-controls.css')]);
    return page;
  });

const toRoutes = (parent: AnyRoute, pages: readonly PageLine[], lazy = lazyPage) =>
  pages.map(([path, load, names = []]) =>
    createRoute({
      getParentRoute: () => parent,
      path,
      validateSearch: (search: Record<string, unknown>) => pickText(search, names),
      component: lazy(load),
    }),
  );

/** Drops unknown and non-text parameters. */
function pickText(search: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  const entries = names.map((name) => [name, search[name]] as const);
  return Object.fromEntries(entries.filter(([, value]) => typeof value === 'string' && value !== ''));
}

/** Shows "not found" for any other path, within the frame of the dashboard. */
const toUnknown = (parent: AnyRoute) =>
  createRoute({ getParentRoute: () => parent, path: '/$', component: () => <NotFound /> });

const root = createRootRoute({ notFoundComponent: () => <NotFound /> });

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  // Accepts only a path below the dashboard, which prevents open redirects.
  validateSearch: ({ to }: Record<string, unknown>): { to?: string } =>
    typeof to === 'string' && /^\/(?![/\\])/.test(to) ? { to } : {},
  component: publicPage(() => import('./routes/sign-in.tsx')),
});

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
    if (first) throw redirect({ to: `/w/${first.tenantId}` });
  },
  component: NoWorkspacePage,
});

const workspace = createRoute({ getParentRoute: () => signedIn, path: '/w/$tenantId' });

const overview = createRoute({
  getParentRoute: () => workspace,
  path: '/',
  component: lazyRouteComponent(() => import('./routes/overview.tsx')),
});

const settings = createRoute({
  getParentRoute: () => workspace,
  path: '/settings',
  component: lazyPage(() => import('./routes/settings/settings.tsx')),
});

export const router = createRouter({
  routeTree: root.addChildren([
    signIn,
    ...toRoutes(root, PUBLIC_PAGES, publicPage),
    signedIn.addChildren([
      home,
      ...toRoutes(signedIn, [['/account', () => import('./routes/account.tsx')]]),
      toUnknown(signedIn),
      workspace.addChildren([
        overview,
        ...toRoutes(workspace, PAGES),
        toUnknown(workspace),
        settings.addChildren(toRoutes(settings, SETTINGS_PAGES)),
      ]),
    ]),
  ]),
  basepath: basePath,
  defaultPreload: 'intent',
  defaultPendingComponent: () => <Loading shape="page" />,
  defaultErrorComponent: ({ error, reset }) => <ErrorPage error={error} retry={reset} />,
  defaultNotFoundComponent: () => <NotFound />,
  scrollRestoration: true,
});
