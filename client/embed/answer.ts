import type { ChatEvent, Contact, FinishReason } from '../../generated/types.ts';
import { accumulate, type GuideMessage } from '../sdk/message.ts';
import type { Action } from './actions.ts';
import { type Announcer, button, element } from './element.ts';
import { createRetryButton, type ErrorMessage } from './error-message.ts';
import type { Localization, Texts } from './language.ts';
import { createRichText, type RichText, toPlainText } from './rich-text.ts';
import { type Citation, createMarker, createSource, NEW_TAB } from './sources.ts';

export type AnswerDeps = {
  readonly localization: Localization;
  readonly announcer: Announcer;
  readonly canRate: boolean;
  readonly contact: Contact | undefined;
  readonly createProposal: (action: Action) => Promise<HTMLElement | undefined>;
  /** Creates a button that reads the text aloud, when the workspace has voice. */
  readonly readAloud: (text: string) => Promise<HTMLElement | undefined>;
  readonly onRate: (messageId: string, rating: 'up' | 'down') => Promise<unknown>;
  readonly onAsk: (message: string) => void;
  /** Shows the cited passage. `from` gets the focus back afterwards. */
  readonly onCitation: (citation: Citation, from: HTMLElement) => void;
};

/** One answer as it is written: text with numbered markers, sources, proposals, suggestions, and a rating at the end. */
export class AnswerView {
  readonly root: HTMLElement;
  readonly #deps: AnswerDeps;
  readonly #status: HTMLElement;
  readonly #body = element('div', { class: 'text', dir: 'auto' });
  readonly #richText: RichText = createRichText(this.#body);
  readonly #sources = element('ol', { class: 'sources' });
  readonly #sourceArea: HTMLElement;
  readonly #pageQuotes = element('div', { class: 'page-quotes' });
  readonly #pageArea: HTMLElement;
  readonly #actions = element('div', { class: 'actions' });
  readonly #actionArea: HTMLElement;
  readonly #after = element('div', { class: 'after' });
  #message: GuideMessage | undefined;
  #reader: ReturnType<Announcer['follow']>;
  #frame = 0;

  constructor(deps: AnswerDeps) {
    const { texts, locale } = deps.localization;
    this.#deps = deps;
    this.#reader = deps.announcer.follow(locale);
    this.#status = element('p', { class: 'status' }, texts.retrieving);
    this.#sourceArea = createArea(texts.sources, this.#sources);
    this.#pageArea = createArea(texts.fromThisPage, this.#pageQuotes);
    this.#actionArea = createArea(texts.onThisPage, this.#actions);
    this.root = element(
      'div',
      { class: 'answer' },
      element('span', { class: 'unseen' }, texts.answer),
      this.#status,
      this.#body,
      this.#sourceArea,
      this.#pageArea,
      this.#actionArea,
      this.#after,
    );
  }

  get text(): string {
    return this.#message?.text ?? '';
  }

  get citations(): readonly Citation[] {
    return this.#message?.citations ?? [];
  }

  apply(event: ChatEvent): void {
    const { localization, onAsk } = this.#deps;
    const { texts } = localization;
    const before = this.#message;
    this.#message = accumulate(before, event);
    if (this.#message === before) return;
    switch (event.type) {
      case 'message_start':
        this.#clear();
        break;
      case 'status':
        this.#status.textContent = texts[event.phase] ?? this.#status.textContent;
        break;
      case 'text_delta':
        this.#frame ||= requestAnimationFrame(() => this.#draw());
        break;
      case 'text_replace':
        if (event.reason === 'retry') this.#clear();
        this.#draw();
        break;
      case 'citation':
        this.#addCitation(event);
        this.#draw();
        break;
      case 'page_citation':
        this.#addPageQuote(event.quote);
        break;
      case 'action':
        void this.#addAction(event);
        break;
      case 'suggestions':
        this.#after.append(createSuggestions(texts.next, event.items, onAsk));
        break;
      case 'message_end':
        this.#end();
        this.#addContact(event.finish_reason);
        this.#addRating();
        break;
    }
  }

  /** Shows an earlier answer. */
  restore(message: GuideMessage): void {
    this.#message = message;
    for (const citation of message.citations) this.#addCitation(citation);
    for (const { quote } of message.pageCitations) this.#addPageQuote(quote);
    this.#end();
    this.#addContact(message.finishReason);
    if (message.state === 'done') this.#addRating();
  }

  /** Ends the answer early, with a sentence that says why and a retry button if that may help. */
  breakOff({ sentence, waitSeconds }: Omit<ErrorMessage, 'retryable'>, retry?: () => void): void {
    this.#end();
    this.markBroken(sentence, retry, waitSeconds);
    this.#deps.announcer.say(sentence);
  }

  /** The same for an earlier answer, without announcing it. */
  markBroken(sentence: string, retry?: () => void, waitSeconds = 0): void {
    const { localization, announcer } = this.#deps;
    const again = retry && createRetryButton(localization, announcer, waitSeconds, retry);
    this.#after.append(element('div', { class: 'trouble' }, element('p', {}, sentence), again));
  }

  /** The answer starts over. */
  #clear(): void {
    const { announcer, localization } = this.#deps;
    this.#reader = announcer.follow(localization.locale);
    this.#richText.draw('', []);
    for (const part of [this.#sources, this.#pageQuotes, this.#actions, this.#after]) part.replaceChildren();
    this.#sourceArea.hidden = this.#pageArea.hidden = this.#actionArea.hidden = true;
  }

  #draw(): void {
    const { localization, onCitation } = this.#deps;
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    const createNode = (citation: Citation) => {
      const marker = createMarker(citation, localization.texts, () =>
        onCitation(citation, marker.firstElementChild as HTMLElement),
      );
      return marker;
    };
    const characters = Array.from(this.text);
    const marks = this.citations.map((citation) => {
      const { start, end, citation_id: id, quote } = citation;
      const isVerbatim = characters.slice(start, end).join('') === quote;
      return { end, id, node: () => createNode(citation), ...(isVerbatim ? { quotedFrom: start } : {}) };
    });
    this.#richText.draw(this.text, marks);
    this.#reader.grow(toPlainText(this.text));
  }

  #end(): void {
    this.#draw();
    this.#reader.end();
    this.#status.remove();
  }

  #addCitation(citation: Citation): void {
    // The answer is in the language of its sources, which may differ from that of the question.
    this.#body.lang = citation.content_locale;
    this.#sources.append(createSource(citation, this.text, this.#deps.localization));
    this.#sourceArea.hidden = false;
  }

  #addPageQuote(quote: string): void {
    const isShown = Array.from(this.#pageQuotes.children).some(({ textContent }) => textContent === quote);
    if (!isShown) this.#pageQuotes.append(element('blockquote', { dir: 'auto' }, quote));
    this.#pageArea.hidden = false;
  }

  /** How to reach a person: below answers that found nothing, and for visitors who asked for one. */
  #addContact(finishReason: FinishReason | undefined): void {
    const { contact, localization } = this.#deps;
    if (!contact || (finishReason !== 'no_knowledge' && !namesContact(this.text, contact))) return;
    const links = createContactLinks(contact, localization.texts);
    if (!links) return;
    const area = createArea(localization.texts.contact, links);
    area.classList.add('contact');
    area.hidden = false;
    this.#after.append(area);
  }

  async #addAction(action: Action): Promise<void> {
    const proposal = await this.#deps.createProposal(action);
    // The answer may have started over meanwhile.
    if (!proposal || !this.#message?.actions.includes(action)) return;
    this.#actions.append(proposal);
    this.#actionArea.hidden = false;
  }

  #addRating(): void {
    const { canRate, readAloud } = this.#deps;
    if (this.text === '') return;
    const { id } = this.#message ?? {};
    if (canRate && id) this.#after.append(createRating(id, this.#deps));
    this.#after.append(createCopyButton(this.text, this.#deps));
    void readAloud(toPlainText(this.text)).then((reader) => reader && this.#after.append(reader));
  }
}

function createRating(messageId: string, { localization, announcer, onRate }: AnswerDeps): HTMLElement {
  const { texts } = localization;
  const rate = (rating: 'up' | 'down') => async () => {
    const sentence = await onRate(messageId, rating).then(
      () => texts.thanks,
      () => texts.failed,
    );
    question.textContent = sentence;
    announcer.say(sentence);
    if (sentence !== texts.thanks) return;
    yes.setAttribute('aria-pressed', String(rating === 'up'));
    no.setAttribute('aria-pressed', String(rating === 'down'));
  };
  const question = element('span', {}, texts.helpful);
  const yes = button(texts.yes, { class: 'rate' }, rate('up'));
  const no = button(texts.no, { class: 'rate' }, rate('down'));
  for (const choice of [yes, no]) choice.setAttribute('aria-pressed', 'false');
  return element('div', { class: 'rating', role: 'group', 'aria-label': texts.helpful }, question, yes, no);
}

function createCopyButton(text: string, { localization, announcer }: AnswerDeps): HTMLElement {
  const { texts } = localization;
  const copy = button(texts.copy, { class: 'rate' }, async () => {
    const isCopied = await copyText(text).catch(() => false);
    const sentence = isCopied ? texts.copied : texts.failed;
    announcer.say(sentence);
    copy.textContent = sentence;
  });
  return copy;
}

/** `navigator.clipboard` exists on secure pages only. */
async function copyText(text: string): Promise<boolean> {
  if (navigator.clipboard) {
    await navigator.clipboard.writeText(text);
    return true;
  }
  const put = (event: ClipboardEvent) => {
    event.preventDefault();
    event.clipboardData?.setData('text/plain', text);
  };
  document.addEventListener('copy', put, { once: true });
  return document.execCommand('copy');
}

type Suggestion = { readonly title: string; readonly message: string };

/** Questions that can be asked with one click. */
export function createSuggestions(
  title: string,
  items: readonly Suggestion[],
  onAsk: (message: string) => void,
): HTMLElement {
  const choices = items.map((item) => {
    const choice = button(item.title, { class: 'suggestion' }, () => onAsk(item.message));
    choice.dir = 'auto';
    return element('li', {}, choice);
  });
  const list = element('ul', { class: 'choices' }, ...choices);
  const suggestions = createArea(title, list);
  suggestions.classList.add('suggestions');
  suggestions.hidden = items.length === 0;
  return suggestions;
}

function createArea(title: string, content: HTMLElement): HTMLElement {
  return element('div', { class: 'area', hidden: true }, element('h3', {}, title), content);
}

/** Whether the text of an answer contains the contact already. */
const namesContact = (text: string, contact: Contact) =>
  Object.values(contact).some((way) => way !== undefined && text.includes(way));

/** Links to reach a person; undefined when none of them is safe to open. */
function createContactLinks({ email, phone, url }: Contact, texts: Texts): HTMLElement | undefined {
  const links = [
    email && createLink(`mailto:${email}`, email),
    phone && createLink(`tel:${phone.replaceAll(' ', '')}`, phone),
    url && isSecure(url) && createLink(url, texts.contactPage, NEW_TAB),
  ].filter((link) => link instanceof HTMLElement);
  return links.length > 0 ? element('ul', { class: 'choices' }, ...links) : undefined;
}

const createLink = (href: string, text: string, attributes = {}) =>
  element('li', {}, element('a', { class: 'way', href, ...attributes }, element('bdi', {}, text)));

const isSecure = (url: string) => URL.canParse(url) && new URL(url).protocol === 'https:';
