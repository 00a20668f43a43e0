import type { Messages } from '../en.ts';

export const welcome: Messages['welcome'] = {
  title: 'Dein Guide in drei Schritten',
  lead: 'Bis zur ersten Antwort dauert es nur ein paar Minuten.',
  done: 'Erledigt',
  putTitle: 'Den Guide auf deine Website bringen',
  putLead:
    'Füge diese Zeile in jede Seite ein, ganz ans Ende. Sie funktioniert auf den Websites, die unten erlaubt sind.',
  snippet: 'Die Zeile zum Einfügen',
  copySnippet: 'Zeile kopieren',
  allowed: 'Erlaubte Websites',
  changeAllowed: 'In den Einstellungen ändern',
  waiting:
    'Noch nicht auf deiner Website gesehen: Öffne eine ihrer Seiten und dort den Guide. Diese Seite merkt es von selbst.',
  seen: 'Gesehen auf {origin}, <when></when>.',
  notSeen: 'Noch nicht gesehen',
  refused: 'Eine Seite auf {origin} hat nach dem Guide gefragt, steht aber nicht auf der Liste.',
  allowIt: '{origin} erlauben',
  allowedNow: 'Erlaubt. In fünf Sekunden funktioniert es.',
  writeTitle: 'Den ersten Artikel schreiben',
  writeLead: 'Die Antwort auf die Frage, die du am häufigsten hörst. Der Guide zitiert sie.',
  write: 'Artikel schreiben',
  written: '{count, plural, one {# Artikel ist} other {# Artikel sind}} veröffentlicht.',
  draftOnly: 'Es gibt einen Entwurf. Veröffentliche ihn, damit Besucher ihn bekommen.',
  import: 'Schon viele Artikel? Importiere sie auf dem Server: {command}',
  tryTitle: 'Frag ihn',
  tryLead: 'Sieh, was Besucher bekommen, in jeder Sprache und Region.',
  tryIt: 'Ausprobieren',
  overview: 'Zur Übersicht',
};
