/** The style alone knows it. */
export const fillsScreen = (dialog: HTMLElement) =>
  getComputedStyle(dialog).getPropertyValue('--modal') === 'true';

/** Where the panel fills the screen, nothing behind it can be seen: neither Tab nor a screen reader shall go there. */
export function keepModal(dialog: HTMLElement): void {
  const mark = () => {
    const isModal = fillsScreen(dialog);
    dialog.setAttribute('aria-modal', String(isModal));
    if (isModal && !dialog.hidden && !dialog.contains(focusedBeside(dialog))) dialog.focus();
  };
  // It cannot begin or end to fill the screen without a change of its size.
  new ResizeObserver(mark).observe(dialog);

  dialog.addEventListener('keydown', (event) => {
    if (event.key !== 'Tab' || !fillsScreen(dialog)) return;
    // What comes first and last in the panel are buttons.
    const buttons = Array.from(dialog.querySelectorAll('button')).filter((one) => one.checkVisibility());
    const [first, last] = [buttons.at(0), buttons.at(-1)];
    const focused = focusedBeside(dialog);
    const isAtEnd = event.shiftKey ? focused === first || focused === dialog : focused === last;
    if (!isAtEnd) return;
    event.preventDefault();
    (event.shiftKey ? last : first)?.focus();
  });
}

const focusedBeside = (part: HTMLElement) => (part.getRootNode() as ShadowRoot).activeElement;
