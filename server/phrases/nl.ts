import type { Phrases } from './language.ts';

export const nl: Phrases = {
  greeting: 'Hallo! Waarmee kan ik helpen?',
  thanks: 'Graag gedaan! Vraag gerust als er nog iets is.',
  goodbye: 'Tot ziens! Ik ben er weer als er nog een vraag is.',
  praise: 'Fijn om te horen! Vraag gerust als er nog iets is.',
  complaint: 'Dat spijt me. Vertel in één zin wat er misging, dan zoek ik een oplossing.',
  abuse: 'Ik help graag. Vertel in één zin waar je naar op zoek bent.',
  identity:
    'Ik ben geen mens. Ik ben een automatische gids: software die antwoordt uit de artikelen van deze site.',
  capabilities:
    'Ik ben de automatische gids van {name}. Ik beantwoord vragen uit de gepubliceerde artikelen en laat zien waar elk antwoord vandaan komt.',
  person: 'Ik ben een automatische gids en kan je niet zelf doorverbinden, maar het team helpt je graag.',
  personUnavailable:
    'Ik ben een automatische gids en kan je helaas niet doorverbinden met een medewerker. Vertel waar het over gaat, dan zoek ik een antwoord.',
  gibberish: 'Dat begreep ik niet. Kun je je vraag in een paar woorden stellen?',
  order: 'Ik houd me bij mijn taak: vragen beantwoorden uit de artikelen van deze site. Wat wil je weten?',
  page: 'Je bent op de pagina ‘{title}’.',
  pageParts: 'Dit zijn de onderdelen:',
  pageUnknown: 'Ik kan deze pagina niet lezen, maar ik beantwoord graag vragen uit de artikelen.',
  topics: 'Je kunt me bijvoorbeeld vragen naar:',
  contact: 'Zo bereik je het team: {contact}',
  nothingFound: 'Ik heb hierover niets gevonden in de gepubliceerde artikelen.',
  nearest: 'De onderwerpen die het dichtst in de buurt komen:',
  unsure: 'Ik weet niet zeker wat je bedoelt. Is het een van deze onderwerpen?',
  refused: 'Daar kan ik geen antwoord op geven.',
};
