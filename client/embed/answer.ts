import type { ChatEvent, Contact, FinishReason } from '../../generated/types.ts';
import { accumulate, type GuideMessage } from '../sdk/message.ts';
import { toPlainText } from '../text-blocks.ts';
import type { Action } from './actions.ts';
import { createArea, createSuggestions, placeSuggestions, type Suggestion } from './choices.ts';
import { createContactArea, namesContact, placeContact } from './contact.ts';
import { type Announcer, element } from './element.ts';
import { createRetryButton, createTrouble, type ErrorMessage } from './error-message.ts';
import type { Localization } from './language.ts';
import { createMessageTools, type MessageToolsDeps, type Rating } from './message-tools.ts';
import { createRichText, type RichText } from './rich-text.ts';
import { type Citation, createMarker, createSource } from './sources.ts';

export type AnswerDeps = Pick<MessageToolsDeps, 'onRate' | 'createRatingForm'> & {
  baseUrl: string;
  localization: Localization;
  announcer: Announcer;
  canRate: boolean;
  contact: Contact | undefined;
  /** Creates a button to ask a person; undefined where visitors cannot. */
  createAskPerson: (() => HTMLElement) | undefined;
  /** Whether each answer offers to ask a person. */
  alwaysOffersPerson: boolean;
  createProposal: (action: Action) => Promise<HTMLElement | undefined>;
  /** Creates a button that reads the text aloud, when the workspace has voice. */
  readAloud: (text: string) => HTMLElement | undefined;
  onAsk: (message: string) => void;
  /** Shows the cited passage. `from` gets the focus back afterwards. */
  onCitation: (citation: Citation, from: HTMLElement) => void;
};

/** One answer as it is written: text with numbered markers, sources, proposals, suggestions, and a rating at the end. */
export class AnswerView {
  readonly root: HTMLElement;
  readonly #deps: AnswerDeps;
  readonly #status: HTMLElement;
  readonly #body = element('div', { class: 'text' });
  readonly #richText: RichText;
  readonly #sources = element('ol', { class: 'sources' });
  readonly #sourceArea: HTMLElement;
  readonly #pageQuotes = element('div', { class: 'page-quotes' });
  readonly #pageArea: HTMLElement;
  readonly #actions = element('div', { class: 'actions' });
  readonly #actionArea: HTMLElement;
  readonly #tools = element('div');
  readonly #after = element('div', { class: 'after' });
  #message: GuideMessage | undefined;
  #reader: ReturnType<Announcer['follow']>;
  #frame = 0;
  #suggestions: readonly Suggestion[] = [];
  #proposals: Promise<void>[] = [];

  constructor(deps: AnswerDeps) {
    const { texts, locale } = deps.localization;
    this.#deps = deps;
    this.#richText = createRichText(this.#body, deps.baseUrl, texts);
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
      this.#tools,
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
    const { texts } = this.#deps.localization;
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
        this.#proposals.push(this.#addAction(event));
        break;
      case 'suggestions':
        this.#suggestions = event.items;
        break;
      case 'message_end':
        this.#end();
        void this.#addRest(event.finish_reason, event.offers_person);
        break;
    }
  }

  /** Shows an earlier answer. */
  restore(message: GuideMessage, rating?: Rating): void {
    this.#message = message;
    for (const citation of message.citations) this.#addCitation(citation);
    for (const { quote } of message.pageCitations) this.#addPageQuote(quote);
    this.#end();
    this.#addContact(message.finishReason, message.offersPerson || rating === 'down');
    if (message.state === 'done') this.#addTools(rating);
  }

  /** Ends the answer early, with a sentence that says why and a retry button if that may help. */
  breakOff(error: Omit<ErrorMessage, 'retryable'>, retry?: () => void): void {
    this.#end();
    this.markBroken(error, retry);
    this.#deps.announcer.say(error.sentence);
  }

  /** Marks an earlier answer as broken off, without announcing it. */
  markBroken(error: Omit<ErrorMessage, 'retryable'>, retry?: () => void): void {
    const { localization, announcer } = this.#deps;
    const retryButton = retry && createRetryButton(localization, announcer, error.waitSeconds ?? 0, retry);
    this.#after.append(createTrouble(error, localization.texts, retryButton));
  }

  /** Clears the view because the answer starts over. */
  #clear(): void {
    const { announcer, localization } = this.#deps;
    this.#reader = announcer.follow(localization.locale);
    this.#richText.draw('', []);
    for (const ways of this.#body.querySelectorAll('.ways')) ways.remove();
    this.#status.hidden = false;
    this.#suggestions = [];
    this.#proposals = [];
    const parts = [this.#sources, this.#pageQuotes, this.#actions, this.#tools, this.#after];
    for (const part of parts) part.replaceChildren();
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
    const markers = this.citations.map((citation) => ({ citation, node: () => createNode(citation) }));
    // The text takes the place of the status, so that it does not move when it is complete.
    this.#status.hidden = this.text !== '';
    this.#richText.draw(this.text, markers);
    this.#reader.grow(toPlainText(this.text));
  }

  #end(): void {
    this.#draw();
    this.#reader.end();
    this.#status.remove();
  }

  /** Waits for the proposals before it adds the parts below them, so that nothing moves. */
  async #addRest(finishReason: FinishReason, offersPerson?: boolean): Promise<void> {
    const { localization, onAsk } = this.#deps;
    await Promise.all(this.#proposals);
    this.#addTools();
    const unlisted = placeSuggestions(this.#body, this.#suggestions, onAsk);
    if (unlisted.length > 0) this.#after.append(createSuggestions(localization.texts.next, unlisted, onAsk));
    this.#addContact(finishReason, offersPerson);
  }

  #addCitation(citation: Citation): void {
    // The answer is in the language of its sources, which may differ from that of the question.
    this.#body.lang = citation.content_locale;
    this.#sources.append(createSource(citation, this.#deps.localization));
    this.#sourceArea.hidden = false;
  }

  #addPageQuote(quote: string): void {
    const isShown = Array.from(this.#pageQuotes.children).some(({ textContent }) => textContent === quote);
    if (!isShown) this.#pageQuotes.append(element('blockquote', { dir: 'auto' }, quote));
    this.#pageArea.hidden = false;
  }

  /** Adds ways to reach a person below an answer that found nothing, that mentions the contact, or after which it may help. */
  #addContact(finishReason: FinishReason | undefined, offersPerson = false): void {
    const { contact, localization, alwaysOffersPerson } = this.#deps;
    const isNeeded = finishReason === 'no_knowledge' || offersPerson;
    if (isNeeded || alwaysOffersPerson) this.#offerPerson();
    if (!contact) return;
    const isInText = placeContact(this.#body, contact, localization.texts);
    if (isInText || (finishReason !== 'no_knowledge' && !namesContact(this.text, contact))) return;
    const area = createContactArea(contact, localization.texts);
    if (area) this.#after.append(area);
  }

  #offerPerson(): void {
    if (!this.#after.querySelector('.ask-person'))
      this.#after.append(...[this.#deps.createAskPerson?.()].filter((shown) => shown !== undefined));
  }

  async #addAction(action: Action): Promise<void> {
    const proposal = await this.#deps.createProposal(action);
    // The answer may have started over meanwhile.
    if (!proposal || !this.#message?.actions.includes(action)) return;
    this.#actions.append(proposal);
    this.#actionArea.hidden = false;
  }

  #addTools(rating?: Rating): void {
    const { canRate, readAloud } = this.#deps;
    if (this.text === '') return;
    const { id: messageId } = this.#message ?? {};
    const rated = canRate && messageId ? { messageId, rating } : undefined;
    const tools = createMessageTools(this.text, rated, {
      ...this.#deps,
      onRate: async (...sent) => {
        await this.#deps.onRate(...sent);
        if (sent[1] === 'down') this.#offerPerson();
      },
    });
    this.#tools.replaceChildren(tools);
    const readAloudButton = readAloud(toPlainText(this.text));
    if (readAloudButton) tools.firstElementChild?.lastElementChild?.before(readAloudButton);
  }
}
