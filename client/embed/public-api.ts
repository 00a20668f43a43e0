/** The API of the script tag on the page. Published as types with the client. */

export type GuidepostOnPage = {
  /** Opens the panel. A question is written into its field for the visitor to send. `search` opens the search instead. */
  open(question?: string): void;
  close(): void;
  /** Opens the panel and asks the question. Call it when the visitor has asked for it, such as in a click. */
  ask(question: string): void;
  /** Adds a listener. Returns a function that removes it. */
  on<E extends GuidepostEvent>(event: E, listener: (detail: GuidepostEvents[E]) => void): () => void;
  /** Sets facts that the page knows but does not show. They are sent with each question and replace earlier ones. */
  setContext(context: GuidepostContext | undefined): void;
  /** Removes the guide from the page, with its element, calls, listeners and `window.Guidepost`. */
  destroy(): void;
};

/** At most 20 facts, with names of up to 60 and values of up to 200 characters. Never include secrets. */
export type GuidepostContext = Readonly<Record<string, string | number | boolean>>;

export type GuidepostEvents = {
  open: Record<string, never>;
  close: Record<string, never>;
  question: { message: string };
  answer: {
    messageId: string;
    conversationId: string;
    text: string;
    finishReason: string;
    citations: readonly {
      articleId: string;
      title: string;
      url?: string;
    }[];
  };
  /** The outcome of a proposed action that the visitor clicked. */
  action: { actionId: string; kind: string; outcome: string };
  feedback: { messageId: string; rating: 'up' | 'down' };
  consent: { decision: string; recorded: boolean };
  /** The guide could not start, or an answer was interrupted. The codes are those of the client. */
  error: { code: string };
};
export type GuidepostEvent = keyof GuidepostEvents;

/** The element of the guide. Its attributes are `app`, `api`, `lang`, `boot` and `user`. */
export type GuideElement = HTMLElement & GuidepostOnPage;

/** Settings of the guide, for tag managers that drop the attributes of a script tag. Set them before the script runs. */
export type GuidepostSettings = {
  /** The app id of the workspace. */
  app: string;
  /** The address of the service, by default the folder of the script. */
  api?: string;
  lang?: string;
  theme?: 'light' | 'dark';
  position?: 'start' | 'end';
  /** A CSS selector of elements that open the guide. */
  launcher?: string;
  /** A CSS selector of the element inside which the open panel stands. */
  target?: string;
  boot?: 'open';
  /** A user token, which says whom the site has signed in. */
  user?: string;
};

declare global {
  interface Window {
    Guidepost?: GuidepostOnPage;
    GuidepostSettings?: GuidepostSettings;
  }
  interface HTMLElementTagNameMap {
    'guidepost-guide': GuideElement;
    /** A button that opens the search; with the attribute `shortcut` also Ctrl+K, or ⌘K. */
    'guidepost-search': HTMLElement;
  }
}
