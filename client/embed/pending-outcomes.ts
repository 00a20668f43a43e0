import type { ChatTurn } from '../sdk/guide.ts';

export type Outcomes = NonNullable<ChatTurn['actionResults']>;

/**
 * What became of proposals, on the way to the next page of the tab: who agreed to go there has left the page that would
 * have told it. Only for visitors who may be remembered.
 */
const keyOf = (appId: string) => `guidepost:${appId}:outcomes`;

export function keepOutcomes(appId: string, conversationId: string | undefined, outcomes: Outcomes): void {
  try {
    sessionStorage.setItem(keyOf(appId), JSON.stringify({ conversationId, outcomes }));
  } catch {}
}

/** Takes them off the device; those of another conversation are of no use to this one. */
export function takeOutcomes(appId: string, conversationId: string | undefined): Outcomes {
  try {
    const kept = sessionStorage.getItem(keyOf(appId));
    sessionStorage.removeItem(keyOf(appId));
    const told = JSON.parse(kept ?? '{}') as { conversationId?: string; outcomes?: Outcomes };
    return told.conversationId === conversationId ? (told.outcomes ?? []) : [];
  } catch {
    return [];
  }
}
