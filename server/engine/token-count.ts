/** About how many tokens a text is to a model that does not say; rather too many than too few. */
export function tokensOf(text: string): number {
  let narrow = 0;
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) < 0x250) narrow += 1;
  return Math.ceil(narrow / 3.5 + (text.length - narrow) / 1.3);
}

/** The beginning of a text that is no more than so many tokens, up to the end of a word. */
export function firstTokens(text: string, tokensMax: number): string {
  if (tokensMax <= 0) return '';
  if (tokensOf(text) <= tokensMax) return text;
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (tokensOf(text.slice(0, middle)) <= tokensMax) low = middle;
    else high = middle - 1;
  }
  const cut = text.slice(0, low);
  const word = cut.lastIndexOf(' ');
  return `${(word > low * 0.8 ? cut.slice(0, word) : cut).toWellFormed()} …`;
}
