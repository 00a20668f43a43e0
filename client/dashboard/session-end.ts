import { useSyncExternalStore } from 'react';

/** Pending while an open page, whose session has ended, waits until its user signs in again. */

let pendingSignIn: PromiseWithResolvers<boolean> | undefined;
const listeners = new Set<() => void>();

const notifyListeners = () => {
  for (const listener of listeners) listener();
};

/** Asks the user to sign in again. Resolves to true once the same person has. */
export function waitForSignIn(): Promise<boolean> {
  if (!pendingSignIn) {
    pendingSignIn = Promise.withResolvers<boolean>();
    notifyListeners();
  }
  return pendingSignIn.promise;
}

export function endWaiting(isSamePerson: boolean): void {
  pendingSignIn?.resolve(isSamePerson);
  pendingSignIn = undefined;
  notifyListeners();
}

export const useIsSessionOver = () => useSyncExternalStore(subscribe, () => pendingSignIn !== undefined);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const SIGNED_OUT = 'guidepost-signed-out';

/** Makes the other tabs stop showing the data of this account. */
export function announceSignOut(): void {
  try {
    localStorage.setItem(SIGNED_OUT, String(Date.now()));
  } catch {
    // Without storage, the other tabs notice with their next request.
  }
}

export function onSignOutElsewhere(react: () => void): () => void {
  const listener = ({ key }: StorageEvent) => key === SIGNED_OUT && react();
  addEventListener('storage', listener);
  return () => removeEventListener('storage', listener);
}
