import type { HelpArticle } from '../../generated/types.ts';
import { isGuideError } from '../sdk/errors.ts';
import { addAll, button, element, icon, NEW_TAB } from './element.ts';
import { createSearch, type SearchDeps } from './help-search.ts';
import { FOLDER, type Icon, PAPER } from './icons.ts';
import { createRichText } from './rich-text.ts';
import { createNotes } from './sources.ts';
import { createView } from './views.ts';

export type HelpDeps = SearchDeps & {
  baseUrl: string;
  /** The visitor wants to ask about the article with this title. */
  onAskAbout: (title: string) => void;
  /** Aborts when the guide ends. */
  signal: AbortSignal;
};

export type Help = {
  root: HTMLElement;
  field: HTMLInputElement;
};

/** Browses, searches and reads the published articles. `onLeave` adds a heading, and a way back from the first page. */
export function openHelp(deps: HelpDeps, onLeave?: () => unknown): Help {
  const { guide, localization, texts, signal } = deps;
  const root = element('div', { class: 'help' });
  const pages: { page: HTMLElement; from: HTMLElement | undefined; scrollTop: number }[] = [];

  function show(page: HTMLElement, from?: HTMLElement): void {
    const current = pages.at(-1);
    if (current) current.scrollTop = current.page.scrollTop;
    pages.push({ page, from, scrollTop: 0 });
    root.replaceChildren(page);
    page.querySelector('h3')?.focus({ preventScroll: true });
  }

  function back(): boolean {
    if (pages.length < 2) return false;
    const from = pages.pop()?.from;
    const { page, scrollTop } = pages.at(-1)!;
    root.replaceChildren(page);
    page.scrollTop = scrollTop;
    from?.focus({ preventScroll: true });
    return true;
  }

  /** Fills a part of a page with what the service answers. */
  async function fill(part: HTMLElement, read: () => Promise<Node[]>): Promise<void> {
    part.setAttribute('aria-busy', 'true');
    part.replaceChildren(element('div', { class: 'skeleton' }));
    try {
      part.replaceChildren(...(await read()));
    } catch (error) {
      if (isGuideError(error, 'aborted')) return;
      const retry = () => {
        // The button disappears.
        root.querySelector<HTMLElement>('h3')?.focus();
        void fill(part, read);
      };
      part.replaceChildren(deps.createTrouble(error, retry));
    }
    part.removeAttribute('aria-busy');
  }

  function createPage(heading: HTMLElement, content: HTMLElement): HTMLElement {
    return createView(heading, { ...localization.texts, back: texts.goBack }, back, content);
  }

  function showArticle(article: HelpArticle, from: HTMLElement): void {
    const heading = element('h3', { lang: article.content_locale, dir: 'auto' }, article.title);
    const content = element('div', { class: 'article' });
    show(createPage(heading, content), from);
    void fill(content, async () => {
      const { answer, ...read } = await guide.article(article.article_id, { signal });
      const body = element('div', { class: 'text', lang: read.content_locale });
      createRichText(body, deps.baseUrl, localization.texts).draw(answer, [], true);
      const link = read.url
        ? element('a', { href: read.url, ...NEW_TAB }, localization.texts.readArticle)
        : undefined;
      const about = button(texts.askAbout, { class: 'action' }, () => deps.onAskAbout(read.title));
      const end = element('div', { class: 'article-end' }, about, link);
      return [...createNotes(read, localization), body, end];
    });
  }

  async function list(collection?: string, cursor?: string): Promise<Node[]> {
    const { data, nextCursor, collections } = await guide.articles({ collection, cursor, signal });
    const rows = [
      ...collections.map(({ id, name, articles }) => {
        const row = createRow(FOLDER, name, () => {
          const content = element('div', {});
          show(createPage(element('h3', { dir: 'auto' }, name), content), row);
          void fill(content, () => list(id));
        });
        row.append(element('span', { class: 'count' }, articles.toLocaleString(localization.locale)));
        return row;
      }),
      ...data.map((article) => {
        const row = createRow(PAPER, article.title, () => showArticle(article, row), article.content_locale);
        return row;
      }),
    ];
    if (rows.length === 0) return [element('p', { class: 'note' }, texts.noArticles)];
    const items = rows.map((row) => element('li', {}, row));
    const more = nextCursor
      ? button(texts.more, { class: 'action' }, async () => {
          const next = element('div', {});
          more?.replaceWith(next);
          await fill(next, () => list(collection, nextCursor));
          next.querySelector<HTMLElement>('.row')?.focus();
        })
      : undefined;
    return [element('ul', { class: 'rows' }, ...items), ...(more ? [more] : [])];
  }

  const browse = element('div', {});
  const search = createSearch({
    ...deps,
    onOpen: showArticle,
    onSearch: (isSearching) => (browse.hidden = isSearching),
  });
  const heading = element('h3', { class: onLeave ? undefined : 'unseen' }, localization.texts.help);
  const home = createView(heading, localization.texts, onLeave ?? back, search.root, browse);
  if (!onLeave) home.firstElementChild?.remove();
  show(home);
  void fill(browse, () => list());

  root.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || event.isComposing || !back()) return;
    // Otherwise the whole view would close.
    event.preventDefault();
    event.stopPropagation();
  });
  return { root, field: search.field };
}

function createRow(shape: Icon, title: string, onClick: () => void, language?: string): HTMLElement {
  const row = button('', { class: 'row' }, onClick);
  addAll(row, icon(shape), element('span', { class: 'title', dir: 'auto', lang: language }, title));
  return row;
}
