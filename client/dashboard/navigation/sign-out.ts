import { useNavigate } from '@tanstack/react-router';
import { sendDeferred, useAction } from '../components/use-action.tsx';
import { deleteAllDrafts } from '../editor/draft.ts';
import { account, announceSignOut, endWaiting, queries, SESSION } from '../session.ts';

/** Ends the session, after what still waits has been sent. */
export function useSignOut() {
  const navigate = useNavigate();
  const signOut = async () => {
    await sendDeferred();
    await account.signOut();
  };
  return useAction(signOut, {
    onDone: async () => {
      deleteAllDrafts();
      announceSignOut();
      await navigate({ to: '/sign-in' });
      forgetSession();
    },
  });
}

/** Leaves nothing of the session on this device. */
export function forgetSession(): void {
  // The session stays, as null, because the open page watches it.
  queries.setQueryData(SESSION, null);
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION[0] });
  endWaiting(false);
}
