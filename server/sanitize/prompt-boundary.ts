/**
 * Wraps untrusted data for a language model between two lines with a random boundary. The boundary
 * is removed from the data, so the data cannot close its block or open another one.
 */
export type PromptBoundary = {
  /** @param kind one word that describes the data */
  wrap(kind: string, text: string): string;
};

export function createPromptBoundary(boundary: string): PromptBoundary {
  if (!/^[A-Za-z0-9]{8,64}$/.test(boundary))
    throw new Error('The boundary must consist of 8 to 64 letters and digits');
  return {
    wrap(kind, text) {
      let inside = text;
      // Removing the boundary may form a new one.
      while (inside.includes(boundary)) inside = inside.replaceAll(boundary, '');
      return `<<${kind} ${boundary}\n${inside}\n${kind} ${boundary}>>`;
    },
  };
}
