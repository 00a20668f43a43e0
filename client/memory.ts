/** The part of `localStorage` that is used. It may throw: the guide then just remembers nothing. */
export type GuideStorage = {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
};

export type VisitorMemory = {
  visitorId: string | undefined;
  conversationId: string | undefined;
  nextTurnIdx: number;
  /** Whether anything may be on the device from now on. What is there already goes when it may not. */
  keep(allowed: boolean): void;
  follow(conversationId: string | undefined, nextTurnIdx: number): void;
  forget(): void;
};

/** What outlives a page: the visitor and the conversation, under one key, and only while the service allows it. */
export function rememberVisitor(appId: string, storage: GuideStorage | undefined): VisitorMemory {
  const key = `guidepost:${appId}`;
  let allowed = false;
  const memory: VisitorMemory = {
    visitorId: undefined,
    conversationId: undefined,
    nextTurnIdx: 0,
    keep: (mayKeep) => {
      allowed = mayKeep;
      write();
    },
    follow: (conversationId, nextTurnIdx) => {
      memory.conversationId = conversationId;
      memory.nextTurnIdx = nextTurnIdx;
      write();
    },
    forget: () => {
      memory.visitorId = memory.conversationId = undefined;
      memory.nextTurnIdx = 0;
      memory.keep(false);
    },
  };

  function write(): void {
    const { visitorId, conversationId } = memory;
    try {
      if (allowed) storage?.setItem(key, JSON.stringify({ visitorId, conversationId }));
      else storage?.removeItem(key);
    } catch {}
  }

  try {
    const kept = JSON.parse(storage?.getItem(key) ?? '{}');
    if (typeof kept.visitorId === 'string') memory.visitorId = kept.visitorId;
    if (typeof kept.conversationId === 'string') memory.conversationId = kept.conversationId;
  } catch {}
  return memory;
}
