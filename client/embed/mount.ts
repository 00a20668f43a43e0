import type { BootReply } from '../../generated/types.ts';
import { readTab, writeTab } from './browser-storage.ts';

/** Where the guide appears, by the path of the page. */

export type PageMount = Pick<BootReply['config']['mount'], 'mode' | 'suggestions'>;

/** Returns false for visitors who have refused, and on small screens, because the panel would cover them. */
export function mayOpenByItself({ consent_directive: { ask, purposes } }: BootReply): boolean {
  return (ask || purposes.persistence === 'granted') && !matchMedia(SMALL_SCREEN).matches;
}

/** Media query for screens that the panel fills. */
export const SMALL_SCREEN = '(max-width: 30rem)';

/** Remembers for this tab that the visitor has closed a guide that had opened by itself. */
export const keepClosed = (appId: string): void => writeTab(appId, 'closed', '1');

export const wasClosed = (appId: string): boolean => readTab(appId, 'closed') !== null;
