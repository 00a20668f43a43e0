import type { EditorView } from '@codemirror/view';
import { Box, Input, SegmentedControl, Skeleton, Stack, Text } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { lazy, type ReactNode, Suspense, useId, useRef, useState } from 'react';
import { useTranslations } from 'use-intl';
import { Muted } from '../components/page.tsx';
import './answer-field.css';
import { useSharedScroll } from './shared-scroll.ts';

const MarkdownEditor = lazy(() => import('./markdown-editor.tsx'));
const GuidePreview = lazy(() => import('./guide-preview.tsx'));

/** Room for two readable columns. */
const SPLIT_PIXELS = 720;

type AnswerFieldProps = {
  label: string;
  description?: string;
  value: string;
  change: (answer: string) => void;
  error: string | undefined;
  locale: string;
  readOnly: boolean;
  /** Called with the offset of the cursor when it moves. */
  onCursor?: ((offset: number) => void) | undefined;
  onReady?: ((view: EditorView) => void) | undefined;
};

/** A Markdown field beside its preview in the guide, or one of them at a time where there is no room. */
export function AnswerField(props: AnswerFieldProps) {
  const { label, description, value, error, locale, onReady } = props;
  const id = useId();
  const [view, setView] = useState<EditorView>();
  const { ref, width } = useElementSize();
  const hint = useImageHint(value);
  const describedBy = [description && `${id}-description`, hint && `${id}-hint`, error && `${id}-error`];
  return (
    <Input.Wrapper
      id={id}
      label={label}
      labelElement="div"
      labelProps={{ id: `${id}-label`, onClick: () => view?.focus() }}
      description={description}
      required
      error={error}
    >
      <Box ref={ref} mt={5}>
        <Panes
          label={label}
          width={width}
          view={view}
          editor={
            <Suspense fallback={<Skeleton h={320} />}>
              <MarkdownEditor
                {...props}
                labelId={`${id}-label`}
                describedBy={describedBy.filter(Boolean).join(' ') || undefined}
                isInvalid={error !== undefined}
                onReady={(opened) => {
                  setView(opened);
                  onReady?.(opened);
                }}
              />
            </Suspense>
          }
          preview={<Preview value={value} locale={locale} />}
        />
      </Box>
      {hint && (
        <Text size="xs" mt={4} id={`${id}-hint`} c="var(--mantine-color-error)">
          {hint}
        </Text>
      )}
    </Input.Wrapper>
  );
}

type PanesProps = {
  label: string;
  /** In pixels; 0 until it is measured. */
  width: number;
  view: EditorView | undefined;
  editor: ReactNode;
  preview: ReactNode;
};

/** Shows both, or one of them. The editor stays, with its cursor and its steps of undo, when the width changes. */
function Panes({ label, width, view, editor, preview }: PanesProps) {
  const t = useTranslations('editor');
  const pane = useRef<HTMLElement>(null);
  const [shown, setShown] = useState<'write' | 'preview'>('write');
  const isSplit = width >= SPLIT_PIXELS;
  useSharedScroll(isSplit ? view?.scrollDOM : undefined, pane);
  return (
    <>
      {width > 0 && !isSplit && (
        <SegmentedControl
          size="xs"
          mb="xs"
          aria-label={label}
          value={shown}
          onChange={(value) => setShown(value as typeof shown)}
          data={[
            { value: 'write', label: t('write') },
            { value: 'preview', label: t('preview') },
          ]}
        />
      )}
      <div className={isSplit ? 'answer-panes' : undefined}>
        <div hidden={!isSplit && shown === 'preview'}>{editor}</div>
        {isSplit && (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard
          <section ref={pane} aria-label={t('preview')} className="answer-preview" tabIndex={0}>
            {preview}
          </section>
        )}
        {!isSplit && shown === 'preview' && preview}
      </div>
    </>
  );
}

function Preview({ value, locale }: Pick<AnswerFieldProps, 'value' | 'locale'>) {
  const t = useTranslations('editor');
  if (!/\S/.test(value)) return <Text c="dimmed">{t('nothingYet')}</Text>;
  return (
    <Stack gap="xs">
      <Muted>{t('previewLead')}</Muted>
      <Suspense fallback={<Skeleton h={160} />}>
        <GuidePreview text={value} locale={locale} />
      </Suspense>
    </Stack>
  );
}

/** Asks for the missing descriptions of images. */
function useImageHint(text: string): string | undefined {
  const t = useTranslations('editor');
  const count = text.match(/!\[\s*\]\([^()\s]+\)/g)?.length ?? 0;
  return count > 0 ? t('undescribedImages', { count }) : undefined;
}
