import type { EditorView } from '@codemirror/view';
import { Input, Skeleton, Stack, Tabs, Text } from '@mantine/core';
import { lazy, Suspense, useId, useRef } from 'react';
import { useTranslations } from 'use-intl';
import { Muted } from '../components/page.tsx';

const MarkdownEditor = lazy(() => import('./markdown-editor.tsx'));
const GuidePreview = lazy(() => import('./guide-preview.tsx'));

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

/** A Markdown field with a preview in the guide. */
export function AnswerField(props: AnswerFieldProps) {
  const { label, description, value, error, locale, onReady } = props;
  const t = useTranslations('editor');
  const id = useId();
  const view = useRef<EditorView>(null);
  const undescribed = countUndescribed(value);
  const hint = undescribed > 0 ? t('undescribedImages', { count: undescribed }) : undefined;
  const describedBy = [description && `${id}-description`, hint && `${id}-hint`, error && `${id}-error`];
  return (
    <Tabs defaultValue="write">
      <Tabs.List>
        <Tabs.Tab value="write">{label}</Tabs.Tab>
        <Tabs.Tab value="preview">{t('preview')}</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="write" pt="sm" keepMounted>
        <Input.Wrapper
          id={id}
          label={label}
          labelElement="div"
          labelProps={{ id: `${id}-label`, onClick: () => view.current?.focus() }}
          description={description}
          required
          error={error}
        >
          <Suspense fallback={<Skeleton h={320} />}>
            <MarkdownEditor
              {...props}
              labelId={`${id}-label`}
              describedBy={describedBy.filter(Boolean).join(' ') || undefined}
              isInvalid={error !== undefined}
              onReady={(opened) => {
                view.current = opened;
                onReady?.(opened);
              }}
            />
          </Suspense>
          {hint && (
            <Text size="xs" mt={4} id={`${id}-hint`} c="var(--mantine-color-error)">
              {hint}
            </Text>
          )}
        </Input.Wrapper>
      </Tabs.Panel>
      <Tabs.Panel value="preview" pt="sm" keepMounted={false}>
        {/\S/.test(value) ? (
          <Stack gap="xs">
            <Muted>{t('previewLead')}</Muted>
            <Suspense fallback={<Skeleton h={160} />}>
              <GuidePreview text={value} locale={locale} />
            </Suspense>
          </Stack>
        ) : (
          <Text c="dimmed">{t('nothingYet')}</Text>
        )}
      </Tabs.Panel>
    </Tabs>
  );
}

const countUndescribed = (text: string) => text.match(/!\[\s*\]\([^()\s]+\)/g)?.length ?? 0;
