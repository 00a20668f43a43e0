import { type RefObject, useEffect } from 'react';

/** Scrolls the preview with the text, and the text with the preview: to the same part of each. */
export function useSharedScroll(text: HTMLElement | undefined, preview: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const other = preview.current;
    if (!text || !other) return;
    const leaving = new AbortController();
    const options = { signal: leaving.signal, passive: true };
    // Only the pane that the reader uses leads, or the two would push each other.
    let leader: HTMLElement = text;
    for (const [from, to] of [
      [text, other],
      [other, text],
    ] as const) {
      for (const type of ['pointerenter', 'focusin', 'wheel'])
        from.addEventListener(type, () => (leader = from), options);
      from.addEventListener('scroll', () => leader === from && follow(from, to), options);
    }
    return () => leaving.abort();
  }, [text, preview]);
}

function follow(from: HTMLElement, to: HTMLElement): void {
  const range = from.scrollHeight - from.clientHeight;
  if (range > 0) to.scrollTop = (from.scrollTop / range) * (to.scrollHeight - to.clientHeight);
}
