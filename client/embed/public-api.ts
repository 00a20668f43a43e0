/** What the script adds to a page, for those who program it. Published as types with the client. */

export type GuidepostOnPage = {
  /** Opens the panel; a question is written into it for the visitor to send. */
  open(question?: string): void;
  close(): void;
  /** Opens the panel and asks. Call it for a visitor who has just asked for that, such as in a click. */
  ask(question: string): void;
  /** Listens, until the function that it returns is called. */
  on<E extends GuidepostEvent>(event: E, listener: (detail: GuidepostEvents[E]) => void): () => void;
  /** Says what the page knows and does not show. It goes along with each question, instead of what was said before. */
  setContext(context: GuidepostContext | undefined): void;
  /** Takes the guide off the page: its element, its calls, its listeners, `window.Guidepost`. */
  destroy(): void;
};

/** At most 20 facts; a name has at most 60 characters, a value 200. Never put secrets in here. */
export type GuidepostContext = Readonly<Record<string, string | number | boolean>>;

export type GuidepostEvents = {
  open: Record<string, never>;
  close: Record<string, never>;
  question: { readonly message: string };
  answer: {
    readonly messageId: string;
    readonly conversationId: string;
    readonly text: string;
    readonly finishReason: string;
    readonly citations: readonly {
      readonly articleId: string;
      readonly title: string;
      readonly url?: string;
    }[];
  };
  /** What became of a proposal that the visitor clicked. */
  action: { readonly actionId: string; readonly kind: string; readonly outcome: string };
  feedback: { readonly messageId: string; readonly rating: 'up' | 'down' };
  consent: { readonly decision: string; readonly recorded: boolean };
  /** Why the guide does not start, or an answer broke off; the codes are those of the client. */
  error: { readonly code: string };
};
export type GuidepostEvent = keyof GuidepostEvents;

/** The element that the guide lives in. Its attributes are `app`, `api`, `lang` and `boot`. */
export type GuideElement = HTMLElement & GuidepostOnPage;

declare global {
  interface Window {
    Guidepost?: GuidepostOnPage;
  }
  interface HTMLElementTagNameMap {
    'guidepost-guide': GuideElement;
  }
}
