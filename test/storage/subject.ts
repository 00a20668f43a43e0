import type { Store } from '../../server/storage/store.ts';

/** The store of the running test, and two workspaces in it. */
export type Subject = {
  readonly store: Store;
  readonly here: string;
  readonly there: string;
  readonly reopen: () => Promise<Store>;
};
