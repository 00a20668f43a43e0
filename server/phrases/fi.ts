import type { Phrases } from './language.ts';

export const fi: Phrases = {
  greeting: 'Hei! Miten voin auttaa?',
  thanks: 'Ole hyvä! Kysy toki, jos tulee muuta mieleen.',
  goodbye: 'Hei hei! Olen täällä, jos tulee lisää kysyttävää.',
  praise: 'Mukava kuulla! Kysy toki, jos tulee muuta mieleen.',
  complaint: 'Olen pahoillani. Kerro yhdellä lauseella, mikä on vialla, niin etsin ratkaisua.',
  abuse: 'Haluan auttaa. Kerro yhdellä lauseella, mitä etsit.',
  identity:
    'En ole ihminen. Olen automaattinen opas: ohjelma, joka vastaa tämän sivuston artikkelien perusteella.',
  capabilities:
    'Olen palvelun {name} automaattinen opas. Vastaan kysymyksiin julkaistujen artikkelien perusteella ja näytän, mistä kukin vastaus on peräisin.',
  person: 'Olen automaattinen opas enkä voi itse yhdistää sinua, mutta tiimimme auttaa mielellään.',
  personUnavailable:
    'Olen automaattinen opas enkä valitettavasti voi yhdistää sinua ihmiselle. Kerro, mistä on kyse, niin etsin vastausta.',
  gibberish: 'En ymmärtänyt. Voitko esittää kysymyksesi muutamalla sanalla?',
  order:
    'Pysyn tehtävässäni: vastaan kysymyksiin tämän sivuston artikkelien perusteella. Mitä haluaisit tietää?',
  page: 'Olet sivulla ”{title}”.',
  pageParts: 'Sivun osat ovat:',
  pageUnknown: 'En voi lukea tätä sivua, mutta vastaan mielelläni kysymyksiin artikkelien perusteella.',
  topics: 'Voit kysyä minulta esimerkiksi näistä aiheista:',
  contact: 'Tiimimme tavoittaa täältä: {contact}',
  nothingFound: 'En löytänyt tästä mitään julkaistuista artikkeleista.',
  nearest: 'Lähimmät aiheet ovat:',
  unsure: 'En ole varma, mitä tarkoitat. Onko se jokin näistä?',
  refused: 'En voi vastata tähän.',
};
