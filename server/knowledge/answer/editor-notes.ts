import { CHAT_LANGUAGES } from '../../base/guide-languages.ts';

/**
 * Notes that editors leave for each other in an article, which are never quoted. The rules match only
 * what such notes say about the article itself, so that an instruction such as "Add a page" stays.
 */

const NOTE_LABEL = /^[[(*_\s]*(?:TODO|FIXME|XXX|TBD|TBA|TBC|WIP)\b/;
const EDIT_LINK = /^\[(?:edit|edit source|citation needed|needs update)\]$/i;

/** What such notes say, as each language has it. */
const NOTES: readonly RegExp[] = [...CHAT_LANGUAGES.values()].flatMap(({ editorNotes = [] }) =>
  editorNotes.map((pattern) => new RegExp(pattern, 'i')),
);

const NOTE_CHARS_MAX = 600;

/** Whether a line is a note by an editor to other editors. */
export function isEditorNote(line: string): boolean {
  if (NOTE_LABEL.test(line) || EDIT_LINK.test(line)) return true;
  const start = line.slice(0, NOTE_CHARS_MAX);
  return NOTES.some((note) => note.test(start));
}
