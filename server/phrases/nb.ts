import type { Phrases } from './language.ts';

export const nb: Phrases = {
  greeting: 'Hei! Hva kan jeg hjelpe deg med?',
  thanks: 'Bare hyggelig! Spør gjerne hvis det er noe mer.',
  goodbye: 'Ha det bra! Jeg er her hvis du får flere spørsmål.',
  praise: 'Så bra! Spør gjerne hvis det er noe mer.',
  complaint: 'Det beklager jeg. Fortell i én setning hva som er galt, så leter jeg etter en løsning.',
  abuse: 'Jeg vil gjerne hjelpe. Fortell i én setning hva du leter etter.',
  identity:
    'Jeg er ikke et menneske. Jeg er en automatisk guide: programvare som svarer ut fra artiklene på dette nettstedet.',
  capabilities:
    'Jeg er den automatiske guiden for {name}. Jeg svarer på spørsmål ut fra de publiserte artiklene og viser hvor hvert svar kommer fra.',
  person: 'Jeg er en automatisk guide og kan ikke sette deg over selv, men teamet hjelper deg gjerne.',
  personUnavailable:
    'Jeg er en automatisk guide og kan dessverre ikke sette deg over til et menneske. Fortell hva det gjelder, så leter jeg etter et svar.',
  gibberish: 'Det forsto jeg ikke. Kan du stille spørsmålet med få ord?',
  order:
    'Jeg holder meg til oppgaven min: å svare på spørsmål ut fra artiklene på dette nettstedet. Hva vil du vite?',
  page: 'Du er på siden «{title}».',
  pageParts: 'Dette er delene av den:',
  pageUnknown: 'Jeg kan ikke lese denne siden, men jeg svarer gjerne på spørsmål ut fra artiklene.',
  topics: 'Du kan for eksempel spørre meg om:',
  contact: 'Slik når du teamet: {contact}',
  nothingFound: 'Jeg fant ikke noe om dette i de publiserte artiklene.',
  nearest: 'De nærmeste emnene er:',
  unsure: 'Jeg er ikke sikker på hva du mener. Er det ett av disse emnene?',
  refused: 'Det kan jeg ikke svare på.',
};
