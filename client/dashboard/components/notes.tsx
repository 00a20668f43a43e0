import { ActionIcon, Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import type { ConversationNote } from '../../../generated/types.ts';
import { useWorkspace } from '../session.ts';
import { MemberName, RelativeTime } from './attribution.tsx';
import { Icon } from './icon.tsx';
import { Card, Muted } from './page.tsx';
import { useAction } from './use-action.tsx';

const CHARS_MAX = 2000;

type NotesProps = {
  lead: string;
  notes: readonly ConversationNote[];
  add: (text: string) => Promise<unknown>;
  remove: (noteId: string) => Promise<unknown>;
  /** The queries that have the notes. */
  changes: readonly string[];
};

/** What the team notes about a conversation or a handover. */
export function Notes({ lead, notes, add, remove, changes }: NotesProps) {
  const t = useTranslations('conversations');
  const [text, setText] = useState('');
  const adding = useAction(() => add(text.trim()), { changes, onDone: () => setText('') });
  return (
    <Card title={t('notes')} lead={lead} wide>
      {notes.length > 0 && (
        <Stack component="ul" gap="sm" className="plain-list" aria-label={t('notes')}>
          {notes.map((note) => (
            <li key={note.id}>
              <NoteItem note={note} add={add} remove={remove} changes={changes} />
            </li>
          ))}
        </Stack>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (text.trim() !== '') adding.mutate();
        }}
      >
        <Stack gap="xs" align="flex-start">
          <Textarea
            label={t('note')}
            w="100%"
            autosize
            minRows={2}
            maxLength={CHARS_MAX}
            dir="auto"
            value={text}
            onChange={({ currentTarget }) => setText(currentTarget.value)}
          />
          <Button type="submit" variant="default" disabled={text.trim() === ''} loading={adding.isPending}>
            {t('addNote')}
          </Button>
        </Stack>
      </form>
    </Card>
  );
}

type NoteItemProps = Pick<NotesProps, 'add' | 'remove' | 'changes'> & { note: ConversationNote };

function NoteItem({ note, add, remove, changes }: NoteItemProps) {
  const t = useTranslations('conversations');
  const { canEdit, memberId } = useWorkspace();
  const { id, text, createdAt, createdBy } = note;
  const removing = useAction(() => remove(id), {
    changes,
    done: t('noteDeleted'),
    undo: () => () => add(text),
  });
  return (
    <Group justify="space-between" align="flex-start" wrap="nowrap" gap="xs">
      <div>
        <Text dir="auto" className="wrapped">
          {text}
        </Text>
        <Muted component="div">
          <MemberName id={createdBy} /> · <RelativeTime at={createdAt} />
        </Muted>
      </div>
      {(canEdit || createdBy === memberId) && (
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={t('deleteNote')}
          loading={removing.isPending}
          onClick={() => removing.mutate()}
        >
          <Icon name="trash" />
        </ActionIcon>
      )}
    </Group>
  );
}
