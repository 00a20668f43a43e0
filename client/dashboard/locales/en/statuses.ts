/** How articles and translations stand, wherever they are named. */
export const statuses = {
  article: { draft: 'Draft', published: 'Published', unpublished: 'Taken down' },
  changed: 'Unpublished changes',
  translation: {
    draft: 'Draft',
    in_review: 'In review',
    changes_requested: 'Changes requested',
    approved: 'Approved',
    published: 'Published',
    archived: 'Archived',
  },
  live: 'Live',
  stale: 'Outdated',
  missing: 'Missing',
  source: 'Written in this language',
  liveAnd: 'Live; newer version: {status}',
};
