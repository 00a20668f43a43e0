/** The part of `localStorage` that is used. When it throws, nothing is stored. */
export type GuideStorage = {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
};

/** A conversation of the visitor, named by its first question. */
export type KnownConversation = { readonly conversationId: string; readonly title: string };

export type VisitorStorage = {
  visitorId: string | undefined;
  conversationId: string | undefined;
  nextTurnIdx: number;
  /** The newest first. */
  conversations: readonly KnownConversation[];
  /** Allows or forbids storing from now on. Forbidding removes stored values. */
  setAllowed(allowed: boolean): void;
  /** `title` names a conversation that is not on the list yet. */
  setConversation(conversationId: string | undefined, nextTurnIdx: number, title?: string): void;
  clear(): void;
};

/** The stored JSON. */
export type StoredVisitor = {
  readonly visitorId?: string;
  readonly conversationId?: string;
  readonly nextTurnIdx?: number;
  readonly conversations?: readonly KnownConversation[];
};

export const getStorageKey = (appId: string): string => `guidepost:${appId}`;

/** Keeps the visitor and the conversation across pages, under one key, while the service allows it. */
export function openVisitorStorage(appId: string, storage: GuideStorage | undefined): VisitorStorage {
  const key = getStorageKey(appId);
  let allowed = false;
  const visitor: VisitorStorage = {
    visitorId: undefined,
    conversationId: undefined,
    nextTurnIdx: 0,
    conversations: [],
    setAllowed: (isAllowed) => {
      allowed = isAllowed;
      // Another tab may have continued the conversation; overwrite it only when the visitor changes.
      if (!allowed || visitor.visitorId !== read().visitorId) write();
    },
    setConversation: (conversationId, nextTurnIdx, title) => {
      visitor.conversationId = conversationId;
      visitor.nextTurnIdx = nextTurnIdx;
      // Other tabs may have changed the list.
      const known = (allowed && read().conversations) || visitor.conversations;
      const others = known.filter((conversation) => conversation.conversationId !== conversationId);
      const own =
        known.find((conversation) => conversation.conversationId === conversationId) ??
        (conversationId && title && { conversationId, title: title.slice(0, 100) });
      visitor.conversations = own ? [own, ...others].slice(0, 20) : others;
      write();
    },
    clear: () => {
      visitor.visitorId = visitor.conversationId = undefined;
      visitor.nextTurnIdx = 0;
      visitor.conversations = [];
      visitor.setAllowed(false);
    },
  };

  function read(): StoredVisitor {
    try {
      return JSON.parse(storage?.getItem(key) ?? '{}') ?? {};
    } catch {
      return {};
    }
  }

  function write(): void {
    const { visitorId, conversationId, nextTurnIdx, conversations } = visitor;
    try {
      if (allowed)
        storage?.setItem(key, JSON.stringify({ visitorId, conversationId, nextTurnIdx, conversations }));
      else storage?.removeItem(key);
    } catch {}
  }

  const { visitorId, conversationId, nextTurnIdx, conversations } = read();
  if (typeof visitorId === 'string') visitor.visitorId = visitorId;
  if (typeof conversationId === 'string') visitor.conversationId = conversationId;
  if (typeof nextTurnIdx === 'number') visitor.nextTurnIdx = nextTurnIdx;
  if (conversations) visitor.conversations = conversations;
  return visitor;
}
