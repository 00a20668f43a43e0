import { Alert, Button, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { Moment } from '../components/moment.tsx';
import { Person } from '../components/person.tsx';
import { TextDiff } from './text-diff.tsx';
import type { WorkingCopy } from './working-copy.ts';

type Seen = { readonly revision: number; readonly updatedAt: string; readonly updatedBy: string };

/** A part of a text by the name that its field has. */
export type Field<Content> = { readonly label: string; readonly textOf: (content: Content) => string };

type ConflictProps<Content extends object, S extends Seen> = {
  readonly copy: WorkingCopy<Content, S>;
  readonly contentOf: (record: S) => Content;
  readonly fields: readonly Field<Content>[];
  readonly locale: string;
};

/** Two people wrote at once: both texts, and the choice between them. Nothing of either is lost before it is made. */
export function Conflict<Content extends object, S extends Seen>({
  copy,
  contentOf,
  fields,
  locale,
}: ConflictProps<Content, S>) {
  const t = useTranslations('editing');
  const [view, setView] = useState('changes');
  const { theirs, content, settle } = copy;
  if (!theirs) return null;
  const other = contentOf(theirs);
  const differing = fields.filter(({ textOf }) => textOf(content) !== textOf(other));
  return (
    <Alert color="orange" variant="outline" role="alert" title={t('conflictTitle')}>
      <Stack>
        <Text>
          {t.rich('conflictLead', {
            who: () => <Person id={theirs.updatedBy} />,
            when: () => <Moment at={theirs.updatedAt} />,
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
        {differing.map(({ label, textOf }) => (
          <Stack gap={4} key={label}>
            <Text fw={600}>{label}</Text>
            {view === 'changes' ? (
              <TextDiff before={textOf(other)} after={textOf(content)} lang={locale} />
            ) : (
              <Text className="diff" dir="auto" lang={locale}>
                {textOf(view === 'mine' ? content : other)}
              </Text>
            )}
          </Stack>
        ))}
        <Text size="sm">{t('conflictHint')}</Text>
        <Group>
          <Button onClick={() => settle(content)}>{t('keepMine')}</Button>
          <Button variant="default" onClick={() => settle(other)}>
            {t('takeTheirs')}
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}
