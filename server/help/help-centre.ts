import { ARTICLE_LIMITS } from '../../contract/limits/articles.ts';
import { PUBLIC } from '../base/audience.ts';
import { memoizeWithTtl } from '../base/cache.ts';
import type { Clock } from '../base/clock.ts';
import { toArticlePath, toCollectionPath } from '../base/help-paths.ts';
import { canonicalizeLocale, parseAcceptLanguage, selectLocale } from '../base/locale.ts';
import type { PageHandler, PageReply } from '../http/pages.ts';
import { sanitizePageText } from '../sanitize/page-text.ts';
import type { ImageSize } from '../storage/images.ts';
import type { Store } from '../storage/store.ts';
import { HELP_CENTRE_DEFAULTS } from '../storage/workspace-settings.ts';
import type { HelpAddresses } from './addresses.ts';
import { type Page, renderPage } from './layout.ts';
import { isRefusedCrawler, readForMachines } from './machines.ts';
import {
  buildArticle,
  buildCollection,
  buildHome,
  buildMissing,
  buildSearch,
  type PageDeps,
} from './pages.ts';
import { rateArticle } from './rate-article.ts';
import { type HelpCentre, type PageLanguage, toPageLanguage } from './site.ts';
import type { HelpSites } from './sites.ts';

type Deps = PageDeps & {
  store: Store;
  clock: Clock;
  helpSites: HelpSites;
  helpAddresses: HelpAddresses;
  baseUrl: () => string;
};

/** Texts that were published or withdrawn are so on all nodes after this. */
const CACHE_MILLIS = 500;
const PAGES_MAX = 1000;
/** An image never changes. */
const LOGO_MILLIS = 600_000;

/** What a page depends on: its path below the help centre, and the parameters that change it. */
type PageKey = { appId: string; path: readonly string[]; q?: string; after?: string; rated: boolean };

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
  const open = (appId: string) => openCentre(appId, deps, { listLocales, readLogo });
  const readCached = memoizeWithTtl(
    clock,
    CACHE_MILLIS,
    async (json) => {
      const key = JSON.parse(json) as PageKey;
      const centre = await open(key.appId);
      return centre && readPage(deps, centre, key);
    },
    PAGES_MAX,
  );
  return {
    async read({ segments: [appId = '', ...path], query, ctx }) {
      const centre = await open(appId);
      if (path.length === 0 || (path.length === 1 && path[0] === ''))
        return centre && redirectToLanguage(centre, ctx.headers['accept-language']);
      if (centre && isRefusedCrawler(centre, ctx.headers['user-agent'])) return { status: 403 };
      const forMachines = centre && (await readForMachines(deps, centre, path));
      if (forMachines) return forMachines;
      const { q, after } = query;
      const key: PageKey = {
        ...{ appId, path, rated: 'rated' in query },
        ...(typeof q === 'string' && { q }),
        ...(typeof after === 'string' && { after }),
      };
      return readCached(JSON.stringify(key));
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

async function readPage(deps: ReadDeps, centre: HelpCentre, key: PageKey): Promise<PageReply> {
  const [tag = '', ...path] = key.path;
  const { locales, basePath } = centre;
  const canonical = canonicalizeLocale(tag);
  if (canonical === undefined || !locales.includes(canonical))
    return showMissing(centre, toPageLanguage(findMainLocale(centre) ?? 'en'), 404, path.at(-1) ?? tag);
  const written = path.at(-1) === '' ? path.slice(0, -1) : path;
  if (canonical !== tag || written !== path)
    return redirect(301, [basePath, canonical, ...written.map(encodeURIComponent)].join('/'));
  const language = toPageLanguage(tag);
  const reply = await readPageIn(deps, centre, language, path, key);
  if (reply === undefined) return showMissing(centre, language, 404, path.at(-1) ?? '');
  return 'main' in reply ? renderPage(centre, language, reply) : reply;
}

async function readPageIn(
  deps: ReadDeps,
  centre: HelpCentre,
  language: PageLanguage,
  [first, second, ...more]: readonly string[],
  { q = '', after, rated }: PageKey,
): Promise<Page | PageReply | undefined> {
  if (more.length > 0) return undefined;
  if (first === undefined) return buildHome(deps, centre, language, after);
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
): Promise<Page | PageReply | undefined> {
  const { workspace, basePath } = centre;
  const found = await deps.helpAddresses.findCollection(workspace.id, slug);
  if (found?.kind === 'moved') return redirect(301, basePath + toCollectionPath(language.locale, found.slug));
  const collections = found && (await deps.store.in(workspace.id).collections.listPublished(PUBLIC));
  const collection = collections?.find(({ id }) => id === found?.id);
  return collection && buildCollection(deps, centre, language, collection, after);
}

async function readArticle(
  deps: ReadDeps,
  centre: HelpCentre,
  language: PageLanguage,
  slug: string,
  rated: boolean,
): Promise<Page | PageReply | undefined> {
  const { workspace, basePath } = centre;
  const { locale } = language;
  const found = await deps.helpAddresses.find(workspace.id, locale, slug);
  if (!found) return undefined;
  if (found.kind === 'moved') return redirect(301, basePath + toArticlePath({ locale, slug: found.slug }));
  const page = found.kind === 'article' && (await buildArticle(deps, centre, language, found, rated));
  return page || showMissing(centre, language, 410, slug);
}

const showMissing = (centre: HelpCentre, language: PageLanguage, status: 404 | 410, slug: string) =>
  renderPage(centre, language, buildMissing(centre, language, status, slug));

const redirect = (status: number, location: string): PageReply => ({ status, headers: { location } });
