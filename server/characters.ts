/** Characters as the contract counts them: Unicode code points, as JSON Schema does. */

export function hasAtMost(charsMax: number, text: string): boolean {
  if (text.length <= charsMax) return true;
  return text.length <= charsMax * 2 && [...text].length <= charsMax;
}

/** The first characters of a text, none of them cut in two. */
export function firstOf(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  return [...text.slice(0, charsMax * 2)].slice(0, charsMax).join('');
}
