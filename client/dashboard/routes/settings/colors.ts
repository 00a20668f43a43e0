/** The guide's default color. */
export const DEFAULT_COLOR = '#1f55c4';

export const isColor = (text: string) => /^#[\da-f]{6}$/i.test(text);
