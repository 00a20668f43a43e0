import { StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, WidgetType } from '@codemirror/view';
import { toImage } from './formatting.ts';

/** Images that are being uploaded. A placeholder marks the position of each, and moves with the text. */

class UploadPlaceholder extends WidgetType {
  readonly id: object;
  readonly label: string;

  constructor(id: object, label: string) {
    super();
    this.id = id;
    this.label = label;
  }

  override eq(other: UploadPlaceholder): boolean {
    return other.id === this.id;
  }

  override toDOM(): HTMLElement {
    const placeholder = document.createElement('span');
    placeholder.className = 'upload-note';
    placeholder.textContent = this.label;
    return placeholder;
  }
}

type Upload = { id: object; at: number; label: string };
const begin = StateEffect.define<Upload>();
const end = StateEffect.define<object>();

export const uploads = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(placeholders, { changes, effects }) {
    let next = placeholders.map(changes);
    for (const effect of effects) {
      if (effect.is(begin)) {
        const { id, at, label } = effect.value;
        next = next.update({
          add: [Decoration.widget({ widget: new UploadPlaceholder(id, label), side: 1 }).range(at)],
        });
      } else if (effect.is(end))
        next = next.update({ filter: (_from, _to, { spec }) => spec.widget.id !== effect.value });
    }
    return next;
  },
  provide: (field) => EditorView.decorations.from(field),
});

function findPosition({ state }: EditorView, id: object): number {
  let position = state.doc.length;
  state.field(uploads).between(0, state.doc.length, (from, _to, { spec }) => {
    if (spec.widget.id === id) position = from;
  });
  return position;
}

type UploadOptions = {
  at: number;
  label: string;
  send: () => Promise<string>;
  onError: (error: unknown) => void;
};

/** Inserts the image when it is stored. */
export async function insertUpload(
  view: EditorView,
  { at, label, send, onError }: UploadOptions,
): Promise<void> {
  const id = {};
  view.dispatch({ effects: begin.of({ id, at, label }) });
  try {
    const url = await send();
    const position = findPosition(view, id);
    const { selection, ...inserted } = toImage(url, position);
    // If the writer has moved on, the cursor stays where it is.
    const isCursorHere = view.state.selection.main.head === position;
    view.dispatch({
      ...inserted,
      ...(isCursorHere && { selection }),
      effects: end.of(id),
      userEvent: 'input.image',
    });
    if (isCursorHere && view.dom.parentElement?.parentElement?.contains(document.activeElement)) view.focus();
  } catch (error) {
    view.dispatch({ effects: end.of(id) });
    onError(error);
  }
}
