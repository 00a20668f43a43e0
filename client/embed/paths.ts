import { findPathRule } from '../../contract/path-rules.ts';
import type { BootReply } from '../../generated/types.ts';
import type { PageMount } from './mount.ts';

/** The path rules of a workspace. Loaded only where it has some. */

/** Returns how the guide appears on the current path, which may have changed since the boot. */
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
