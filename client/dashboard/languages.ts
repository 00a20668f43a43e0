import { languageName } from '../embed/texts.ts';

/** Languages that sites are written in; the API takes any other tag. */
const TAGS =
  'af am ar az be bg bn bs ca cs cy da de el en en-GB en-US es es-MX et eu fa fi fil fr fr-CA ga gl gu he hi hr hu hy id is it ja ka kk km ' +
  'kn ko lo lt lv mk ml mn mr ms my nb ne nl nn pa pl pt pt-BR pt-PT ro ru sk sl sq sr sv sw ta te th tr uk ur uz vi zh-Hans zh-Hant zu';

export type Choice = { readonly value: string; readonly label: string };

/** By their names in the reader's language, in the order that the reader expects. */
export function languageChoices(locale: string): Choice[] {
  const { compare } = new Intl.Collator(locale);
  return TAGS.split(' ')
    .map((value) => ({ value, label: languageName(value, locale) }))
    .sort((one, other) => compare(one.label, other.label));
}
