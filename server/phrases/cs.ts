import type { Phrases } from './language.ts';

export const cs: Phrases = {
  greeting: 'Dobrý den! S čím mohu pomoci?',
  thanks: 'Není zač! Kdyby bylo potřeba ještě něco, stačí se zeptat.',
  goodbye: 'Na shledanou! Kdyby vás ještě něco zajímalo, jsem tady.',
  praise: 'To mě těší! Kdyby bylo potřeba ještě něco, stačí se zeptat.',
  complaint: 'To mě mrzí. Napište mi jednou větou, co se stalo, a pokusím se najít řešení.',
  abuse: 'Rád bych pomohl. Napište mi jednou větou, co hledáte.',
  identity: 'Nejsem člověk. Jsem automatický průvodce: program, který odpovídá z článků tohoto webu.',
  capabilities:
    'Jsem automatický průvodce webu {name}. Odpovídám na otázky z publikovaných článků a ukazuji, odkud každá odpověď pochází.',
  person: 'Jsem automatický průvodce a nemohu vás sám přepojit, ale náš tým vám rád pomůže.',
  personUnavailable:
    'Jsem automatický průvodce a bohužel vás nemohu spojit s člověkem. Napište mi, o co jde, a zkusím najít odpověď.',
  gibberish: 'Tomu jsem nerozuměl. Můžete svou otázku položit několika slovy?',
  order: 'Držím se svého úkolu: odpovídat na otázky z článků tohoto webu. Co vás zajímá?',
  page: 'Jste na stránce „{title}“.',
  pageParts: 'Toto jsou její části:',
  pageUnknown: 'Tuto stránku neumím přečíst, ale rád odpovím na otázky z článků.',
  topics: 'Můžete se mě zeptat například na:',
  contact: 'Náš tým zastihnete zde: {contact}',
  nothingFound: 'V publikovaných článcích jsem o tom nic nenašel.',
  nearest: 'Nejbližší témata jsou:',
  unsure: 'Nejsem si jistý, co máte na mysli. Je to jedno z těchto témat?',
  refused: 'Na to nemohu odpovědět.',
};
