/** Regions by their names in the reader's language; of a part of a country its code, which has no name there. */
export function regionNames(locale: string): (code: string) => string {
  const names = new Intl.DisplayNames([locale], { type: 'region', fallback: 'none' });
  return (code) => {
    const [country = '', part] = code.toUpperCase().split('-');
    const name = nameOf(names, country) ?? country;
    return part ? `${name} · ${part}` : name;
  };
}

function nameOf(names: Intl.DisplayNames, code: string): string | undefined {
  try {
    return names.of(code);
  } catch {
    return undefined;
  }
}

const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
/** What Intl has names for, and what is no country. */
const NO_COUNTRIES = new Set(['EU', 'EZ', 'UN', 'QO', 'XA', 'XB', 'ZZ']);

/** The countries that the browser has names for. */
export function countries(locale: string): readonly string[] {
  const names = new Intl.DisplayNames([locale], { type: 'region', fallback: 'none' });
  return LETTERS.flatMap((first) => LETTERS.map((second) => first + second)).filter(
    (code) => !NO_COUNTRIES.has(code) && nameOf(names, code) !== undefined,
  );
}

export const isRegion = (text: string) => /^[a-z]{2}(-[a-z\d]{1,3})?$/i.test(text) && !/^zz/i.test(text);
