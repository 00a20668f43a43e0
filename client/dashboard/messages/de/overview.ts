import type { Messages } from '../en.ts';

export const overview: Messages['overview'] = {
  title: 'Übersicht',
  lead: 'Die letzten 28 Tage, neben den 28 davor.',
  setUp: 'Der Guide ist noch nicht ganz eingerichtet',
  setUpLead:
    'Er wurde noch nicht auf deiner Website gesehen, oder es ist nichts veröffentlicht, woraus er antworten könnte.',
  goOn: 'Weiter einrichten',
  questions: 'Fragen',
  answered: 'Beantwortet',
  visitors: 'Besucher',
  helped: 'Hat geholfen, sagen Besucher',
  noRatings: 'Noch keine Bewertung',
  ofRatings: 'von {count, plural, one {# Bewertung} other {# Bewertungen}}',
  before: 'davor: {value}',
  more: 'Mehr Zahlen',
  unanswered: 'Was der Guide nicht beantworten konnte',
  unansweredLead: 'Jede Zeile ist ein Artikel, den jemand gebraucht hätte.',
  question: 'Frage',
  asked: 'Gestellt',
  last: 'Zuletzt',
  write: 'Artikel schreiben',
  writeFor: 'Artikel schreiben zu „{question}“',
  allAnswered: 'Jede Frage wurde beantwortet. Hier ist nichts zu tun.',
  waitingTitle: 'Wartet auf dich',
  nothingWaits: 'Nichts wartet auf dich.',
  toWaiting: 'Zeigen, was wartet',
  languages: 'Sprachen',
  languagesLead:
    'Wie viele deiner {count, plural, one {# veröffentlichten Artikel} other {# veröffentlichten Artikel}} Besucher in jeder Sprache bekommen.',
  language: 'Sprache',
  coverage: '{live} live, {stale} veraltet, {missing} fehlen',
};
