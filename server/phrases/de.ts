import type { Phrases } from './language.ts';

export const de: Phrases = {
  greeting: 'Hallo! Wobei kann ich helfen?',
  thanks: 'Gern geschehen! Einfach fragen, wenn noch etwas ist.',
  goodbye: 'Auf Wiedersehen! Bei weiteren Fragen bin ich gern wieder da.',
  praise: 'Das freut mich! Einfach fragen, wenn noch etwas ist.',
  complaint:
    'Das tut mir leid. Sagen Sie mir in einem Satz, was nicht stimmt, dann suche ich nach einer Lösung.',
  abuse: 'Ich möchte gern helfen. Sagen Sie mir in einem Satz, wonach Sie suchen.',
  identity:
    'Ich bin kein Mensch. Ich bin ein automatischer Guide: Software, die aus den Artikeln dieser Website antwortet.',
  capabilities:
    'Ich bin der automatische Guide von {name}. Ich beantworte Fragen aus den veröffentlichten Artikeln und zeige, woher jede Antwort stammt.',
  person:
    'Ich bin ein automatischer Guide und kann nicht selbst verbinden, aber das Team ist gern für Sie da.',
  personUnavailable:
    'Ich bin ein automatischer Guide und kann Sie leider nicht mit einem Menschen verbinden. Sagen Sie mir, worum es geht, dann suche ich nach einer Antwort.',
  gibberish: 'Das habe ich nicht verstanden. Können Sie Ihre Frage in ein paar Worten stellen?',
  order:
    'Ich bleibe bei meiner Aufgabe: Fragen aus den Artikeln dieser Website zu beantworten. Was möchten Sie wissen?',
  page: 'Sie sind auf der Seite „{title}“.',
  pageParts: 'Das sind ihre Abschnitte:',
  pageUnknown: 'Diese Seite kann ich nicht lesen, aber ich beantworte Fragen aus den Artikeln.',
  topics: 'Sie können mich zum Beispiel fragen nach:',
  contact: 'So erreichen Sie das Team: {contact}',
  nothingFound: 'Dazu habe ich in den veröffentlichten Artikeln nichts gefunden.',
  nearest: 'Am nächsten kommen diese Themen:',
  unsure: 'Ich bin nicht sicher, was gemeint ist. Ist es eines davon?',
  refused: 'Darauf kann ich nicht antworten.',
};
