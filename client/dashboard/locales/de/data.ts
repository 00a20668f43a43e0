import type { Messages } from '../en.ts';

export const data: Messages['data'] = {
  title: 'Daten',
  export: 'Alles mitnehmen',
  exportLead:
    'Eine Datei mit Einstellungen, Mitgliedern, Artikeln, Übersetzungen, Gesprächen, Ereignissen und Verlauf. Passwörter und Schlüssel bleiben hier. Ein anderes Guidepost kann sie importieren.',
  start: 'Alles exportieren',
  running: '{count, plural, =0 {Es geht los …} one {# Eintrag bisher} other {# Einträge bisher}}',
  size: '{size} bisher',
  done: 'Fertig: {count, plural, one {# Eintrag} other {# Einträge}} in {file}.',
  cancelled: 'Abgebrochen. Nichts wurde behalten.',
  exporting: 'Der Export läuft. Bleib auf dieser Seite.',
  delete: 'Den Arbeitsbereich löschen',
  deleteOwnersOnly: 'Den Arbeitsbereich löschen können nur Inhaber.',
  deleteLead:
    'Alles darin ist endgültig weg: Artikel, Gespräche, Schlüssel und die Konten aller, die zu keinem anderen Arbeitsbereich gehören. Der Guide verschwindet von deiner Website. Es gibt kein Zurück; exportiere vorher.',
  deleteStart: 'Diesen Arbeitsbereich löschen …',
  deleteTitle: '„{name}“ endgültig löschen?',
  typeName: 'Tipp den Namen des Arbeitsbereichs ein, um weiterzumachen: {name}',
  nameLabel: 'Name des Arbeitsbereichs',
  mismatch: 'So heißt der Arbeitsbereich nicht.',
  deleteNow: 'Endgültig löschen',
  deleting: 'Er wird gelöscht. Das kann eine Minute dauern.',
  deleted: '„{name}“ ist gelöscht.',
  goesOn: 'Der Arbeitsbereich ist geschlossen, und der Dienst löscht von selbst weiter.',
};
