import type { Phrases } from './language.ts';

export const hu: Phrases = {
  greeting: 'Üdvözlöm! Miben segíthetek?',
  thanks: 'Szívesen! Ha még van kérdése, írjon bátran.',
  goodbye: 'Viszontlátásra! Ha még van kérdése, itt vagyok.',
  praise: 'Örömmel hallom! Ha még van kérdése, írjon bátran.',
  complaint: 'Sajnálom. Írja le egy mondatban, mi a gond, és keresek rá megoldást.',
  abuse: 'Szeretnék segíteni. Írja le egy mondatban, mit keres.',
  identity:
    'Nem vagyok ember. Automatikus útmutató vagyok: egy program, amely ennek a webhelynek a cikkeiből válaszol.',
  capabilities:
    'A(z) {name} automatikus útmutatója vagyok. A közzétett cikkek alapján válaszolok a kérdésekre, és megmutatom, honnan származik a válasz.',
  person: 'Automatikus útmutató vagyok, ezért nem tudom kapcsolni, de munkatársaink szívesen segítenek.',
  personUnavailable:
    'Automatikus útmutató vagyok, és sajnos nem tudok munkatársat kapcsolni. Írja le, miről van szó, és keresek rá választ.',
  gibberish: 'Ezt nem értettem. Fel tudná tenni a kérdést néhány szóban?',
  order: 'Maradok a feladatomnál: a webhely cikkei alapján válaszolok a kérdésekre. Mit szeretne tudni?',
  page: 'Ön a(z) „{title}” oldalon van.',
  pageParts: 'Az oldal részei:',
  pageUnknown: 'Ezt az oldalt nem tudom elolvasni, de a cikkek alapján szívesen válaszolok a kérdésekre.',
  topics: 'Kérdezhet például ezekről:',
  contact: 'Munkatársaink elérhetősége: {contact}',
  nothingFound: 'A közzétett cikkekben nem találtam erről semmit.',
  nearest: 'A legközelebbi témák:',
  unsure: 'Nem vagyok biztos benne, mire gondol. Ezek közül valamelyikre?',
  refused: 'Erre nem tudok válaszolni.',
};
