import type { Messages } from '../en.ts';

export const waiting: Messages['waiting'] = {
  title: 'Wartet auf mich',
  lead: 'Übersetzungen, bei denen jemand etwas tun muss. Was am längsten wartet, steht oben.',
  mine: 'Für mich',
  everybody: 'Für alle',
  whose: 'Wessen Aufgaben',
  kinds: {
    review: 'Prüfen',
    changes: 'Änderungen machen',
    publish: 'Veröffentlichen',
    stale: 'Auf den neuen Stand bringen',
  },
  kind: 'Was zu tun ist',
  all: 'Alles',
  count: '{name} ({count})',
  article: 'Artikel',
  language: 'Sprache',
  since: 'Seit',
  by: 'Von',
  nothing: 'Nichts wartet',
  nothingMine: 'Du hast alles erledigt, was deine Aufgabe war.',
  nothingAtAll: 'Keine Übersetzung wartet auf jemanden.',
  caption: 'Was wartet; was am längsten wartet, steht oben',
};
