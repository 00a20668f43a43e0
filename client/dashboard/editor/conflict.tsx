import { Alert, Button, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { MemberName } from '../components/member-name.tsx';
import { RelativeTime } from '../components/relative-time.tsx';
import { TextDiff } from './text-diff.tsx';
import type { WorkingCopy } from './working-copy.ts';

type Seen = { readonly revision: number; readonly updatedAt: string; readonly updatedBy: string };

export type Field<Content> = { readonly label: string; readonly getText: (content: Content) => string };

type ConflictProps<Content extends object, S extends Seen> = {
  readonly copy: WorkingCopy<Content, S>;
  readonly getContent: (record: S) => Content;
  readonly fields: readonly Field<Content>[];
  readonly locale: string;
};

/** Shows both versions after a concurrent edit; neither is lost before the choice. */
export function Conflict<Content extends object, S extends Seen>({
  copy,
  getContent,
  fields,
  locale,
}: ConflictProps<Content, S>) {
  const t = useTranslations('editor');
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
            who: () => <MemberName id={theirs.updatedBy} />,
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
