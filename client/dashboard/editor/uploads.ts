import { StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, WidgetType } from '@codemirror/view';
import { toImage } from './formatting.ts';

/** Images that are being uploaded. A placeholder marks the place of each, and moves with the text. */

class UploadNote extends WidgetType {
  readonly id: object;
  readonly words: string;

  constructor(id: object, words: string) {
    super();
    this.id = id;
    this.words = words;
  }

  override eq(other: UploadNote): boolean {
    return other.id === this.id;
  }

  override toDOM(): HTMLElement {
    const note = document.createElement('span');
    note.className = 'upload-note';
    note.textContent = this.words;
    return note;
  }
}

type Upload = { readonly id: object; readonly at: number; readonly words: string };
const begin = StateEffect.define<Upload>();
const end = StateEffect.define<object>();

export const uploads = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(notes, { changes, effects }) {
    let next = notes.map(changes);
    for (const effect of effects) {
      if (effect.is(begin)) {
        const { id, at, words } = effect.value;
        next = next.update({
          add: [Decoration.widget({ widget: new UploadNote(id, words), side: 1 }).range(at)],
        });
      } else if (effect.is(end))
        next = next.update({ filter: (_from, _to, { spec }) => spec.widget.id !== effect.value });
    }
    return next;
  },
  provide: (field) => EditorView.decorations.from(field),
});

function findPlace({ state }: EditorView, id: object): number {
  let place = state.doc.length;
  state.field(uploads).between(0, state.doc.length, (from, _to, { spec }) => {
    if (spec.widget.id === id) place = from;
  });
  return place;
}

type UploadOptions = {
  readonly at: number;
  readonly words: string;
  readonly send: () => Promise<string>;
  readonly onError: (error: unknown) => void;
};

/** Inserts the image when it is stored. */
export async function insertUpload(
  view: EditorView,
  { at, words, send, onError }: UploadOptions,
): Promise<void> {
  const id = {};
  view.dispatch({ effects: begin.of({ id, at, words }) });
  try {
    const url = await send();
    const place = findPlace(view, id);
    const { selection, ...inserted } = toImage(url, place);
    // If the writer has moved on, the cursor stays where it is.
    const isHere = view.state.selection.main.head === place;
    view.dispatch({
      ...inserted,
      ...(isHere && { selection }),
      effects: end.of(id),
      userEvent: 'input.image',
    });
    if (isHere && view.dom.parentElement?.parentElement?.contains(document.activeElement)) view.focus();
  } catch (error) {
    view.dispatch({ effects: end.of(id) });
    onError(error);
  }
}
