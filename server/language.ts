/** The language of a locale: "sr" for "sr-Latn-RS". */
export const getLanguage = (locale: string) => locale.split('-', 1)[0]!.toLowerCase();
