import { ActionIcon, Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { addConversationNote, deleteConversationNote } from '../../../../generated/routes.ts';
import type { ConversationNote } from '../../../../generated/types.ts';
import { MemberName, RelativeTime } from '../../components/attribution.tsx';
import { Icon } from '../../components/icon.tsx';
import { Card, Muted } from '../../components/page.tsx';
import { useAction } from '../../components/use-action.tsx';
import { useWorkspace } from '../../session.ts';

const CHARS_MAX = 2000;
const CHANGES = ['conversations'] as const;

type NotesProps = { conversationId: string; notes: readonly ConversationNote[] };

/** What the team notes about a conversation. */
export function Notes({ conversationId, notes }: NotesProps) {
  const t = useTranslations('conversations');
  const { tenant } = useWorkspace();
  const [text, setText] = useState('');
  const add = useAction(
    () => tenant.call(addConversationNote, { params: { conversationId }, body: { text: text.trim() } }),
    { changes: CHANGES, onDone: () => setText('') },
  );
  return (
    <Card title={t('notes')} lead={t('notesLead')} wide>
      {notes.length > 0 && (
        <Stack component="ul" gap="sm" className="plain-list" aria-label={t('notes')}>
          {notes.map((note) => (
            <li key={note.id}>
              <NoteItem conversationId={conversationId} note={note} />
            </li>
          ))}
        </Stack>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (text.trim() !== '') add.mutate();
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
          <Button type="submit" variant="default" disabled={text.trim() === ''} loading={add.isPending}>
            {t('addNote')}
          </Button>
        </Stack>
      </form>
    </Card>
  );
}

function NoteItem({ conversationId, note }: { conversationId: string; note: ConversationNote }) {
  const t = useTranslations('conversations');
  const { tenant, canEdit, memberId } = useWorkspace();
  const { id: noteId, text, createdAt, createdBy } = note;
  const remove = useAction(
    () => tenant.call(deleteConversationNote, { params: { conversationId, noteId } }),
    {
      changes: CHANGES,
      done: t('noteDeleted'),
      undo: () => () => tenant.call(addConversationNote, { params: { conversationId }, body: { text } }),
    },
  );
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
          loading={remove.isPending}
          onClick={() => remove.mutate()}
        >
          <Icon name="trash" />
        </ActionIcon>
      )}
    </Group>
  );
}
