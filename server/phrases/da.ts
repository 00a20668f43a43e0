import type { Phrases } from './language.ts';

export const da: Phrases = {
  greeting: 'Hej! Hvad kan jeg hjælpe med?',
  thanks: 'Selv tak! Spørg endelig, hvis der er mere.',
  goodbye: 'Farvel! Jeg er her, hvis du får flere spørgsmål.',
  praise: 'Det er jeg glad for at høre! Spørg endelig, hvis der er mere.',
  complaint: 'Det er jeg ked af. Fortæl i én sætning, hvad der er galt, så leder jeg efter en løsning.',
  abuse: 'Jeg vil gerne hjælpe. Fortæl i én sætning, hvad du leder efter.',
  identity:
    'Jeg er ikke et menneske. Jeg er en automatisk guide: software, der svarer ud fra dette websteds artikler.',
  capabilities:
    'Jeg er den automatiske guide for {name}. Jeg svarer på spørgsmål ud fra de offentliggjorte artikler og viser, hvor hvert svar kommer fra.',
  person: 'Jeg er en automatisk guide og kan ikke selv stille dig om, men teamet hjælper dig gerne.',
  personUnavailable:
    'Jeg er en automatisk guide og kan desværre ikke stille dig om til et menneske. Fortæl, hvad det drejer sig om, så leder jeg efter et svar.',
  gibberish: 'Det forstod jeg ikke. Kan du stille dit spørgsmål med få ord?',
  order:
    'Jeg holder mig til min opgave: at svare på spørgsmål ud fra webstedets artikler. Hvad vil du gerne vide?',
  page: 'Du er på siden »{title}«.',
  pageParts: 'Dette er dens afsnit:',
  pageUnknown: 'Jeg kan ikke læse denne side, men jeg svarer gerne på spørgsmål ud fra artiklerne.',
  topics: 'Du kan for eksempel spørge mig om:',
  contact: 'Sådan kontakter du teamet: {contact}',
  nothingFound: 'Det fandt jeg ikke noget om i de offentliggjorte artikler.',
  nearest: 'De nærmeste emner er:',
  unsure: 'Jeg er ikke sikker på, hvad du mener. Er det et af disse emner?',
  refused: 'Det kan jeg ikke svare på.',
};
