import type { BootReply } from '../../generated/types.ts';
import { readTab, writeTab } from './browser-storage.ts';

/** Where the guide appears, by the path of the page. */

export type PageMount = Pick<BootReply['config']['mount'], 'mode' | 'suggestions'>;

/** False for visitors who have refused, whom it would annoy, and on small screens, which the panel would cover. */
export function mayOpenByItself({ consent_directive: { ask, purposes } }: BootReply): boolean {
  return (ask || purposes.persistence === 'granted') && !matchMedia(SMALL_SCREEN).matches;
}

/** Media query for screens that the panel fills. */
export const SMALL_SCREEN = '(max-width: 30rem)';

/** Remembers for this tab that the visitor has closed a guide that had opened by itself. */
export const keepClosed = (appId: string): void => writeTab(appId, 'closed', '1');

export const wasClosed = (appId: string): boolean => readTab(appId, 'closed') !== null;
