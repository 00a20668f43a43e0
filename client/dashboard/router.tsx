import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Loading } from './components/loading.tsx';
import { TroublePage } from './components/trouble.tsx';
import { queries } from './queries.ts';
import { basePath } from './service.ts';
import { sessionQuery } from './session.ts';
import { NotFound } from './shell/not-found.tsx';

/** Every address of the dashboard. A page is fetched when somebody goes there. */

/** A page by the name that its file exports it under, with the styles that the first pages do without. */
function page(load: () => Promise<object>, name: string) {
  return lazyRouteComponent(async () => {
    const [pages] = await Promise.all([load(), import('./page-styles.css')]);
    return pages as Record<string, () => ReactNode>;
  }, name);
}

/** What of an address is text; the rest of it is nobody's. */
function text<Names extends string>(
  search: Readonly<Record<Names, unknown>>,
): Partial<Record<Names, string>> {
  const given = Object.entries(search).filter(([, value]) => typeof value === 'string' && value !== '');
  return Object.fromEntries(given) as Partial<Record<Names, string>>;
}

type Search<Names extends string> = { readonly [K in Names]?: string };

/** Which conversations or ratings somebody came for. */
export type ConversationSearch = Search<
  'view' | 'q' | 'question' | 'answered' | 'rating' | 'commented' | 'locale' | 'visitor' | 'from' | 'to'
>;
/** Which time the figures are of, and how it is cut. */
export type AnalyticsSearch = Search<'range' | 'from' | 'to' | 'by' | 'zone'>;
/** Which part of the history somebody looks at. */
export type AuditSearch = Search<'who' | 'action' | 'subject' | 'from' | 'to'>;

const root = createRootRoute({ notFoundComponent: NotFound });

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: ({ to }: Record<string, unknown>): { readonly to?: string } =>
    // Only a path below the dashboard: a link to here must not lead elsewhere.
    typeof to === 'string' && /^\/(?![/\\])/.test(to) ? { to } : {},
  component: page(() => import('./routes/sign-in.tsx'), 'SignInPage'),
});

/** Everything that needs a session. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  beforeLoad: async ({ location }) => {
    const session = await queries.ensureQueryData(sessionQuery);
    if (!session) throw redirect({ to: '/sign-in', search: { to: location.href } });
  },
  component: lazyRouteComponent(() => import('./shell/shell.tsx'), 'Shell'),
});

const home = createRoute({
  getParentRoute: () => signedIn,
  path: '/',
  beforeLoad: () => {
    const [first] = queries.getQueryData(sessionQuery.queryKey)?.memberships ?? [];
    if (first) throw redirect({ to: '/w/$tenantId', params: { tenantId: first.tenantId } });
  },
  component: page(() => import('./routes/no-workspace.tsx'), 'NoWorkspacePage'),
});

const account = createRoute({
  getParentRoute: () => signedIn,
  path: '/account',
  component: page(() => import('./routes/account/account.tsx'), 'AccountPage'),
});

const workplace = createRoute({ getParentRoute: () => signedIn, path: '/w/$tenantId' });
const inWorkplace = { getParentRoute: () => workplace };

const overview = createRoute({
  ...inWorkplace,
  path: '/',
  component: lazyRouteComponent(() => import('./routes/overview/overview.tsx'), 'OverviewPage'),
});
const welcome = createRoute({
  ...inWorkplace,
  path: '/welcome',
  component: page(() => import('./routes/welcome/welcome.tsx'), 'WelcomePage'),
});
const articles = createRoute({
  ...inWorkplace,
  path: '/articles',
  component: page(() => import('./routes/articles/articles.tsx'), 'ArticlesPage'),
});
const newArticle = createRoute({
  ...inWorkplace,
  path: '/articles/new',
  validateSearch: ({ title }: Record<string, unknown>): { readonly title?: string } => text({ title }),
  component: page(() => import('./routes/articles/new-article.tsx'), 'NewArticlePage'),
});
const article = createRoute({
  ...inWorkplace,
  path: '/articles/$articleId',
  component: page(() => import('./routes/articles/article.tsx'), 'ArticlePage'),
});
const history = createRoute({
  ...inWorkplace,
  path: '/articles/$articleId/history',
  component: page(() => import('./routes/articles/history.tsx'), 'ArticleHistoryPage'),
});
const translation = createRoute({
  ...inWorkplace,
  path: '/articles/$articleId/translations/$locale',
  component: page(() => import('./routes/translations/translation.tsx'), 'TranslationPage'),
});
const waiting = createRoute({
  ...inWorkplace,
  path: '/waiting',
  component: page(() => import('./routes/review-queue/waiting.tsx'), 'WaitingPage'),
});
const tryIt = createRoute({
  ...inWorkplace,
  path: '/try',
  component: page(() => import('./routes/preview/try-it.tsx'), 'TryItPage'),
});
const conversations = createRoute({
  ...inWorkplace,
  path: '/conversations',
  validateSearch: ({
    view,
    q,
    question,
    answered,
    rating,
    commented,
    locale,
    visitor,
    from,
    to,
  }: Record<string, unknown>): ConversationSearch =>
    text({ view, q, question, answered, rating, commented, locale, visitor, from, to }),
  component: page(() => import('./routes/conversations/conversations.tsx'), 'ConversationsPage'),
});
const conversation = createRoute({
  ...inWorkplace,
  path: '/conversations/$conversationId',
  component: page(() => import('./routes/conversations/conversation.tsx'), 'ConversationPage'),
});
const analytics = createRoute({
  ...inWorkplace,
  path: '/analytics',
  validateSearch: ({ range, from, to, by, zone }: Record<string, unknown>): AnalyticsSearch =>
    text({ range, from, to, by, zone }),
  component: page(() => import('./routes/analytics/analytics.tsx'), 'AnalyticsPage'),
});
const audit = createRoute({
  ...inWorkplace,
  path: '/history',
  validateSearch: ({ who, action, subject, from, to }: Record<string, unknown>): AuditSearch =>
    text({ who, action, subject, from, to }),
  component: page(() => import('./routes/audit/audit.tsx'), 'AuditPage'),
});

const settings = createRoute({
  ...inWorkplace,
  path: '/settings',
  component: page(() => import('./routes/settings/settings.tsx'), 'SettingsPage'),
});
const inSettings = { getParentRoute: () => settings };
const settingsPages = [
  createRoute({
    ...inSettings,
    path: '/',
    component: page(() => import('./routes/settings/general.tsx'), 'GeneralSettings'),
  }),
  createRoute({
    ...inSettings,
    path: '/appearance',
    component: page(() => import('./routes/settings/appearance.tsx'), 'AppearanceSettings'),
  }),
  createRoute({
    ...inSettings,
    path: '/consent',
    component: page(() => import('./routes/settings/consent.tsx'), 'ConsentSettings'),
  }),
  createRoute({
    ...inSettings,
    path: '/voice',
    component: page(() => import('./routes/settings/voice.tsx'), 'VoiceSettings'),
  }),
  createRoute({
    ...inSettings,
    path: '/guide',
    component: page(() => import('./routes/settings/guide.tsx'), 'GuideSettings'),
  }),
  createRoute({
    ...inSettings,
    path: '/members',
    component: page(() => import('./routes/people/members.tsx'), 'MembersPage'),
  }),
  createRoute({
    ...inSettings,
    path: '/api-keys',
    component: page(() => import('./routes/api-keys/api-keys.tsx'), 'ApiKeysPage'),
  }),
  createRoute({
    ...inSettings,
    path: '/data',
    component: page(() => import('./routes/transfer/data.tsx'), 'DataPage'),
  }),
] as const;

const routeTree = root.addChildren([
  signIn,
  signedIn.addChildren([
    home,
    account,
    workplace.addChildren([
      overview,
      welcome,
      articles,
      newArticle,
      article,
      history,
      translation,
      waiting,
      tryIt,
      conversations,
      conversation,
      analytics,
      audit,
      settings.addChildren(settingsPages),
    ]),
  ]),
]);

export const router = createRouter({
  routeTree,
  basepath: basePath,
  defaultPreload: 'intent',
  defaultPendingComponent: Loading,
  defaultErrorComponent: ({ error, reset }) => <TroublePage error={error} retry={reset} />,
  defaultNotFoundComponent: NotFound,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
