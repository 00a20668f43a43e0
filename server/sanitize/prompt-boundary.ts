/**
 * Frames data for a language model between two lines with a word that is new for every turn. The word is taken out of the data, so that
 * nothing in it can end its own frame or begin another one, not even if its writer knew the word.
 */
export type Fence = {
  /** @param kind what the data is, one word */
  frame(kind: string, text: string): string;
};

export function createFence(boundary: string): Fence {
  if (!/^[A-Za-z0-9]{8,64}$/.test(boundary)) throw new Error('a boundary is 8 to 64 letters and digits');
  return {
    frame(kind, text) {
      let inside = text;
      // What stood around the word may be the word again.
      while (inside.includes(boundary)) inside = inside.replaceAll(boundary, '');
      return `<<${kind} ${boundary}\n${inside}\n${kind} ${boundary}>>`;
    },
  };
}
