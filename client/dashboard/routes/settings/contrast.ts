/** How well a colour can be told from another, by the formula of WCAG 2. */

export const isColor = (text: string) => /^#[\da-f]{6}$/i.test(text);

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [lighter = 0, darker = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (lighter + 0.05) / (darker + 0.05);
}

/** What the guide writes with on this colour: the better of the two, as on the pages of a site. */
export const inkOn = (color: string) =>
  contrast(color, '#000000') > contrast(color, '#ffffff') ? '#000000' : '#ffffff';

type Hint = {
  readonly hint: 'inkBlack' | 'inkWhite' | 'faintOnWhite' | 'faintOnBlack';
  readonly ratio: number;
};

/** What somebody who chooses a colour should know. */
export function hintsAbout(color: string): readonly Hint[] {
  if (!isColor(color)) return [];
  const ink = inkOn(color);
  const hints: Hint[] = [{ hint: ink === '#000000' ? 'inkBlack' : 'inkWhite', ratio: contrast(color, ink) }];
  const onWhite = contrast(color, '#ffffff');
  const onBlack = contrast(color, '#000000');
  if (onWhite < 3) hints.push({ hint: 'faintOnWhite', ratio: onWhite });
  if (onBlack < 3) hints.push({ hint: 'faintOnBlack', ratio: onBlack });
  return hints;
}
