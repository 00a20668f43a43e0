import { and, asc, isNull, sql } from 'drizzle-orm';
import type { SqlDatabase } from './database.ts';
import { conversationNotes, conversations } from './schema/index.ts';
import { db, input, insertInto, matches, rawStatement, type Stored, statement } from './statements.ts';

/** Notes of the team on conversations that may be kept. */
export type ConversationNote = Omit<Stored<typeof conversationNotes>, 'workspaceId'>;

export function sqlConversationNotes({ read, write }: SqlDatabase) {
  return (workspaceId: string) => ({
    /** Lists the notes of a conversation, oldest first. */
    list: (conversationId: string) =>
      read(workspaceId, (tx) => tx.all(ofConversation, { workspaceId, conversationId })),

    /** Adds a note unless the conversation is gone or has `notesMax` notes. */
    add: (note: ConversationNote, notesMax: number) =>
      write(workspaceId, async (tx) => {
        const { conversationId } = note;
        if (!(await tx.get(kept, { workspaceId, id: conversationId }))) return 'gone';
        if ((await tx.get(count, { workspaceId, conversationId }))!.count >= notesMax) return 'too_many';
        await tx.run(insert, { ...note, workspaceId });
        return 'added';
      }),

    /** Removes a note. With `author`, only one that this member wrote. */
    remove: (conversationId: string, id: string, author?: string) =>
      write(workspaceId, async (tx) => {
        const note = await tx.get(one, { workspaceId, conversationId, id });
        if (!note) return 'gone';
        if (author !== undefined && note.createdBy !== author) return 'not_author';
        await tx.run(remove, { workspaceId, id });
        return 'removed';
      }),
  });
}

const isOfConversation = matches(conversationNotes.workspaceId, conversationNotes.conversationId);
const ofConversation = statement(() =>
  db.select().from(conversationNotes).where(isOfConversation).orderBy(asc(conversationNotes.id)),
);
const one = statement(() =>
  db
    .select()
    .from(conversationNotes)
    .where(and(isOfConversation, matches(conversationNotes.id))),
);
const kept = statement(() =>
  db
    .select({ id: conversations.id })
    .from(conversations)
    .where(
      and(matches(conversations.workspaceId, conversations.id), isNull(conversations.deleteAfterMillis)),
    ),
);
const count = rawStatement<{ count: number }>(
  sql`SELECT count(*) FROM conversation_notes
    WHERE workspace_id = ${input('workspaceId')} AND conversation_id = ${input('conversationId')}`,
  'count',
);
const insert = insertInto(conversationNotes);
const remove = statement(() =>
  db.delete(conversationNotes).where(matches(conversationNotes.workspaceId, conversationNotes.id)),
);
