/** Countries by their names in the reader's language; a part of a country by its code behind it. */
export function regionNames(locale: string): (region: string) => string {
  const names = new Intl.DisplayNames([locale], { type: 'region' });
  return (region) => {
    const [country = region, part] = region.split('-');
    const name = /^[A-Z]{2}$/.test(country) ? (names.of(country) ?? country) : country;
    return part ? `${name} (${region})` : name;
  };
}
