import { Text, VisuallyHidden } from '@mantine/core';
import { diffLines, diffWordsWithSpace } from 'diff';
import { useMemo } from 'react';
import { useTranslations } from 'use-intl';

/** Longer texts are compared by line: comparing words would block the page. */
const WORDS_CHARS_MAX = 20_000;

type TextDiffProps = {
  readonly before: string;
  readonly after: string;
  readonly lang?: string | undefined;
};

/** Marks additions and deletions by color, stroke and hidden text. */
export function TextDiff({ before, after, lang }: TextDiffProps) {
  const t = useTranslations('editor');
  const parts = useMemo(() => {
    const long = before.length + after.length > WORDS_CHARS_MAX;
    const found = long
      ? diffLines(before, after, { timeout: 1000 })
      : diffWordsWithSpace(before, after, { timeout: 1000 });
    return (
      found ?? [
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
