import { useState } from 'react';

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

/** True while any dialog is open, or when the target is a field, menu or list. */
export function ignoresSingleKeys(target: EventTarget | null): boolean {
  return (
    document.querySelector('[role=dialog]') !== null ||
    (target instanceof Element &&
      target.closest('input, textarea, select, [contenteditable], [role=menu], [role=listbox]') !== null)
  );
}
