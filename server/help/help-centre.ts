import { createHash } from 'node:crypto';
import { ARTICLE_LIMITS } from '../../contract/limits/articles.ts';
import { PUBLIC } from '../base/audience.ts';
import { memoizeWithTtl } from '../base/cache.ts';
import type { Clock } from '../base/clock.ts';
import { toArticlePath, toCollectionPath } from '../base/help-paths.ts';
import { canonicalizeLocale, parseAcceptLanguage, selectLocale } from '../base/locale.ts';
import type { CurrentPage, PageHandler, PageReply } from '../http/pages.ts';
import { sanitizePageText } from '../sanitize/page-text.ts';
import type { ImageSize } from '../storage/images.ts';
import type { Store } from '../storage/store.ts';
import { HELP_CENTRE_DEFAULTS } from '../storage/workspace-settings.ts';
import type { HelpAddresses } from './addresses.ts';
import { type Page, renderPage } from './layout.ts';
import { isRefusedCrawler, readForMachines } from './machines.ts';
import {
  buildMissing,
  buildSearch,
  type PageDeps,
  type PlannedPage,
  planArticle,
  planCollection,
  planHome,
} from './pages.ts';
import { rateArticle } from './rate-article.ts';
import { type HelpCentre, type PageLanguage, toPageLanguage } from './site.ts';
import type { HelpSites } from './sites.ts';

type Deps = Omit<PageDeps, 'listCollections'> & {
  store: Store;
  clock: Clock;
  helpSites: HelpSites;
  helpAddresses: HelpAddresses;
  baseUrl: () => string;
};

/** The languages and the collections of a help centre are read again after this. */
const CACHE_MILLIS = 500;
/** An image never changes. */
const LOGO_MILLIS = 600_000;

/** What a reader asks for: a path below the help centre, and the parameters that change its page. */
type Asked = { path: readonly string[]; q?: string; after?: string; rated: boolean };

/** The pages of all help centres, below `/help/{app_id}`. */
export function createHelpCentre(deps: Deps): PageHandler {
  const { store, clock, helpAddresses } = deps;
  const listLocales = memoizeWithTtl(clock, CACHE_MILLIS, async (workspaceId) =>
    (await store.in(workspaceId).passages.partitions()).map(({ locale }) => locale).sort(),
  );
  const readLogo = memoizeWithTtl(clock, LOGO_MILLIS, async (json) => {
    const { workspaceId, logo } = JSON.parse(json) as { workspaceId: string; logo: string };
    return (await store.in(workspaceId).images.listSizes(logo))[0];
  });
  const listCollections = memoizeWithTtl(clock, CACHE_MILLIS, (workspaceId) =>
    store.in(workspaceId).collections.listPublished(PUBLIC),
  );
  const open = (appId: string) => openCentre(appId, deps, { listLocales, readLogo });
  return {
    async read({ segments: [appId = '', ...path], query, ctx }) {
      const centre = await open(appId);
      if (path.length === 0 || (path.length === 1 && path[0] === ''))
        return centre && redirectToLanguage(centre, ctx.headers['accept-language']);
      if (centre && isRefusedCrawler(centre, ctx.headers['user-agent'])) return { status: 403 };
      const forMachines = centre && (await readForMachines(deps, centre, path));
      if (forMachines) return forMachines;
      const { q, after } = query;
      const asked: Asked = {
        ...{ path, rated: 'rated' in query },
        ...(typeof q === 'string' && { q }),
        ...(typeof after === 'string' && { after }),
      };
      return centre && readPage({ ...deps, listCollections }, centre, asked);
    },
    async submit({ segments: [appId = '', locale = '', slug = '', ...more], query: { rating }, ctx }) {
      const centre = await open(appId);
      if (!centre?.locales.includes(locale) || more.length > 0) return undefined;
      const { workspace, basePath } = centre;
      const found = await helpAddresses.find(workspace.id, locale, slug);
      if (found?.kind !== 'article' || !workspace.settings.features.feedback) return undefined;
      if (rating !== 'up' && rating !== 'down') return undefined;
      await rateArticle(deps, workspace.id, { ...found, rating }, ctx);
      return redirect(303, `${basePath}${toArticlePath({ locale, slug })}?rated#rating`);
    },
  };
}

async function openCentre(
  appId: string,
  { helpSites, baseUrl }: Deps,
  read: {
    listLocales: (workspaceId: string) => Promise<readonly string[]>;
    readLogo: (json: string) => Promise<ImageSize | undefined>;
  },
): Promise<HelpCentre | undefined> {
  const site = await helpSites.findByAppId(appId);
  if (!site) return undefined;
  const { workspace, basePath, origin } = site;
  const { branding, helpCentre = HELP_CENTRE_DEFAULTS } = workspace.settings;
  const logo = branding?.logo;
  const size = logo && (await read.readLogo(JSON.stringify({ workspaceId: workspace.id, logo })));
  return {
    ...{ workspace, basePath, origin, settings: helpCentre },
    locales: await read.listLocales(workspace.id),
    serviceUrl: baseUrl(),
    ...(logo && { logo: { ...(size || {}), url: baseUrl() + logo } }),
  };
}

/** Leads from the start to the language that the reader's browser asks for. */
function redirectToLanguage(centre: HelpCentre, acceptLanguage: string | undefined): PageReply {
  const { locales, basePath } = centre;
  const preference = parseAcceptLanguage(acceptLanguage);
  const chosen = selectLocale(preference, locales, findMainLocale(centre))?.contentLocale;
  if (chosen === undefined) return showMissing(centre, toPageLanguage('en'), 404, '');
  return { status: 302, headers: { location: `${basePath}/${chosen}`, vary: 'accept-language' } };
}

/** Returns the language of the sources; another one if no source is published. */
const findMainLocale = ({ workspace, locales }: HelpCentre) =>
  locales.includes(workspace.settings.sourceLocale) ? workspace.settings.sourceLocale : locales[0];

type ReadDeps = PageDeps & { helpAddresses: HelpAddresses };

async function readPage(deps: ReadDeps, centre: HelpCentre, asked: Asked): Promise<PageReply | CurrentPage> {
  const [tag = '', ...path] = asked.path;
  const { locales, basePath } = centre;
  const canonical = canonicalizeLocale(tag);
  if (canonical === undefined || !locales.includes(canonical)) {
    const [slug = '', ...more] = path;
    const found =
      canonical && more.length === 0 && (await deps.helpAddresses.find(centre.workspace.id, canonical, slug));
    const status = found && found.kind === 'gone' ? 410 : 404;
    return showMissing(centre, toPageLanguage(findMainLocale(centre) ?? 'en'), status, path.at(-1) ?? tag);
  }
  const written = path.at(-1) === '' ? path.slice(0, -1) : path;
  if (canonical !== tag || written !== path)
    return redirect(301, [basePath, canonical, ...written.map(encodeURIComponent)].join('/'));
  const language = toPageLanguage(tag);
  const found = await readPageIn(deps, centre, language, path, asked);
  if (found === undefined) return showMissing(centre, language, 404, path.at(-1) ?? '');
  if ('main' in found) return renderPage(centre, language, found);
  if ('status' in found) return found;
  return {
    key: toKey([centre, language.locale, found.state]),
    async render() {
      const page = await found.render();
      if (page) return renderPage(centre, language, page);
      const changed = await readPage(deps, centre, asked);
      return 'render' in changed ? changed.render() : changed;
    },
  };
}

const toKey = (state: unknown) => createHash('sha256').update(JSON.stringify(state)).digest('base64url');

async function readPageIn(
  deps: ReadDeps,
  centre: HelpCentre,
  language: PageLanguage,
  [first, second, ...more]: readonly string[],
  { q = '', after, rated }: Asked,
): Promise<Page | PlannedPage | PageReply | undefined> {
  if (more.length > 0) return undefined;
  if (first === undefined) return planHome(deps, centre, language, after);
  if (first === 'collections' && second !== undefined)
    return readCollection(deps, centre, language, second, after);
  if (second !== undefined) return undefined;
  if (first !== 'search') return readArticle(deps, centre, language, first, rated);
  const question = sanitizePageText(q, ARTICLE_LIMITS.searchQueryCharsMax).trim();
  return buildSearch(deps, centre, language, question);
}

async function readCollection(
  deps: ReadDeps,
  centre: HelpCentre,
  language: PageLanguage,
  slug: string,
  after: string | undefined,
): Promise<PlannedPage | PageReply | undefined> {
  const { workspace, basePath } = centre;
  const found = await deps.helpAddresses.findCollection(workspace.id, slug);
  if (found?.kind === 'moved') return redirect(301, basePath + toCollectionPath(language.locale, found.slug));
  const collections = found && (await deps.listCollections(workspace.id));
  const collection = collections?.find(({ id }) => id === found?.id);
  return collection && planCollection(deps, centre, language, collection, after);
}

async function readArticle(
  deps: ReadDeps,
  centre: HelpCentre,
  language: PageLanguage,
  slug: string,
  rated: boolean,
): Promise<PlannedPage | PageReply | undefined> {
  const { workspace, basePath } = centre;
  const { locale } = language;
  const found = await deps.helpAddresses.find(workspace.id, locale, slug);
  if (!found) return undefined;
  if (found.kind === 'moved') return redirect(301, basePath + toArticlePath({ locale, slug: found.slug }));
  const page = found.kind === 'article' && (await planArticle(deps, centre, language, found, rated));
  return page || showMissing(centre, language, 410, slug);
}

const showMissing = (centre: HelpCentre, language: PageLanguage, status: 404 | 410, slug: string) =>
  renderPage(centre, language, buildMissing(centre, language, status, slug));

const redirect = (status: number, location: string): PageReply => ({ status, headers: { location } });
