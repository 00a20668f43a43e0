/**
 * Names countries in the reader's language; a subdivision has no name there and is shown by its
 * code.
 */
export function regionNames(locale: string): (region: string) => string {
  const names = new Intl.DisplayNames([locale], { type: 'region' });
  return (region) => {
    const [country = '', part] = region.toUpperCase().split('-');
    if (!/^[A-Z]{2}$/.test(country)) return region;
    const name = names.of(country) ?? country;
    return part ? `${name} (${country}-${part})` : name;
  };
}

const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
/** Codes that Intl names but that are not countries. */
const NO_COUNTRIES = new Set(['EU', 'EZ', 'UN', 'QO', 'XA', 'XB', 'ZZ']);

export function countries(locale: string): readonly string[] {
  const names = new Intl.DisplayNames([locale], { type: 'region', fallback: 'none' });
  return LETTERS.flatMap((first) => LETTERS.map((second) => first + second)).filter(
    (code) => !NO_COUNTRIES.has(code) && names.of(code) !== undefined,
  );
}

export const isRegion = (text: string) => /^[a-z]{2}(-[a-z\d]{1,3})?$/i.test(text) && !/^zz/i.test(text);
