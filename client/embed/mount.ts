import { findPathRule } from '../../contract/path-rules.ts';
import type { BootReply } from '../../generated/types.ts';

/** Where the guide appears, by the path of the page. */

type PageMount = Pick<BootReply['config']['mount'], 'mode' | 'suggestions'>;

/** The path may have changed since the boot. */
export function resolveMount({ mount, suggestions }: BootReply['config']): PageMount {
  const rule = findPathRule(mount.rules, location.pathname);
  return { mode: rule?.mode ?? 'shown', suggestions: rule?.suggestions ?? suggestions };
}

/** Calls back when a single-page application has changed the path. Errors never reach the page. */
export function watchPath(onChange: () => void, signal: AbortSignal): void {
  let path = location.pathname;
  const check = () =>
    queueMicrotask(() => {
      if (signal.aborted || location.pathname === path) return;
      path = location.pathname;
      onChange();
    });
  for (const type of ['popstate', 'hashchange']) addEventListener(type, check, { signal });
  const { navigation } = window as { readonly navigation?: EventTarget };
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

/** A guide that opens by itself does not suit visitors who have refused, and would cover a small screen. */
export function mayOpenByItself({ consent_directive: { ask, purposes } }: BootReply): boolean {
  return (ask || purposes.persistence === 'granted') && !matchMedia(SMALL_SCREEN).matches;
}

/** Where the panel fills the screen. */
export const SMALL_SCREEN = '(max-width: 30rem)';

const getClosedKey = (appId: string) => `guidepost:${appId}:closed`;

/** Remembers for this tab that the visitor has closed a guide that had opened by itself. */
export function keepClosed(appId: string): void {
  try {
    sessionStorage.setItem(getClosedKey(appId), '1');
  } catch {}
}

export function wasClosed(appId: string): boolean {
  try {
    return sessionStorage.getItem(getClosedKey(appId)) !== null;
  } catch {
    return false;
  }
}
