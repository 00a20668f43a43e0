import type { EditorView } from '@codemirror/view';
import { useMemo, useRef, useState } from 'react';
import { locateParagraphs, type Paragraph } from '../../editor/paragraph-pairs.ts';
import { useTypingKeys } from '../../editor/toolbar.tsx';

/**
 * Adds the index of the paragraph of the translation that corresponds to each pair. A translation with as many
 * paragraphs as the changed text corresponds to that text, any other to the text before the changes.
 */
export function numberParagraphs(
  pairs: readonly Paragraph[],
  translatedCount: number,
): readonly (Paragraph & { counterpart: number })[] {
  const isUpdated = pairs.filter(({ text }) => text !== '').length === translatedCount;
  let next = 0;
  return pairs.map((pair) => {
    const counterpart = next;
    if ((isUpdated ? pair.text : pair.before) !== '') next += 1;
    return { ...pair, counterpart };
  });
}

/** Connects the paragraphs of an original with those of its translation, which have the same order. */
export type ParagraphLink = {
  /** The paragraph of the translation where the cursor is, from 0. */
  active: number | undefined;
  /** How many paragraphs the translation has. */
  count: number;
  onCursor: (offset: number) => void;
  onReady: (view: EditorView) => void;
  /** Selects a paragraph of the translation, or the end of the text if it has fewer paragraphs. */
  goTo: (index: number) => void;
  /** Set by the original: indexes of the changed paragraphs, in the numbering of the translation. */
  setChanged: (indexes: readonly number[]) => void;
};

export function useParagraphLink(answer: string): ParagraphLink {
  const paragraphs = useMemo(() => locateParagraphs(answer), [answer]);
  const latest = useRef(paragraphs);
  latest.current = paragraphs;
  const [active, setActive] = useState<number>();
  const view = useRef<EditorView>(null);
  const changed = useRef<readonly number[]>([]);

  function goTo(index: number): void {
    const { current } = view;
    if (!current) return;
    const end = current.state.doc.length;
    const { from, to } = latest.current[index] ?? { from: end, to: end };
    current.dispatch({ selection: { anchor: from, head: Math.min(to, end) }, scrollIntoView: true });
    current.focus();
    setActive(index);
  }
  const step = (by: 1 | -1) => goTo(Math.max(0, (active ?? -by) + by));
  function stepToChanged(by: 1 | -1): void {
    const ordered = by === 1 ? changed.current : [...changed.current].reverse();
    const from = active ?? -1;
    const next = ordered.find((index) => (by === 1 ? index > from : index < from)) ?? ordered[0];
    if (next !== undefined) goTo(next);
  }
  useTypingKeys([
    ['alt+PageDown', () => step(1)],
    ['alt+PageUp', () => step(-1)],
    ['F8', () => stepToChanged(1)],
    ['shift+F8', () => stepToChanged(-1)],
  ]);
  return {
    active,
    count: paragraphs.length,
    goTo,
    onCursor(offset) {
      const at = latest.current.findIndex(({ to }) => offset <= to);
      setActive(at < 0 ? Math.max(0, latest.current.length - 1) : at);
    },
    onReady(opened) {
      view.current = opened;
    },
    setChanged(indexes) {
      changed.current = indexes;
    },
  };
}
