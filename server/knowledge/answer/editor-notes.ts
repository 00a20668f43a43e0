/**
 * Notes that editors leave for each other in an article. They are never quoted. The rules only know what such notes say about the article
 * itself, so that an instruction such as "Add a page" stays.
 */

const LABEL = /^[[(*_\s]*(?:TODO|FIXME|XXX|TBD|TBA|TBC|WIP)\b/;
const EDIT_LINK = /^\[(?:edit|edit source|citation needed|needs update)\]$/i;

/** What is written about, in the words of those who write it. */
const TEXT =
  '(?:this|the|these|a|another|new|separate)?\\s*[\'"“]?(?:pages?|topics?|articles?|sections?|docs?|documentation|help|figures?|screenshots?|prose|task pages?)[\'"”]?';
const WRITERS = "(?:we|i|someone|somebody)(?:['’](?:d|re|ve|ll)|\\s+(?:really|also|probably|still))?";
const NOTES: readonly RegExp[] = [
  // "I'd like this page to have more", "We should explain what a target is."
  new RegExp(
    `^(?:also,? |however,? |if .{1,80}, )?${WRITERS} (?:like|want|need|would like) (?:to )?.{0,40}${TEXT}\\b`,
    'i',
  ),
  new RegExp(
    `^(?:also,? |if .{1,80}, )?${WRITERS} (?:should|must|ought to|need to) (?:really |also |probably )?(?:explain|describe|discuss|document|develop|cover|mention|identify|consider|clarify|have an? topics?|write|rewrite|add|link|split|merge|expand)\\b`,
    'i',
  ),
  // "This page needs to be revisited.", "This section should be split out."
  /^(?:.{1,60}, )?this ['"“]?(?:page|topic|article|section)['"”]? (?:needs|should|must|has to|could) (?:to )?(?:be )?(?:revisit|rewrit|rewrot|split|expand|merg|mov|updat|improv|more|work|complet|clean)/i,
  // "Rewrite Step 1 everywhere.", "Elaborate on …"
  /(?:^|[.!] )(?:rewrite|elaborate on|expand on|revisit|flesh out|continue to revisit|consider (?:rewriting|merging|splitting)) \S/i,
  /^(?:may|might|could|would) benefit from \S|\bfile (?:a )?bug against\b|^more prose\b/i,
  /\b(?:section|page|paragraph|article)s? (?:added|written|copied) without\b/i,
  /\bdo not use [a-z]+:[a-z]+ on this page\b/i,
  /\bleave this comment\b/i,
];

const LENGTH_MAX = 600;

/** Whether a line is a note by an editor to other editors. */
export function isEditorNote(line: string): boolean {
  if (LABEL.test(line) || EDIT_LINK.test(line)) return true;
  const start = line.slice(0, LENGTH_MAX);
  return NOTES.some((note) => note.test(start));
}
