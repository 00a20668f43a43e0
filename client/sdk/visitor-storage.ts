/** The part of `localStorage` that is used. When it throws, nothing is stored. */
export type GuideStorage = {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
};

/** A conversation of the visitor. */
export type KnownConversation = {
  readonly conversationId: string;
  /** The first question. */
  readonly title: string;
  /** When it was last continued, in milliseconds since 1970. */
  readonly activeAt: number;
};

export type VisitorStorage = {
  visitorId: string | undefined;
  conversationId: string | undefined;
  nextTurnIdx: number;
  /** Most recently active first. */
  conversations: readonly KnownConversation[];
  /** Allows or forbids storing from now on. Forbidding removes stored values. */
  setAllowed(allowed: boolean): void;
  /** `title` names a conversation that is not on the list yet. */
  setConversation(
    conversationId: string | undefined,
    nextTurnIdx: number,
    title?: string,
    activeAt?: number,
  ): void;
  clear(): void;
};

/** The stored JSON. */
export type StoredVisitor = {
  readonly visitorId?: string;
  readonly conversationId?: string;
  readonly nextTurnIdx?: number;
  readonly conversations?: readonly KnownConversation[];
};

const NOBODY = { visitorId: undefined, conversationId: undefined, nextTurnIdx: 0, conversations: [] };

export const getStorageKey = (appId: string): string => `guidepost:${appId}`;

/** Keeps the visitor and the conversation across pages, under one key, while the service allows it. */
export function openVisitorStorage(appId: string, storage: GuideStorage | undefined): VisitorStorage {
  const key = getStorageKey(appId);
  let allowed = false;
  const visitor: VisitorStorage = {
    ...NOBODY,
    ...read(),
    setAllowed: (isAllowed) => {
      allowed = isAllowed;
      const { visitorId } = read();
      // Another tab may have continued the conversation, or may store another visitor who has agreed there.
      if (allowed ? visitorId !== visitor.visitorId : visitorId === storedId) write();
    },
    setConversation: (conversationId, nextTurnIdx, title = '', activeAt = 0) => {
      visitor.conversationId = conversationId;
      visitor.nextTurnIdx = nextTurnIdx;
      // Other tabs may have changed the list.
      const known = (allowed && read().conversations) || visitor.conversations;
      const isOwn = (each: KnownConversation) => each.conversationId === conversationId;
      const own = { title: title.slice(0, 100), ...known.find(isOwn), conversationId, activeAt };
      visitor.conversations = [...known.filter((each) => !isOwn(each)), own as KnownConversation]
        .filter((each) => each.title)
        .sort((a, b) => b.activeAt - a.activeAt)
        .slice(0, 20);
      if (allowed) write();
    },
    clear: () => {
      Object.assign(visitor, NOBODY);
      visitor.setAllowed(false);
    },
  };

  /** The visitor that this tab has read from the storage or written to it. */
  let { visitorId: storedId } = visitor;

  function read(): StoredVisitor {
    try {
      return JSON.parse(storage?.getItem(key) ?? '{}') ?? {};
    } catch {
      return {};
    }
  }

  function write(): void {
    storedId = allowed ? visitor.visitorId : undefined;
    try {
      // JSON has no functions, so this is a `StoredVisitor`.
      if (allowed) storage?.setItem(key, JSON.stringify(visitor));
      else storage?.removeItem(key);
    } catch {}
  }

  return visitor;
}
