import type { HelpArticle } from '../../generated/types.ts';
import { isGuideError } from '../sdk/errors.ts';
import type { Guide } from '../sdk/guide.ts';
import { element, icon } from './element.ts';
import { BUBBLE, PAPER, SEARCH } from './icons.ts';
import { fillIn, type Localization, type TextsOf } from './language.ts';

export type SearchDeps = {
  guide: Guide;
  localization: Localization;
  texts: TextsOf<'help'>;
  /** Says what went wrong, with a button that tries again. */
  createTrouble: (error: unknown, retry: () => void) => HTMLElement;
  onAsk: (question: string) => void;
};

type OwnDeps = SearchDeps & {
  onOpen: (article: HelpArticle, from: HTMLElement) => void;
  /** Called when results replace the list of articles, and when they go. */
  onSearch: (isSearching: boolean) => void;
};

const PAUSE_MILLIS = 150;

/** A row of the results: what it says, and what happens when it is chosen. */
type Option = { row: HTMLElement; choose: () => void };

/** A field that searches while one types. The focus stays in it; arrows and Enter choose a result. */
export function createSearch(deps: OwnDeps): { root: HTMLElement; field: HTMLInputElement } {
  const { guide, texts, onSearch } = deps;
  const field = element('input', {
    type: 'search',
    role: 'combobox',
    'aria-label': texts.searchArticles,
    'aria-autocomplete': 'list',
    'aria-controls': 'found',
    'aria-expanded': false.toString(),
    autocomplete: 'off',
    autocapitalize: 'off',
    spellcheck: false.toString(),
    enterkeyhint: 'search',
    maxlength: QUERY_CHARS_MAX,
    placeholder: texts.searchArticles,
  });
  const found = element('div', { id: 'found', role: 'listbox', 'aria-label': deps.localization.texts.help });
  const trouble = element('div', {});
  const status = element('p', { class: 'unseen', role: 'status' });
  const line = element('div', { class: 'search-line' }, icon(SEARCH), field);
  const root = element('div', { class: 'search' }, line, status, trouble, found);
  found.hidden = true;

  let options: Option[] = [];
  let active = -1;
  let hits: readonly HelpArticle[] = [];
  let running: AbortController | undefined;
  let pause: ReturnType<typeof setTimeout> | undefined;

  function activate(index: number): void {
    active = index;
    for (const [at, { row }] of options.entries()) row.setAttribute('aria-selected', String(at === index));
    const row = options[index]?.row;
    if (row) field.setAttribute('aria-activedescendant', row.id);
    else field.removeAttribute('aria-activedescendant');
    row?.scrollIntoView({ block: 'nearest' });
  }

  function createOption(choose: () => void, ...content: (Node | string)[]): Option {
    const row = element('div', { role: 'option', class: 'row' }, ...content);
    // The focus stays in the field.
    row.addEventListener('pointerdown', (event) => event.preventDefault());
    row.addEventListener('click', choose);
    return { row, choose };
  }

  /** Shows the last results, and below them a way to ask what has been typed. */
  function draw(): void {
    const question = field.value.trim();
    options = hits.map((hit) =>
      createOption(
        () => deps.onOpen(hit, field),
        icon(PAPER),
        element('span', { class: 'title', dir: 'auto', lang: hit.content_locale }, hit.title),
        element('span', { class: 'note', dir: 'auto', lang: hit.content_locale }, hit.snippet ?? ''),
      ),
    );
    const askRow = createOption(
      () => deps.onAsk(question),
      icon(BUBBLE),
      element('span', { dir: 'auto' }, fillIn(texts.askGuide, { question })),
    );
    askRow.row.classList.add('ask');
    options.push(askRow);
    for (const [at, { row }] of options.entries()) row.id = `found-${at}`;
    found.replaceChildren(...options.map(({ row }) => row));
    found.hidden = question === '';
    field.setAttribute('aria-expanded', String(!found.hidden));
    onSearch(!found.hidden);
    activate(-1);
  }

  async function search(): Promise<void> {
    clearTimeout(pause);
    running?.abort();
    const q = field.value.trim();
    if (q === '') return;
    const searching = new AbortController();
    running = searching;
    try {
      const { signal } = searching;
      const { data } = await guide.searchArticles(q, { signal });
      if (running !== searching) return;
      hits = data;
      trouble.replaceChildren();
      draw();
      activate(0);
      status.textContent = data.length
        ? fillIn(texts.articlesFound, { count: data.length })
        : texts.noArticles;
      if (data.length === 0) trouble.replaceChildren(element('p', { class: 'note' }, texts.noArticles));
    } catch (error) {
      if (running !== searching || isGuideError(error, 'aborted')) return;
      hits = [];
      draw();
      const retry = () => {
        field.focus();
        void search();
      };
      trouble.replaceChildren(deps.createTrouble(error, retry));
    }
  }

  field.addEventListener('input', () => {
    clearTimeout(pause);
    if (field.value.trim() === '') {
      running?.abort();
      hits = [];
      trouble.replaceChildren();
    } else pause = setTimeout(search, PAUSE_MILLIS);
    draw();
  });
  field.addEventListener('keydown', (event) => {
    if (event.isComposing || found.hidden) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) activate((Math.max(active, step > 0 ? -1 : 0) + step + options.length) % options.length);
    else if (event.key === 'Enter') {
      if (active >= 0) options[active]?.choose();
      else void search();
    } else return;
    event.preventDefault();
  });
  return { root, field };
}

const QUERY_CHARS_MAX = 1000;
