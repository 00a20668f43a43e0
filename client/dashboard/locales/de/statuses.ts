import type { Messages } from '../en.ts';

export const statuses: Messages['statuses'] = {
  article: { draft: 'Entwurf', published: 'Veröffentlicht', unpublished: 'Zurückgezogen' },
  changed: 'Unveröffentlichte Änderungen',
  translation: {
    draft: 'Entwurf',
    in_review: 'In Prüfung',
    changes_requested: 'Änderungen erbeten',
    approved: 'Freigegeben',
    published: 'Veröffentlicht',
    archived: 'Archiviert',
  },
  live: 'Live',
  stale: 'Veraltet',
  missing: 'Fehlt',
  source: 'In dieser Sprache geschrieben',
  liveAnd: 'Live; neuere Fassung: {status}',
};
