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

/** What is on the device. */
export type Remembered = {
  readonly visitorId?: string;
  readonly conversationId?: string;
  readonly nextTurnIdx?: number;
};

export const memoryKeyOf = (appId: string): string => `guidepost:${appId}`;

/** What outlives a page: the visitor and the conversation, under one key, and only while the service allows it. */
export function rememberVisitor(appId: string, storage: GuideStorage | undefined): VisitorMemory {
  const key = memoryKeyOf(appId);
  let allowed = false;
  const memory: VisitorMemory = {
    visitorId: undefined,
    conversationId: undefined,
    nextTurnIdx: 0,
    keep: (mayKeep) => {
      allowed = mayKeep;
      // Another page of this visitor may have gone on since; only what changes is written over.
      if (!allowed || memory.visitorId !== read().visitorId) write();
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

  function read(): Remembered {
    try {
      return JSON.parse(storage?.getItem(key) ?? '{}') ?? {};
    } catch {
      return {};
    }
  }

  function write(): void {
    const { visitorId, conversationId, nextTurnIdx } = memory;
    try {
      if (allowed) storage?.setItem(key, JSON.stringify({ visitorId, conversationId, nextTurnIdx }));
      else storage?.removeItem(key);
    } catch {}
  }

  const { visitorId, conversationId, nextTurnIdx } = read();
  if (typeof visitorId === 'string') memory.visitorId = visitorId;
  if (typeof conversationId === 'string') memory.conversationId = conversationId;
  if (typeof nextTurnIdx === 'number') memory.nextTurnIdx = nextTurnIdx;
  return memory;
}
