import { useEffect, useRef, useState } from 'react';

const STORAGE_KEY = 'guidepost-single-keys';

/** Whether single-key shortcuts are on. Users of speech input switch them off. */
export function useSingleKeys() {
  const [enabled, setEnabled] = useState(() => localStorage.getItem(STORAGE_KEY) !== 'off');
  const change = (to: boolean) => {
    localStorage.setItem(STORAGE_KEY, to ? 'on' : 'off');
    setEnabled(to);
  };
  return [enabled, change] as const;
}

/** Calls `act` for a key without modifiers, unless the user is typing. It returns whether the key meant something. */
export function useKeys(act: (event: KeyboardEvent) => boolean, enabled = true): void {
  const latest = useRef(act);
  latest.current = act;
  useEffect(() => {
    if (!enabled) return;
    function press(event: KeyboardEvent): void {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (!isTaken(event.target) && latest.current(event)) event.preventDefault();
    }
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [enabled]);
}

/** True while any dialog is open, or when the target is a field, menu or list. */
const isTaken = (target: EventTarget | null) =>
  document.querySelector('[role=dialog]') !== null ||
  (target instanceof Element &&
    target.closest(
      'input:not([type=checkbox]), textarea, select, [contenteditable], [role=menu], [role=listbox]',
    ) !== null);
