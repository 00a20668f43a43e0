import { createHash } from 'node:crypto';
import { identity, memoize } from '../base/cache.ts';
import type { PageReply } from '../http/pages.ts';
import { isAllowedOrigin } from '../visitors/allowed-origin.ts';
import { type ArticleHead, renderHead } from './head.ts';
import { Html, html } from './html.ts';
import { getLanguageName, type HelpCentre, type PageLanguage, toDirection } from './site.ts';
import { buildStyle } from './style.ts';

/** Wakes the buttons that ask the guide. The only script of the pages besides the guide, and they do without it. */
export const PAGE_SCRIPT = `const buttons = document.querySelectorAll('[data-ask]');
const guide = document.querySelector('script[data-gp-app]');
const wake = () => {
  for (const button of buttons) {
    button.hidden = false;
    button.addEventListener('click', () => window.Guidepost.ask(button.dataset.ask));
  }
};
if (window.Guidepost) wake();
else guide.addEventListener('load', wake);
`;
export const PAGE_SCRIPT_PATH = '/help.js';

/** A page without its frame. */
export type Page = {
  status?: number;
  /** For the tab of the browser; the title of the help centre is added. Absent on the first page. */
  title?: string;
  description?: string;
  main: Html;
  /** The page in each language, in the order of the languages. */
  alternates: readonly { locale: string; path: string }[];
  /** What the search field holds. */
  searched?: string;
  /** False on the first page and the page of a search, which have the field in their content. */
  hasSearch?: boolean;
  /** Search engines may list it. */
  isIndexed?: boolean;
  article?: ArticleHead;
};

export function renderPage(centre: HelpCentre, language: PageLanguage, page: Page): PageReply {
  const { workspace, settings } = centre;
  const name = settings.title ?? workspace.name;
  const title = page.title === undefined ? name : `${page.title} · ${name}`;
  const { texts, textsLocale } = language;
  const style = getStyle(workspace.settings.branding?.color ?? '');
  const hasGuide = showsGuide(centre);
  const isIndexed = settings.searchEngines && page.isIndexed === true;
  const text = html`<!doctype html>
<html lang="${textsLocale}" dir="${toDirection(textsLocale)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
${page.description !== undefined && html`<meta name="description" content="${page.description}">`}
${!isIndexed && html`<meta name="robots" content="noindex">`}
${isIndexed && renderHead(centre, language.locale, page)}
<style>${style.text}</style>
${hasGuide && renderGuide(centre, language)}
</head>
<body>
<a class="skip" href="#content">${texts.skip}</a>
${renderHeader(centre, language, page, name)}
<main id="content" tabindex="-1">
${page.hasSearch !== false && renderSearch(centre, language, page.searched)}
${page.main}
</main>
${renderFooter(centre)}
</body>
</html>
`.text;
  return {
    status: page.status ?? 200,
    text,
    headers: { 'content-security-policy': buildPolicy(centre, style.hash, hasGuide) },
    usesMicrophone: hasGuide,
  };
}

const showsGuide = ({ workspace, settings, origin }: HelpCentre) =>
  settings.showGuide && isAllowedOrigin(origin, workspace.settings.allowedOrigins);

function renderGuide({ workspace, serviceUrl }: HelpCentre, { locale }: PageLanguage): Html {
  return html`<script src="${serviceUrl}/guide.js" data-gp-app="${workspace.appId}" data-gp-api="${serviceUrl}" data-gp-lang="${locale}" async></script>
<script src="${serviceUrl}${PAGE_SCRIPT_PATH}" defer></script>`;
}

/** Nothing but the page's own style, pictures of articles, and the guide where it is shown. */
function buildPolicy({ serviceUrl }: HelpCentre, styleHash: string, hasGuide: boolean): string {
  const service = new URL(serviceUrl).origin;
  const guide = hasGuide ? ` script-src ${service}; connect-src ${service}; media-src blob:;` : '';
  return (
    `default-src 'none'; style-src '${styleHash}'; img-src 'self' ${service};${guide} ` +
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
  );
}

const getStyle = memoize((color) => {
  const text = buildStyle(color || undefined);
  const hash = `sha256-${createHash('sha256').update(text).digest('base64')}`;
  return { text: new Html(text), hash };
}, identity);

function renderHeader(centre: HelpCentre, language: PageLanguage, { alternates }: Page, name: string): Html {
  const { settings, basePath, logo } = centre;
  const { locale, texts } = language;
  return html`<header>
<div class="bar">
<a class="name" href="${basePath}/${locale}">${logo && html`<img src="${logo.url}" alt=""${logo.width !== undefined && html` width="${logo.width}" height="${logo.height}"`}>`}<span dir="auto">${name}</span></a>
${
  settings.headerLinks.length > 0 &&
  html`<nav aria-label="${name}"><ul>${settings.headerLinks.map(renderLink)}</ul></nav>`
}
${
  alternates.length > 1 &&
  html`<details class="languages"><summary aria-label="${texts.language}: ${getOwnName(locale)}">${getOwnName(locale)}</summary>
<ul>${alternates.map(
    (each) =>
      html`<li><a href="${basePath}${each.path}" lang="${each.locale}" hreflang="${each.locale}" dir="${toDirection(each.locale)}"${each.locale === locale && html` aria-current="true"`}>${getOwnName(each.locale)}</a></li>`,
  )}</ul></details>`
}
</div>
</header>`;
}

const renderLink = ({ label, url }: { label: string; url: string }) =>
  html`<li><a href="${url}" dir="auto">${label}</a></li>`;

/** The name of a language in itself, as its readers look for it. */
const getOwnName = (locale: string) => getLanguageName(locale, locale);

function renderFooter({ settings }: HelpCentre): Html | false {
  return (
    settings.footerLinks.length > 0 && html`<footer><ul>${settings.footerLinks.map(renderLink)}</ul></footer>`
  );
}

const SEARCH_ICON = new Html(
  '<svg viewBox="0 0 24 24" width="20" height="20" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" aria-hidden="true"><circle cx="11" cy="11" r="7"/><path d="m20 20-4-4"/></svg>',
);

export function renderSearch({ basePath }: HelpCentre, { locale, texts }: PageLanguage, searched = ''): Html {
  return html`<form class="search" role="search" action="${basePath}/${locale}/search">
<input type="search" name="q" value="${searched}" placeholder="${texts.searchArticles}" aria-label="${texts.searchArticles}" maxlength="200" required dir="auto" autocomplete="off">
<button aria-label="${texts.searchArticles}">${SEARCH_ICON}</button>
</form>`;
}
