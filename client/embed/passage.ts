import type { Citation } from './answer.ts';
import { passageView } from './sources.ts';
import type { Wording } from './texts.ts';

export type Passages = {
  /** Shows the cited words in place of the conversation; `from` gets the focus when the visitor goes back. */
  readonly show: (citation: Citation, from: HTMLElement) => void;
  readonly leave: () => void;
  /** Goes back if there is anything to go back from. */
  readonly back: () => boolean;
};

export function openPassages(log: HTMLElement, wording: Wording): Passages {
  let shown: { readonly view: HTMLElement; readonly from: HTMLElement } | undefined;

  function leave(): void {
    log.hidden = false;
    shown?.view.remove();
    shown = undefined;
  }

  function back(): boolean {
    const from = shown?.from;
    leave();
    from?.focus();
    return from !== undefined;
  }

  return {
    leave,
    back,
    show: (citation, from) => {
      leave();
      const view = passageView(citation, wording, back);
      shown = { view, from };
      log.hidden = true;
      log.after(view);
      view.querySelector<HTMLElement>('h3')?.focus();
    },
  };
}
