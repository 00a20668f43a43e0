/** Written in by the build: the name of the folder that holds its files, so that a browser never has to ask whether they changed. */
declare const GUIDE_BUILD: string;

export type Load = <T>(name: string) => Promise<T>;

/** Loads files from beside the loader. A name that failed once may be remembered as failed, so that each try has its own. */
export function piecesIn(folder: string): Load {
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
