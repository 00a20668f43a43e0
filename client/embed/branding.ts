import type { BootReply } from '../sdk/index.ts';

/** Gives the guide the looks that its workspace chose. */
export function wear(aside: HTMLElement, { color, launcher }: BootReply['config']['branding']): void {
  aside.dataset.side = launcher;
  if (color === undefined) return;
  aside.style.setProperty('--brand', color);
  aside.style.setProperty('--on-brand', inkOn(color));
}

/** Black or white, whichever can be read better: one of the two always has a contrast of 4.5 or more. */
function inkOn(color: string): string {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? '#000000' : '#ffffff';
}
