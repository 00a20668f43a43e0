import type { visitor } from '../../contract/visitor.ts';
import type { Handlers } from '../http/handler.ts';
import type { Store } from '../storage/store.ts';

export function visitorHandlers({ store }: { readonly store: Store }): Handlers<typeof visitor> {
  return {
    async eraseVisitor({ caller }) {
      const erased = await store.in(caller.workspace.id).eraseVisitor(caller.visitorId);
      return { status: 200, body: { ok: true, ...erased } };
    },
  };
}
