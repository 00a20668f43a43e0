import { findPathRule } from '../../contract/path-rules.ts';
import type { BootReply } from '../../generated/types.ts';
import { openDenial } from '../denial.ts';
import { getAddress } from './address.ts';
import { readTab, writeTab } from './browser-storage.ts';

/** Where the guide appears, by the path of the page. Loaded only where a workspace has path rules. */

export type PageMount = Pick<BootReply['config']['mount'], 'mode' | 'suggestions'>;

/** Media query for screens that the panel fills. */
const SMALL_SCREEN = '(max-width: 30rem)';

/**
 * Returns false for visitors who have refused or have closed a guide that had opened by itself, and on small screens, because the
 * panel would cover them.
 */
export function mayOpenByItself({ consent_directive: { ask, purposes } }: BootReply, appId: string): boolean {
  const isRefused = readTab(appId, CLOSED) !== null || openDenial(appId).isKept();
  return !isRefused && (ask || purposes.persistence === 'granted') && !matchMedia(SMALL_SCREEN).matches;
}

const CLOSED = 'closed';

/** Remembers for this tab that the visitor has closed a guide that had opened by itself. */
export const keepClosed = (appId: string): void => writeTab(appId, CLOSED, '1');

/** Returns how the guide appears on the current path, which may have changed since the boot. */
export function resolveMount({ mount, suggestions }: BootReply['config']): PageMount {
  const rule = findPathRule(mount.rules, getAddress().pathname);
  return { mode: rule?.mode ?? 'shown', suggestions: rule?.suggestions ?? suggestions };
}

/** Calls back when a single-page application has changed the path. Errors never reach the page. */
export function watchPath(onChange: () => void, signal: AbortSignal): void {
  let path = getAddress().pathname;
  const check = () =>
    queueMicrotask(() => {
      if (signal.aborted || getAddress().pathname === path) return;
      path = getAddress().pathname;
      onChange();
    });
  for (const type of ['popstate', 'hashchange']) addEventListener(type, check, { signal });
  const { navigation } = window as { navigation?: EventTarget };
  if (navigation) {
    navigation.addEventListener('currententrychange', check, { signal });
    return;
  }
  for (const name of ['pushState', 'replaceState'] as const) {
    const original = history[name];
    history[name] = function (...entry) {
      original.apply(this, entry);
      check();
    };
  }
}
