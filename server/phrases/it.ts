import type { Phrases } from './language.ts';

export const it: Phrases = {
  greeting: 'Ciao! Come posso aiutarti?',
  thanks: 'Prego! Se hai altre domande, sono qui.',
  goodbye: 'Arrivederci! Se hai altre domande, mi trovi qui.',
  praise: 'Mi fa piacere! Se hai altre domande, sono qui.',
  complaint: 'Mi dispiace. Dimmi in una frase che cosa non va e cercherò una soluzione.',
  abuse: 'Vorrei aiutarti. Dimmi in una frase che cosa stai cercando.',
  identity:
    'Non sono una persona. Sono una guida automatica: un programma che risponde dagli articoli di questo sito.',
  capabilities:
    'Sono la guida automatica di {name}. Rispondo alle domande con gli articoli pubblicati e mostro da dove viene ogni risposta.',
  person: 'Sono una guida automatica e non posso passarti qualcuno, ma il team è a tua disposizione.',
  personUnavailable:
    'Sono una guida automatica e purtroppo non posso metterti in contatto con una persona. Dimmi di che cosa si tratta e cercherò una risposta.',
  gibberish: 'Non ho capito. Puoi fare la domanda in poche parole?',
  order:
    'Mi attengo al mio compito: rispondere alle domande con gli articoli di questo sito. Che cosa vuoi sapere?',
  page: 'Sei nella pagina «{title}».',
  pageParts: 'Ecco le sue sezioni:',
  pageUnknown: 'Non riesco a leggere questa pagina, ma posso rispondere alle domande con gli articoli.',
  topics: 'Per esempio, puoi chiedermi di:',
  contact: 'Puoi contattare il team qui: {contact}',
  nothingFound: 'Non ho trovato nulla su questo negli articoli pubblicati.',
  nearest: 'Gli argomenti più vicini sono:',
  unsure: 'Non sono sicuro di aver capito. Intendi uno di questi argomenti?',
  refused: 'Non posso rispondere a questo.',
};
