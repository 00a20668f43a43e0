import type { visitor } from '../../contract/visitor.ts';
import type { Clock } from '../clock.ts';
import type { Handlers } from '../http/handler.ts';
import type { Store } from '../storage/store.ts';
import type { ErasedVisitors } from './erased-visitors.ts';

type Deps = { readonly store: Store; readonly clock: Clock; readonly erasedVisitors: ErasedVisitors };

export function visitorHandlers({ store, clock, erasedVisitors }: Deps): Handlers<typeof visitor> {
  return {
    async eraseVisitor({ caller }) {
      const { visitorId, mark } = caller;
      // First, so that requests under way store nothing behind the erasure.
      erasedVisitors.add(mark);
      try {
        const tombstone = { mark, atMillis: clock.now() };
        const erased = await store.in(caller.workspace.id).eraseVisitor(visitorId, tombstone);
        return { status: 200, body: { ok: true, ...erased } };
      } catch (error) {
        erasedVisitors.remove(mark);
        throw error;
      }
    },
  };
}
