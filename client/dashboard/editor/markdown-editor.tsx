import {
  defaultKeymap,
  history,
  historyKeymap,
  redo,
  redoDepth,
  undo,
  undoDepth,
} from '@codemirror/commands';
import {
  deleteMarkupBackward,
  insertNewlineContinueMarkup,
  markdownLanguage,
} from '@codemirror/lang-markdown';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { Annotation, Compartment, EditorState, type Extension } from '@codemirror/state';
import { EditorView, type KeyBinding, keymap, type ViewUpdate } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useRef, useState } from 'react';
import { useTranslations } from 'use-intl';
import { useErrorText } from '../components/loading.tsx';
import { showToast } from '../components/use-action.tsx';
import { uploadImage } from '../images.ts';
import { getDirection } from '../languages.ts';
import { useWorkspace } from '../session.ts';
import { type FormatAction, FormatBar } from './format-bar.tsx';
import {
  insertCallout,
  insertLink,
  insertTable,
  insertVideo,
  toggleBold,
  toggleBullets,
  toggleCode,
  toggleHeading,
  toggleItalic,
  toggleNumbers,
  toggleSubheading,
} from './formatting.ts';
import { insertUpload, uploads } from './uploads.ts';

type MarkdownEditorProps = {
  labelId: string;
  describedBy: string | undefined;
  value: string;
  change: (text: string) => void;
  locale: string;
  readOnly: boolean;
  isInvalid: boolean;
  /** Called with the offset of the cursor when it moves. */
  onCursor?: ((offset: number) => void) | undefined;
  onReady?: ((view: EditorView) => void) | undefined;
};

/** Marks changes that came from the form, which need not be reported back. */
const fromForm = Annotation.define<boolean>();

/** Edits Markdown with its markers visible, in CodeMirror. Loaded when it is shown. */
export default function MarkdownEditor(props: MarkdownEditorProps) {
  const insertImages = useImages();
  const t = useTranslations('editor');
  const { holder, view, depth } = useView(props, insertImages);
  useFormText(view, props.value);
  const { readOnly, isInvalid } = props;
  const run = (action: FormatAction) => {
    if (!view) return;
    ACTIONS[action](t)(view);
    view.focus();
  };
  return (
    <div className="markdown-editor" data-invalid={isInvalid || undefined}>
      {!readOnly && (
        <FormatBar
          run={run}
          insertImages={(files) => view && insertImages(view, files, view.state.selection.main.head)}
          canUndo={depth.undo > 0}
          canRedo={depth.redo > 0}
        />
      )}
      <div ref={holder} />
    </div>
  );
}

/** Opens an editor in the holder, and keeps its attributes up to date. */
function useView(props: MarkdownEditorProps, insertImages: InsertImages) {
  const t = useTranslations('editor');
  const latest = useRef({ ...props, insertImages });
  latest.current = { ...props, insertImages };
  const holder = useRef<HTMLDivElement>(null);
  const [view, setView] = useState<EditorView>();
  const [depth, setDepth] = useState({ undo: 0, redo: 0 });

  useEffect(() => {
    if (!holder.current) return;
    const opened = new EditorView({
      parent: holder.current,
      state: EditorState.create({
        doc: latest.current.value,
        extensions: [
          createExtensions(t),
          fields.of(toAttributes(latest.current)),
          pasteAndDrop((target, files, at) => latest.current.insertImages(target, files, at), t),
          EditorView.updateListener.of((update) => {
            setDepth({ undo: undoDepth(update.state), redo: redoDepth(update.state) });
            reportToForm(update, latest.current);
          }),
        ],
      }),
    });
    setView(opened);
    latest.current.onReady?.(opened);
    return () => opened.destroy();
  }, [t]);

  const { labelId, describedBy, locale, readOnly, isInvalid } = props;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the attributes derive from these
  useEffect(() => {
    view?.dispatch({ effects: fields.reconfigure(toAttributes(latest.current)) });
  }, [view, labelId, describedBy, locale, readOnly, isInvalid]);
  return { holder, view, depth };
}

/** Reports the text and the position of the cursor to the form. */
function reportToForm(update: ViewUpdate, { change, onCursor }: MarkdownEditorProps): void {
  const isOwn = update.transactions.some((each) => each.annotation(fromForm));
  if (update.docChanged && !isOwn) change(update.state.doc.toString());
  if (update.selectionSet || update.docChanged) onCursor?.(update.state.selection.main.head);
}

/** Updates the editor when the form has changed the text. */
function useFormText(view: EditorView | undefined, value: string): void {
  useEffect(() => {
    if (!view || view.state.doc.toString() === value) return;
    view.dispatch({
      changes: { from: 0, to: view.state.doc.length, insert: value },
      annotations: fromForm.of(true),
    });
  }, [view, value]);
}

type Texts = ReturnType<typeof useTranslations<'editor'>>;

const ACTIONS: Readonly<Record<FormatAction, (t: Texts) => (view: EditorView) => boolean>> = {
  bold: () => toggleBold,
  italic: () => toggleItalic,
  heading: () => toggleHeading,
  subheading: () => toggleSubheading,
  bullets: () => toggleBullets,
  numbers: () => toggleNumbers,
  link: () => insertLink,
  code: () => toggleCode,
  table: (t) => insertTable((column) => t('tableColumn', { column })),
  callout: (t) => insertCallout(t('calloutWord')),
  video: (t) => insertVideo(t('videoWord')),
  undo: () => undo,
  redo: () => redo,
};

/** Keys of the format actions. Tab is not bound, so that it leaves the editor as it leaves every field. */
const KEYS: readonly (readonly [string, FormatAction])[] = [
  ['Mod-b', 'bold'],
  ['Mod-i', 'italic'],
  ['Mod-k', 'link'],
  ['Mod-e', 'code'],
  ['Mod-Alt-2', 'heading'],
  ['Mod-Alt-3', 'subheading'],
  ['Mod-Shift-7', 'numbers'],
  ['Mod-Shift-8', 'bullets'],
  ['Mod-Alt-t', 'table'],
  ['Mod-Alt-c', 'callout'],
  ['Mod-Shift-z', 'redo'],
];

const fields = new Compartment();

function toAttributes({ labelId, describedBy, locale, readOnly, isInvalid }: MarkdownEditorProps): Extension {
  return [
    EditorState.readOnly.of(readOnly),
    EditorView.contentAttributes.of({
      'aria-labelledby': labelId,
      // A read-only text scrolls by keyboard too.
      tabindex: '0',
      ...(describedBy ? { 'aria-describedby': describedBy } : {}),
      'aria-required': 'true',
      'aria-invalid': String(isInvalid),
      'aria-readonly': String(readOnly),
      lang: locale,
      dir: getDirection(locale),
      spellcheck: 'true',
      autocorrect: 'on',
      autocapitalize: 'sentences',
    }),
  ];
}

function createExtensions(t: Texts): Extension {
  const format = KEYS.map(([key, action]): KeyBinding => {
    return { key, run: ACTIONS[action](t), preventDefault: true, stopPropagation: true };
  });
  const lists: KeyBinding[] = [
    { key: 'Enter', run: insertNewlineContinueMarkup },
    { key: 'Backspace', run: deleteMarkupBackward },
  ];
  // Leave shortcuts of the page to the page.
  const otherKeys = defaultKeymap.filter(({ key = '' }) => !/^(?:Mod|Ctrl)-(?:Enter|\/)$/.test(key));
  return [
    EditorView.cspNonce.of(
      document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '',
    ),
    history(),
    markdownLanguage,
    syntaxHighlighting(HIGHLIGHTS),
    THEME,
    EditorView.lineWrapping,
    uploads,
    keymap.of([...format, ...lists, ...historyKeymap, ...otherKeys]),
  ];
}

const HIGHLIGHTS = HighlightStyle.define([
  { tag: tags.heading, fontWeight: '700' },
  { tag: tags.strong, fontWeight: '700' },
  { tag: tags.emphasis, fontStyle: 'italic' },
  { tag: tags.monospace, fontFamily: 'var(--mantine-font-family-monospace)' },
  { tag: [tags.link, tags.url], color: 'var(--mantine-color-anchor)' },
  { tag: [tags.processingInstruction, tags.contentSeparator], color: 'var(--mantine-color-dimmed)' },
]);

const THEME = EditorView.theme({
  '&': { fontSize: 'var(--mantine-font-size-sm)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': {
    minHeight: '16rem',
    maxHeight: '70vh',
    overflow: 'auto',
    fontFamily: 'inherit',
    lineHeight: '1.6',
  },
  '.cm-content': { padding: '12px 0', caretColor: 'var(--mantine-color-text)' },
  '.cm-line': { padding: '0 12px' },
});

type InsertImages = (view: EditorView, files: readonly File[], at: number) => void;

/** Uploads images and inserts them where they were dropped. */
function useImages(): InsertImages {
  const t = useTranslations('editor');
  const errorText = useErrorText();
  const workspace = useWorkspace();
  return (view, files, at) => {
    for (const file of files) {
      void insertUpload(view, {
        at,
        label: t('uploading', { name: file.name }),
        send: () => uploadImage(workspace, file),
        onError: (error) =>
          showToast(`${t('uploadFailed', { name: file.name })} ${errorText(error)}`, { isError: true }),
      });
    }
  };
}

const isImage = ({ type }: File) => type.startsWith('image/');

/**
 * Uploads pasted and dropped images, and converts formatted text to Markdown. Leaves pasting without formatting alone.
 */
function pasteAndDrop(insertImages: InsertImages, t: Texts): Extension {
  return EditorView.domEventHandlers({
    paste(event, view) {
      if (view.state.readOnly || !event.clipboardData) return false;
      const html = event.clipboardData.getData('text/html');
      const plain = event.clipboardData.getData('text/plain');
      const images = [...event.clipboardData.files].filter(isImage);
      // Images that come with text are pictures of that text, which Word adds.
      if (images.length > 0 && plain === '') {
        insertImages(view, images, view.state.selection.main.head);
        return true;
      }
      if (!isFormatted(html)) return false;
      void pasteFormatted(view, html, plain, t);
      return true;
    },
    drop(event, view) {
      const images = [...(event.dataTransfer?.files ?? [])].filter(isImage);
      if (view.state.readOnly || images.length === 0) return false;
      const { clientX: x, clientY: y } = event;
      insertImages(view, images, view.posAtCoords({ x, y }) ?? view.state.selection.main.head);
      return true;
    },
  });
}

/** True for HTML with formatting to keep. Code editors copy only colors, which carry no meaning. */
const isFormatted = (html: string) =>
  /<(?:p|h[1-6]|ul|ol|li|table|b|strong|em|i|a|blockquote|code)[\s>]/i.test(html) && !/vscode/i.test(html);

async function pasteFormatted(view: EditorView, html: string, plain: string, t: Texts): Promise<void> {
  const { toPastedMarkdown } = await import('./paste.ts');
  const { markdown, images } = toPastedMarkdown(html);
  view.dispatch(view.state.replaceSelection(markdown || plain), {
    userEvent: 'input.paste',
    scrollIntoView: true,
  });
  if (images > 0) showToast(t('imagesNotPasted', { count: images }));
}
