import { useNavigate } from '@tanstack/react-router';
import { queries, SESSION } from '../queries.ts';
import { account } from '../service.ts';

/** Out of a workspace that the person does not belong to any more: into another one, or to the sign-in. */
export function useLeaveWorkspace(): () => Promise<void> {
  const navigate = useNavigate();
  return async () => {
    const session = await account.session();
    if (session) {
      queries.setQueryData(SESSION, session);
      await navigate({ to: '/', ignoreBlocker: true });
      return;
    }
    await navigate({ to: '/sign-in', ignoreBlocker: true });
    queries.clear();
    queries.setQueryData(SESSION, null);
  };
}
