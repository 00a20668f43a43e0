/** An event of the guide, as `divert` copies it. */
type Copied = Event &
  Partial<Pick<WheelEvent, 'deltaY' | 'ctrlKey' | 'metaKey'> & Pick<TouchEvent, 'changedTouches'>> & {
    key?: string;
    /** A script of the page has prevented what browsers do, before the guide heard of the event. */
    isPrevented?: boolean;
  };

const SCROLLED = '.log, .view, .consent-area, textarea';

/** Scrolls and types where a script of the page keeps the browser from it. */
export function handlePreventedEvents(root: HTMLElement): void {
  let touchedY = 0;
  const listen = (type: string, act: (event: Copied) => void) => root.addEventListener(type, act);
  const scroll = ({ target, isPrevented }: Copied, by: number) => {
    const scrolled = isPrevented && (target as Element).closest(SCROLLED);
    if (scrolled) scrolled.scrollTop += by;
  };
  listen('wheel', (event) => scroll(event, event.deltaY ?? 0));
  listen('touchstart', ({ changedTouches }) => {
    touchedY = changedTouches?.[0]?.clientY ?? 0;
  });
  listen('touchmove', (event) => {
    const y = event.changedTouches?.[0]?.clientY ?? 0;
    scroll(event, touchedY - y);
    touchedY = y;
  });
  listen('keydown', ({ key = '', ctrlKey, metaKey, isPrevented }) => {
    if (isPrevented && key.length === 1 && !ctrlKey && !metaKey)
      document.execCommand('insertText', false, key);
  });
}
