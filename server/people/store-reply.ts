import { HANDOVER_LIMITS } from '../../contract/limits/handovers.ts';
import type { Clock } from '../base/clock.ts';
import { newId } from '../base/ids.ts';
import type { HandoverReply } from '../storage/handovers.ts';
import type { Store } from '../storage/store.ts';
import type { Workspace } from '../storage/workspaces.ts';
import type { ComposeMail } from './compose-mail.ts';
import { toRepliedNotices } from './handover-notices.ts';

export type ReplyDeps = { store: Pick<Store, 'in'>; clock: Clock; composeMail: ComposeMail };

/** Stores a reply of the team, with the mail to the visitor and the event about it. */
export async function storeReply(
  workspace: Workspace,
  { handoverId, id, text, createdBy }: Omit<HandoverReply, 'createdAt'>,
  { store, clock, composeMail }: ReplyDeps,
) {
  const reply: HandoverReply = { id, handoverId, text, createdAt: clock.now(), createdBy };
  const entry = {
    ...{ id: newId('aud'), atMillis: reply.createdAt, actor: createdBy },
    ...{ action: 'handover.replied', subject: handoverId, details: { reply: id } },
  };
  const rows = store.in(workspace.id).handovers;
  const handover = await rows.find(handoverId);
  if (!handover) return { outcome: 'gone' as const, reply };
  const notices = await toRepliedNotices(handover, reply, workspace, composeMail);
  return { outcome: await rows.reply(reply, HANDOVER_LIMITS.repliesMax, entry, notices), reply };
}
