import { Alert, Button, Group, SegmentedControl, Stack, Text, VisuallyHidden } from '@mantine/core';
import { diffLines, diffWordsWithSpace } from 'diff';
import { useMemo, useState } from 'react';
import { useTranslations } from 'use-intl';
import { RelativeTime, useActorValues } from '../components/attribution.tsx';
import type { WorkingCopy } from './working-copy.ts';

type EditedRecord = { revision: number; updatedAt: string; updatedBy: string };

export type Field<Content> = { label: string; getText: (content: Content) => string };

type ConflictProps<Content extends object, S extends EditedRecord> = {
  copy: WorkingCopy<Content, S>;
  getContent: (record: S) => Content;
  fields: readonly Field<Content>[];
  locale: string;
};

/** Shows both versions after a concurrent edit; neither is lost before the choice. */
export function Conflict<Content extends object, S extends EditedRecord>({
  copy,
  getContent,
  fields,
  locale,
}: ConflictProps<Content, S>) {
  const t = useTranslations('editor');
  const actorValues = useActorValues();
  const [view, setView] = useState('changes');
  const { theirs, content, resolve, state } = copy;
  if (!theirs || state !== 'conflict') return null;
  const other = getContent(theirs);
  const differing = fields.filter(({ getText }) => getText(content) !== getText(other));
  return (
    <Alert color="orange" variant="outline" role="alert" title={t('conflictTitle')}>
      <Stack>
        <Text>
          {t.rich('conflictLead', {
            ...actorValues(theirs.updatedBy),
            when: () => <RelativeTime at={theirs.updatedAt} />,
          })}
        </Text>
        <SegmentedControl
          aria-label={t('conflictView')}
          value={view}
          onChange={setView}
          data={[
            { value: 'changes', label: t('differences') },
            { value: 'mine', label: t('mine') },
            { value: 'theirs', label: t('theirs') },
          ]}
        />
        {differing.map(({ label, getText }) => (
          <Stack gap={4} key={label}>
            <Text fw={600}>{label}</Text>
            {view === 'changes' ? (
              <TextDiff before={getText(other)} after={getText(content)} lang={locale} />
            ) : (
              <Text className="diff" dir="auto" lang={locale}>
                {getText(view === 'mine' ? content : other)}
              </Text>
            )}
          </Stack>
        ))}
        <Text size="sm">{t('conflictHint')}</Text>
        <Group>
          <Button onClick={() => resolve(content)}>{t('keepMine')}</Button>
          <Button variant="default" onClick={() => resolve(other)}>
            {t('useTheirs')}
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}

/** Longer texts are compared by line: comparing words would block the page. */
const WORDS_CHARS_MAX = 20_000;

type TextDiffProps = {
  before: string;
  after: string;
  lang?: string | undefined;
};

/** Marks additions and deletions by color, stroke and hidden text. */
export function TextDiff({ before, after, lang }: TextDiffProps) {
  const t = useTranslations('editor');
  const parts = useMemo(() => {
    const isLong = before.length + after.length > WORDS_CHARS_MAX;
    const parts = isLong
      ? diffLines(before, after, { timeout: 1000 })
      : diffWordsWithSpace(before, after, { timeout: 1000 });
    return (
      parts ?? [
        { value: before, removed: true, added: false },
        { value: after, added: true, removed: false },
      ]
    );
  }, [before, after]);
  if (before === after) return <Text c="dimmed">{t('same')}</Text>;
  return (
    <Text component="div" className="diff" dir="auto" lang={lang}>
      {parts.map((part, index) => {
        const id = `${index}:${part.value.length}`;
        if (part.added)
          return (
            <ins key={id}>
              <VisuallyHidden>{t('added')} </VisuallyHidden>
              {part.value}
            </ins>
          );
        if (part.removed)
          return (
            <del key={id}>
              <VisuallyHidden>{t('removed')} </VisuallyHidden>
              {part.value}
            </del>
          );
        return <span key={id}>{part.value}</span>;
      })}
    </Text>
  );
}
