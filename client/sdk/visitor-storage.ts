import type { VisitorConversation } from '../../generated/types.ts';

/** The part of `localStorage` that is used. When it throws, nothing is stored. */
export type GuideStorage = {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
};

/** A conversation of the visitor. */
export type KnownConversation = {
  conversationId: string;
  /** The first question. */
  title: string;
  /** When it was last continued, in milliseconds since 1970. */
  activeAt: number;
};

export type VisitorStorage = {
  visitorId: string | undefined;
  conversationId: string | undefined;
  nextTurnIdx: number;
  /** Most recently active first. */
  conversations: readonly KnownConversation[];
  /** Allows or forbids storing from now on. Forbidding removes stored values. */
  setAllowed(allowed: boolean): void;
  /** Calls `update` with the stored values, which another tab may have changed, then stores the visitor. Reads and stores only if allowed. */
  save(update: (stored: StoredVisitor) => void): void;
  clear(): void;
};

/** The stored JSON. */
export type StoredVisitor = {
  visitorId?: string;
  conversationId?: string;
  nextTurnIdx?: number;
  conversations?: readonly KnownConversation[];
};

const EMPTY_VISITOR = { visitorId: undefined, conversationId: undefined, nextTurnIdx: 0, conversations: [] };

export const getStorageKey = (appId: string): string => `guidepost:${appId}`;

export function readVisitor(storage: GuideStorage | undefined, key: string): StoredVisitor {
  try {
    const stored = JSON.parse(storage?.getItem(key) ?? '{}');
    return typeof stored.visitorId === 'string' ? stored : {};
  } catch {
    return {};
  }
}

/** Stores a visitor, or removes the stored one. */
export function writeVisitor(
  storage: GuideStorage | undefined,
  key: string,
  visitor: Partial<VisitorStorage> | undefined,
): void {
  try {
    if (visitor) storage?.setItem(key, JSON.stringify(visitor));
    else storage?.removeItem(key);
  } catch {}
}

/** Keeps the visitor and the conversation across pages, under one key, while the service allows it. */
export function openVisitorStorage(appId: string, storage: GuideStorage | undefined): VisitorStorage {
  const key = getStorageKey(appId);
  let allowed = false;
  const read = () => readVisitor(storage, key);
  const visitor: VisitorStorage = {
    ...EMPTY_VISITOR,
    ...read(),
    setAllowed: (isAllowed) => {
      allowed = isAllowed;
      const { visitorId } = read();
      // Keeps what another tab has stored: a continued conversation, or another visitor who has agreed there.
      if (allowed ? visitorId !== visitor.visitorId : visitorId === storedId) write();
    },
    save: (update) => {
      update(allowed ? read() : {});
      if (allowed) write();
    },
    clear: () => {
      Object.assign(visitor, EMPTY_VISITOR);
      visitor.setAllowed(false);
    },
  };

  /** The visitor of this tab when it last read, wrote or removed the stored value. */
  let { visitorId: storedId } = visitor;

  function write(): void {
    storedId = visitor.visitorId;
    writeVisitor(storage, key, allowed ? visitor : undefined);
  }

  return visitor;
}

/** Continues a conversation. `title` names one that is not on the list yet. Not a method: the launcher does without it. */
export function setConversation(
  visitor: VisitorStorage,
  conversationId: string | undefined,
  nextTurnIdx: number,
  title = '',
  activeAt = 0,
): void {
  visitor.save((stored) => {
    visitor.conversationId = conversationId;
    visitor.nextTurnIdx = nextTurnIdx;
    const listed = stored.conversations ?? visitor.conversations;
    const isCurrent = (each: KnownConversation) => each.conversationId === conversationId;
    const current = { title: title.slice(0, 100), ...listed.find(isCurrent), conversationId, activeAt };
    visitor.conversations = [...listed.filter((each) => !isCurrent(each)), current as KnownConversation]
      .filter((each) => each.title)
      .sort((a, b) => b.activeAt - a.activeAt)
      .slice(0, 20);
  });
}

/** Replaces the list by what the service keeps, and continues the last conversation unless one has begun. */
export function setConversations(
  visitor: VisitorStorage,
  found: readonly VisitorConversation[],
): readonly KnownConversation[] {
  visitor.save(() => {
    visitor.conversations = found
      .map(({ conversation_id, title, last_at }) => ({
        ...{ conversationId: conversation_id, title },
        activeAt: last_at * 1000,
      }))
      .sort((a, b) => b.activeAt - a.activeAt);
    visitor.conversationId ??= visitor.conversations[0]?.conversationId;
  });
  return visitor.conversations;
}
