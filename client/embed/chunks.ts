/** Set by the build: the folder of its files. It changes with their content, so browsers can cache them forever. */
declare const GUIDE_BUILD: string;

export type LoadChunk = <T>(name: string) => Promise<T>;

/** Loads files of the script tag. Browsers may remember a failed URL, so each retry uses a new one. */
export function createChunkLoader(folder: string): LoadChunk {
  let failures = 0;
  return async (name) => {
    try {
      return await import(`${folder}guide/${GUIDE_BUILD}/${name}.js${failures ? `?${failures}` : ''}`);
    } catch (error) {
      failures += 1;
      throw error;
    }
  };
}

/** Lets the page render and handle input before the work continues. */
export const yieldToPage = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));
