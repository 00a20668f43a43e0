import { ActionIcon, Group, Stack } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { CHAT_LIMITS } from '../../../contract/limits/chat.ts';
import type { ConversationNote } from '../../../generated/types.ts';
import { useWorkspace } from '../session.ts';
import { Icon } from './icon.tsx';
import { Card } from './page.tsx';
import { TextForm, Written } from './text-form.tsx';
import { useAction } from './use-action.tsx';

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
      <TextForm
        label={t('note')}
        minRows={2}
        maxLength={CHAT_LIMITS.noteCharsMax}
        save={add}
        button={t('addNote')}
        variant="default"
        changes={changes}
      />
    </Card>
  );
}

type NoteItemProps = Pick<NotesProps, 'add' | 'remove' | 'changes'> & { note: ConversationNote };

function NoteItem({ note, add, remove, changes }: NoteItemProps) {
  const t = useTranslations('conversations');
  const { canEdit, memberId } = useWorkspace();
  const { id, text, createdBy } = note;
  const removing = useAction(() => remove(id), {
    changes,
    done: t('noteDeleted'),
    undo: () => () => add(text),
  });
  return (
    <Group justify="space-between" align="flex-start" wrap="nowrap" gap="xs">
      <div>
        <Written {...note} />
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
