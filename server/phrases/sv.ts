import type { Phrases } from './language.ts';

export const sv: Phrases = {
  greeting: 'Hej! Vad kan jag hjälpa dig med?',
  thanks: 'Varsågod! Fråga gärna om det är något mer.',
  goodbye: 'Hej då! Jag finns här om du har fler frågor.',
  praise: 'Vad roligt att höra! Fråga gärna om det är något mer.',
  complaint: 'Jag beklagar det. Berätta i en mening vad som är fel, så letar jag efter en lösning.',
  abuse: 'Jag vill gärna hjälpa till. Berätta i en mening vad du letar efter.',
  identity:
    'Jag är ingen människa. Jag är en automatisk guide: programvara som svarar ur den här webbplatsens artiklar.',
  capabilities:
    'Jag är den automatiska guiden för {name}. Jag svarar på frågor ur de publicerade artiklarna och visar varifrån varje svar kommer.',
  person: 'Jag är en automatisk guide och kan inte koppla dig vidare själv, men teamet hjälper dig gärna.',
  personUnavailable:
    'Jag är en automatisk guide och kan tyvärr inte koppla dig till en person. Berätta vad det gäller, så letar jag efter ett svar.',
  gibberish: 'Det förstod jag inte. Kan du ställa din fråga med några få ord?',
  order: 'Jag håller mig till min uppgift: att svara på frågor ur webbplatsens artiklar. Vad vill du veta?',
  page: 'Du är på sidan ”{title}”.',
  pageParts: 'Det här är dess avsnitt:',
  pageUnknown: 'Jag kan inte läsa den här sidan, men jag svarar gärna på frågor ur artiklarna.',
  topics: 'Du kan till exempel fråga mig om:',
  contact: 'Så når du teamet: {contact}',
  nothingFound: 'Jag hittade inget om detta i de publicerade artiklarna.',
  nearest: 'De närmaste ämnena är:',
  unsure: 'Jag är inte säker på vad du menar. Är det något av det här?',
  refused: 'Det kan jag inte svara på.',
};
