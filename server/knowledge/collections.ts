import type { collections } from '../../contract/collections.ts';
import { ARTICLE_LIMITS } from '../../contract/limits/articles.ts';
import type { Clock } from '../base/clock.ts';
import { newId } from '../base/ids.ts';
import { throwApiError } from '../http/errors.ts';
import type { Handlers, MemberCaller } from '../http/handler.ts';
import type { AuditEntry } from '../storage/audit.ts';
import type { Store } from '../storage/store.ts';
import { normalizeCollectionName } from './collection-and-tag-names.ts';

type CollectionsDeps = { store: Pick<Store, 'in'>; clock: Clock };

export function collectionsHandlers({ store, clock }: CollectionsDeps): Handlers<typeof collections> {
  const getCollections = ({ workspace }: MemberCaller) => store.in(workspace.id).collections;
  const toAuditEntry = (
    { memberId: actor }: MemberCaller,
    event: 'created' | 'renamed' | 'deleted',
    subject: string,
    details: AuditEntry['details'],
  ): AuditEntry => ({
    id: newId('aud'),
    atMillis: clock.now(),
    actor,
    action: `collection.${event}`,
    subject,
    details,
  });
  const getCollection = async (collectionId: string, caller: MemberCaller) =>
    (await getCollections(caller).list()).find(({ id }) => id === collectionId) ??
    throwApiError('collection/not_found');

  return {
    async listCollections({ caller }) {
      return { status: 200, body: { data: [...(await getCollections(caller).list())] } };
    },

    async createCollection({ caller, body }) {
      const [id, name] = [newId('col'), normalizeCollectionName(body.name)];
      const row = { id, name, createdAt: clock.now(), createdBy: caller.memberId };
      const audit = toAuditEntry(caller, 'created', id, { name });
      const outcome = await getCollections(caller).create(row, ARTICLE_LIMITS.collectionsMax, audit);
      if (outcome !== 'created') throwApiError(`collection/${outcome}`);
      return { status: 201, body: { id, name, articles: 0 } };
    },

    async renameCollection({ caller, params: { collectionId }, body }) {
      const before = await getCollection(collectionId, caller);
      const name = normalizeCollectionName(body.name);
      const audit = toAuditEntry(caller, 'renamed', collectionId, { before: before.name, after: name });
      const outcome = await getCollections(caller).rename(
        collectionId,
        name,
        ARTICLE_LIMITS.earlierSlugsMax,
        audit,
      );
      if (outcome === 'gone') throwApiError('collection/not_found');
      if (outcome === 'name_taken') throwApiError('collection/name_taken');
      return { status: 200, body: { ...before, name } };
    },

    async deleteCollection({ caller, params: { collectionId } }) {
      const { name, articles } = await getCollection(collectionId, caller);
      const audit = toAuditEntry(caller, 'deleted', collectionId, { name, articles });
      const outcome = await getCollections(caller).remove(collectionId, audit);
      if (outcome === 'gone') throwApiError('collection/not_found');
      return { status: 200, body: { ok: true } };
    },

    async listTags({ caller }) {
      const tags = await getCollections(caller).listTags();
      return { status: 200, body: { data: tags.slice(0, ARTICLE_LIMITS.tagsListedMax) } };
    },
  };
}
