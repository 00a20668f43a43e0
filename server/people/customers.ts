import { randomBytes } from 'node:crypto';
import type { CustomerKey, customers } from '../../contract/customers.ts';
import { CUSTOMER_LIMITS } from '../../contract/limits/customers.ts';
import type { NamedServers } from '../base/address-guard.ts';
import { type Clock, toIsoString } from '../base/clock.ts';
import { newId } from '../base/ids.ts';
import { throwApiError, throwInvalidRequest } from '../http/errors.ts';
import type { Handlers } from '../http/handler.ts';
import type { StoredCustomerKey } from '../storage/customer-keys.ts';
import type { Store } from '../storage/store.ts';
import type { SecretBox } from '../tokens/sealed-text.ts';
import type { VisitorIds } from '../tokens/visitor-token.ts';
import { type EraseVisitor, findCustomer } from '../visitors/visitor.ts';
import { createMemberAudit } from '../workspaces/audit-trail.ts';
import { requireServerAddress } from './server-address.ts';
import { toSecretOwner, toTokenResult, type UserTokens } from './user-token.ts';

type Deps = {
  store: Pick<Store, 'in'>;
  clock: Clock;
  secrets: SecretBox;
  visitorIds: VisitorIds;
  keySetServers: NamedServers;
  eraseVisitor: EraseVisitor;
  userTokens: UserTokens;
};

export function customerHandlers(deps: Deps): Handlers<typeof customers> {
  const { store, clock } = deps;

  const toAudit = createMemberAudit(clock);

  return {
    async listCustomerKeys({ caller }) {
      const keys = await store.in(caller.workspace.id).customerKeys.list();
      return { status: 200, body: { data: keys.map(toBody) } };
    },

    async createCustomerKey({ caller, body, ctx }) {
      const url = await parseKeySetUrl(body, deps.keySetServers);
      const id = newId('ck');
      const secret = url === undefined ? `cks_${randomBytes(32).toString('base64url')}` : undefined;
      const sealedSecret = secret && (await deps.secrets.seal(secret, toSecretOwner(id)));
      const key = {
        id,
        kind: body.kind,
        ...(sealedSecret && { sealedSecret }),
        ...(url !== undefined && { url }),
        createdAt: clock.now(),
        createdBy: caller.memberId,
      };
      const audit = toAudit(caller, ctx, 'customer_key.created', id, { kind: body.kind });
      const created = await store
        .in(caller.workspace.id)
        .customerKeys.create(key, CUSTOMER_LIMITS.keysMax, audit);
      if (created === 'too_many') return throwApiError('customer/too_many_keys');
      return { status: 201, body: { ...toBody(key), ...(secret && { secret }) } };
    },

    async deleteCustomerKey({ caller, params, ctx }) {
      const audit = toAudit(caller, ctx, 'customer_key.deleted', params.keyId);
      const deleted = await store.in(caller.workspace.id).customerKeys.delete(params.keyId, audit);
      return deleted === 'gone'
        ? throwApiError('customer/key_not_found')
        : { status: 200, body: { ok: true } };
    },

    async checkUserToken({ caller, body }) {
      const read = await deps.userTokens.read(caller.workspace, body.token);
      const result = toTokenResult(read);
      if (typeof read === 'string') return { status: 200, body: { result, problem: read } };
      const { sub, customer, dropped, expiresAtSeconds } = read;
      const { name, email, attributes = [] } = customer;
      return {
        status: 200,
        body: {
          result,
          customer: {
            ...{ sub, name, email, attributes: [...attributes] },
            dropped: dropped.slice(0, CUSTOMER_LIMITS.droppedClaimsMax),
            expiresAt: toIsoString(expiresAtSeconds * 1000),
          },
        },
      };
    },

    async findCustomer({ caller, body }) {
      const { visitorId } = await findCustomer(deps, caller.workspace.id, body.sub);
      return { status: 200, body: { visitorId } };
    },

    async eraseCustomer({ caller, body, ctx }) {
      const workspaceId = caller.workspace.id;
      const { visitorId, erasureKey } = await findCustomer(deps, workspaceId, body.sub);
      const erased = await deps.eraseVisitor(workspaceId, { visitorId, erasureKey });
      await store.in(workspaceId).audit.append(toAudit(caller, ctx, 'customer.erased', workspaceId));
      return { status: 200, body: { ok: true, ...erased } };
    },
  };
}

/** Undefined for a secret. Without TLS, anybody on the way could replace the keys. */
async function parseKeySetUrl(
  { kind, url }: { kind: CustomerKey['kind']; url?: string | undefined },
  servers: NamedServers,
): Promise<string | undefined> {
  const isWanted = kind === 'key_set';
  if (isWanted !== (url !== undefined)) {
    const message = isWanted ? 'A key set needs its address.' : 'A secret has no address.';
    return throwInvalidRequest({ path: 'body.url', code: 'custom', message });
  }
  if (url === undefined) return undefined;
  return requireServerAddress(url, servers);
}

const toBody = ({ id, kind, url, createdAt, createdBy }: StoredCustomerKey): CustomerKey => ({
  id,
  kind,
  ...(url !== undefined && { url }),
  createdAt: toIsoString(createdAt),
  createdBy,
});
