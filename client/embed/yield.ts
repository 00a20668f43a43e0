/** Gives the page its turn: what was done so far is drawn, and what the visitor does meanwhile is answered, before the rest. */
export const nextTask = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));
