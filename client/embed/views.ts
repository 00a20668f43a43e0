import { button, element } from './element.ts';
import type { Texts } from './language.ts';

export type Views = {
  /** Shows a view instead of the conversation. `from` gets the focus back afterwards. */
  show: (view: HTMLElement, from: HTMLElement) => void;
  close: () => void;
  /** Closes the view; false when none was open. */
  back: () => boolean;
};

/** Views that take the place of the conversation, one at a time. */
export function openViews(log: HTMLElement): Views {
  let shown: { view: HTMLElement; from: HTMLElement; scrollTop: number } | undefined;

  function close(): void {
    log.hidden = false;
    if (shown) log.scrollTop = shown.scrollTop;
    shown?.view.remove();
    shown = undefined;
  }

  function back(): boolean {
    const from = shown?.from;
    close();
    from?.focus({ preventScroll: true });
    return from !== undefined;
  }

  return {
    close,
    back,
    show: (view, from) => {
      close();
      shown = { view, from, scrollTop: log.scrollTop };
      log.hidden = true;
      log.after(view);
      view.querySelector<HTMLElement>('h3')?.focus();
    },
  };
}

/** Creates a view with a way back and a heading, which gets the focus. */
export function createView(
  heading: HTMLElement,
  texts: Texts,
  onBack: () => unknown,
  ...content: (HTMLElement | undefined)[]
): HTMLElement {
  heading.id = 'view-title';
  heading.tabIndex = -1;
  return element(
    'section',
    { class: 'view', 'aria-labelledby': heading.id },
    button(texts.back, { class: 'quiet back' }, onBack),
    heading,
    ...content,
  );
}
