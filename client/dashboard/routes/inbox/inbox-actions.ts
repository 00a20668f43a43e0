import { useTranslations } from 'use-intl';
import type { InboxAskAgain, InboxChange, InboxGroup } from '../../../sdk/types.ts';
import { useAction } from '../../components/use-action.tsx';
import { queries, useWorkspace } from '../../session.ts';

type Changing = { group: InboxGroup; change: InboxChange };

/** Actions of members on a group of questions. */
export function useInboxActions() {
  const t = useTranslations('inbox');
  const { tenant, tenantId } = useWorkspace();
  const changes = ['inbox'];
  const change = useAction(({ group, change }: Changing) => tenant.inbox.change(group.id, change), {
    changes,
    done: () => t('saved'),
    undo:
      (_, { group, change }) =>
      () =>
        tenant.inbox.change(group.id, toUndo(group, change)),
  });
  const askAgain = useAction((group: InboxGroup) => tenant.inbox.askAgain(group.id), {
    changes,
    done: ({ results }) =>
      t('result', { asked: results.length, answered: results.filter(({ after }) => after.answered).length }),
    onDone: (reply, { id }) => void queries.setQueryData(toResultKey(tenantId, id), reply),
  });
  return { change, askAgain };
}

const toResultKey = (tenantId: string, groupId: string) => ['asked-again', tenantId, groupId];

/** Results of asking a group again on this page. */
export const getAskedAgain = (tenantId: string, groupId: string) =>
  queries.getQueryData<InboxAskAgain>(toResultKey(tenantId, groupId));

function toUndo(group: InboxGroup, change: InboxChange): InboxChange {
  return {
    ...(change.state && { state: group.state === 'assigned' ? 'open' : group.state }),
    ...(change.assigneeId !== undefined && { assigneeId: group.assigneeId ?? null }),
    ...(change.articleId !== undefined && { articleId: group.articleId ?? null }),
  };
}
