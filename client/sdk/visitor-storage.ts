/** The part of `localStorage` that is used. When it throws, nothing is stored. */
export type GuideStorage = {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
};

export type VisitorStorage = {
  visitorId: string | undefined;
  conversationId: string | undefined;
  nextTurnIdx: number;
  /** Allows or forbids storing from now on. Forbidding removes stored values. */
  setAllowed(allowed: boolean): void;
  setConversation(conversationId: string | undefined, nextTurnIdx: number): void;
  clear(): void;
};

/** The stored JSON. */
export type StoredVisitor = {
  readonly visitorId?: string;
  readonly conversationId?: string;
  readonly nextTurnIdx?: number;
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
    setAllowed: (isAllowed) => {
      allowed = isAllowed;
      // Another tab may have continued the conversation; overwrite it only when the visitor changes.
      if (!allowed || visitor.visitorId !== read().visitorId) write();
    },
    setConversation: (conversationId, nextTurnIdx) => {
      visitor.conversationId = conversationId;
      visitor.nextTurnIdx = nextTurnIdx;
      write();
    },
    clear: () => {
      visitor.visitorId = visitor.conversationId = undefined;
      visitor.nextTurnIdx = 0;
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
    const { visitorId, conversationId, nextTurnIdx } = visitor;
    try {
      if (allowed) storage?.setItem(key, JSON.stringify({ visitorId, conversationId, nextTurnIdx }));
      else storage?.removeItem(key);
    } catch {}
  }

  const { visitorId, conversationId, nextTurnIdx } = read();
  if (typeof visitorId === 'string') visitor.visitorId = visitorId;
  if (typeof conversationId === 'string') visitor.conversationId = conversationId;
  if (typeof nextTurnIdx === 'number') visitor.nextTurnIdx = nextTurnIdx;
  return visitor;
}
