import { type ChangeSpec, EditorSelection, type EditorState, type StateCommand } from '@codemirror/state';

/** Commands that add and remove Markdown. Each is one step of undo. */

/** Puts markers around the selection, or removes them. */
function toggleMarkers(marker: string): StateCommand {
  return ({ state, dispatch }) => {
    const size = marker.length;
    const change = state.changeByRange(({ from, to }) => {
      const isAround =
        state.sliceDoc(Math.max(0, from - size), from) === marker && state.sliceDoc(to, to + size) === marker;
      const text = state.sliceDoc(from, to);
      const isInside = text.length >= size * 2 && text.startsWith(marker) && text.endsWith(marker);
      if (isAround) {
        const changes = [
          { from: from - size, to: from },
          { from: to, to: to + size },
        ];
        return { changes, range: EditorSelection.range(from - size, to - size) };
      }
      if (isInside) {
        const changes = { from, to, insert: text.slice(size, -size) };
        return { changes, range: EditorSelection.range(from, to - size * 2) };
      }
      const changes = [
        { from, insert: marker },
        { from: to, insert: marker },
      ];
      return { changes, range: EditorSelection.range(from + size, to + size) };
    });
    dispatch(state.update(change, { scrollIntoView: true, userEvent: 'input.format' }));
    return true;
  };
}

export const toggleBold = toggleMarkers('**');
export const toggleItalic = toggleMarkers('*');

const MARKER = /^(\s*)(?:#{1,6}\s+|>\s?|[-*+]\s+|\d{1,3}[.)]\s+)?/;

/** Gives each selected line this marker instead of its current one, or removes the marker if all lines have it. */
function toggleLines(marker: RegExp, toMarker: (index: number) => string): StateCommand {
  return ({ state, dispatch }) => {
    const lines = listSelectedLines(state);
    const nonBlank = lines.filter(({ text }) => text.trim() !== '' || lines.length === 1);
    const isOn = nonBlank.every(({ text }) => marker.test(text));
    const changes = nonBlank.map(({ from, text }, index): ChangeSpec => {
      const [all, indent = ''] = MARKER.exec(text) ?? [''];
      return { from: from + indent.length, to: from + all.length, insert: isOn ? '' : toMarker(index) };
    });
    dispatch(state.update({ changes, scrollIntoView: true, userEvent: 'input.format' }));
    return true;
  };
}

function listSelectedLines(state: EditorState) {
  const { from, to } = state.selection.main;
  const [first, last] = [state.doc.lineAt(from).number, state.doc.lineAt(to).number];
  return Array.from({ length: last - first + 1 }, (_, index) => state.doc.line(first + index));
}

export const toggleBullets = toggleLines(/^\s*[-*+]\s/, () => '- ');
export const toggleNumbers = toggleLines(/^\s*\d{1,3}[.)]\s/, (index) => `${index + 1}. `);
export const toggleHeading = toggleLines(/^## /, () => '## ');
export const toggleSubheading = toggleLines(/^### /, () => '### ');

/** Puts code between backticks, or several lines between two fences. */
export const toggleCode: StateCommand = (target) => {
  const { state, dispatch } = target;
  const { from, to } = state.selection.main;
  if (state.doc.lineAt(from).number === state.doc.lineAt(to).number) return toggleMarkers('`')(target);
  const [start, end] = [state.doc.lineAt(from).from, state.doc.lineAt(to).to];
  const changes = [
    { from: start, insert: '```\n' },
    { from: end, insert: '\n```' },
  ];
  dispatch(state.update({ changes, userEvent: 'input.format' }));
  return true;
};

const WEB_ADDRESS = /^https?:\/\/\S+$/i;

/** Links the selected words, or the selected address, and selects the missing part. */
export const insertLink: StateCommand = ({ state, dispatch }) => {
  const change = state.changeByRange(({ from, to }) => {
    const text = state.sliceDoc(from, to);
    const isAddress = WEB_ADDRESS.test(text);
    const address = isAddress ? text : 'https://';
    const label = isAddress ? '' : text;
    const addressAt = from + label.length + 3;
    const range =
      label === ''
        ? EditorSelection.cursor(from + 1)
        : EditorSelection.range(addressAt, addressAt + address.length);
    return { changes: { from, to, insert: `[${label}](${address})` }, range };
  });
  dispatch(state.update(change, { scrollIntoView: true, userEvent: 'input.format' }));
  return true;
};

/** Inserts a table of two columns below the current paragraph and selects its first heading. */
export function insertTable(heading: (column: number) => string): StateCommand {
  return ({ state, dispatch }) => {
    const cells = [heading(1), heading(2)];
    const table = [`| ${cells.join(' | ')} |`, '| --- | --- |', '|  |  |', '|  |  |'].join('\n');
    const { insert, from, textAt } = toBlock(state, table);
    const headingAt = textAt + 2;
    dispatch(
      state.update({
        changes: { from, insert },
        selection: EditorSelection.range(headingAt, headingAt + cells[0]!.length),
        scrollIntoView: true,
        userEvent: 'input.format',
      }),
    );
    return true;
  };
}

/** Inserts a paragraph that begins with a strong word, and selects it: the guide draws no boxes. */
export function insertCallout(word: string): StateCommand {
  return ({ state, dispatch }) => {
    const { insert, from, textAt } = toBlock(state, `**${word}:** `);
    const selection = EditorSelection.range(textAt + 2, textAt + 2 + word.length);
    dispatch(
      state.update({ changes: { from, insert }, selection, scrollIntoView: true, userEvent: 'input.format' }),
    );
    return true;
  };
}

/** Inserts a link to a video, and selects the address: the guide plays nothing of other sites. */
export function insertVideo(word: string): StateCommand {
  return ({ state, dispatch }) => {
    const { from, to } = state.selection.main;
    const label = `▶ ${state.sliceDoc(from, to) || word}`;
    const addressAt = from + label.length + 3;
    const selection = EditorSelection.range(addressAt, addressAt + 'https://'.length);
    const changes = { from, to, insert: `[${label}](https://)` };
    dispatch(state.update({ changes, selection, scrollIntoView: true, userEvent: 'input.format' }));
    return true;
  };
}

/** Puts text between blank lines, after the line of the cursor. */
function toBlock(state: EditorState, text: string) {
  const line = state.doc.lineAt(state.selection.main.head);
  const next = line.number < state.doc.lines ? state.doc.line(line.number + 1).text : '';
  const before = line.text.trim() === '' ? '' : '\n\n';
  const after = next.trim() === '' ? '\n' : '\n\n';
  return { from: line.to, insert: before + text + after, textAt: line.to + before.length };
}

/** Inserts an image and selects its alternative text, which still has to be written. */
export function toImage(url: string, at: number) {
  return { changes: { from: at, insert: `![](${url})` }, selection: EditorSelection.cursor(at + 2) };
}
