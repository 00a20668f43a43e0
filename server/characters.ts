/** Lengths in Unicode code points, as JSON Schema counts them. */

export function hasAtMostCharacters(charsMax: number, text: string): boolean {
  if (text.length <= charsMax) return true;
  return text.length <= charsMax * 2 && [...text].length <= charsMax;
}

/** Never splits a surrogate pair. */
export function truncate(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  return [...text.slice(0, charsMax * 2)].slice(0, charsMax).join('');
}
