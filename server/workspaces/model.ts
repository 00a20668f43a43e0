import { WORKSPACE_LIMITS } from '../../contract/limits/workspace.ts';
import type { ModelInUse, models, WorkspaceModelChange } from '../../contract/model.ts';
import { type Clock, toIsoString } from '../base/clock.ts';
import { type ModelDraft, type TriedModel, TURN_TOKENS_MIN } from '../engine/engine.ts';
import { throwApiError, throwInvalidRequest } from '../http/errors.ts';
import type { Handlers } from '../http/handler.ts';
import type { Store } from '../storage/store.ts';
import type { StoredModel } from '../storage/workspace-models.ts';
import { type SecretBox, toKeyOwner } from '../tokens/sealed-text.ts';
import { createMemberAudit } from './audit-trail.ts';
import type { TokenBudget } from './token-budget.ts';

/** The language models of workspaces. Their keys are written and never read back. */

type Deps = {
  store: Pick<Store, 'in'>;
  clock: Clock;
  secrets: SecretBox;
  tokenBudget: TokenBudget;
  /** Whether the installation has a model. */
  hasModel: boolean;
  /** Returns the address in canonical form; undefined for one that may not be used. */
  parseModelAddress: (baseUrl: string) => string | undefined;
  /** Tries a draft, else the model that answers in the workspace, or says why that one cannot be used. */
  tryModel: (
    workspaceId: string,
    draft: ModelDraft | undefined,
    signal: AbortSignal,
  ) => Promise<TriedModel | 'key_unreadable' | 'address_not_allowed'>;
};

export function modelHandlers(deps: Deps): Handlers<typeof models> {
  const { store, clock } = deps;

  async function describe(workspaceId: string): Promise<ModelInUse> {
    const stored = await store.in(workspaceId).model.get();
    if (!stored) return { source: deps.hasModel ? 'installation' : 'none' };
    const { provider, baseUrl, model, rewriteModel, keySetAt, sealedKey } = stored;
    const isReadable = (await deps.secrets.open(sealedKey, toKeyOwner(workspaceId, baseUrl))) !== undefined;
    return {
      source: 'workspace',
      own: {
        provider,
        baseUrl,
        model,
        rewriteModel,
        ...(isReadable && { keySetAt: toIsoString(keySetAt) }),
      },
    };
  }

  const toAudit = createMemberAudit(clock);

  return {
    readModel: async ({ caller }) => ({ status: 200, body: await describe(caller.workspace.id) }),

    async setModel({ caller, body, ctx }) {
      const { id } = caller.workspace;
      const { key, ...change } = body;
      const stored = await store.in(id).model.get();
      const baseUrl = deps.parseModelAddress(change.baseUrl);
      if (baseUrl === undefined) return throwRefusedAddress();
      const sealed = await sealKey(deps, id, baseUrl, key, stored, clock);
      if (!sealed) return throwMissingKey();
      const model = { ...change, baseUrl };
      const isNewKey = key === undefined ? {} : { key: 'changed' };
      await store
        .in(id)
        .model.set(
          { ...model, ...sealed },
          toAudit(caller, ctx, 'workspace.model_changed', id, { ...model, ...isNewKey }),
        );
      return { status: 200, body: await describe(id) };
    },

    async removeModel({ caller, ctx }) {
      const { id } = caller.workspace;
      await store.in(id).model.remove(toAudit(caller, ctx, 'workspace.model_removed', id));
      return { status: 200, body: await describe(id) };
    },

    async testModel({ caller, body, ctx }) {
      const { id } = caller.workspace;
      const stored = await store.in(id).model.get();
      const draft = body.draft && (await toDraft(deps, id, body.draft, stored));
      const isOwn = draft !== undefined || stored !== undefined;
      if (!isOwn && !deps.hasModel) return throwApiError('model/none');
      const allowance = await deps.tokenBudget.reserve(caller.workspace, {}, isOwn);
      try {
        if (allowance.tokensMax < TURN_TOKENS_MIN) return reportUnusable('budget');
        const timeout = AbortSignal.timeout(WORKSPACE_LIMITS.modelTestSeconds * 1000);
        const tried = await deps.tryModel(id, draft, AbortSignal.any([ctx.signal, timeout]));
        if (tried === 'key_unreadable') return reportUnusable(tried, 'key');
        if (tried === 'address_not_allowed') return reportUnusable(tried, 'address');
        allowance.spend(tried.usage);
        return { status: 200, body: { checks: [...tried.checks] } };
      } finally {
        await allowance.settle();
      }
    },
  };
}

/** Reports a model that was not asked. */
const reportUnusable = (reason: string, setting?: 'key' | 'address') => {
  const check = { name: 'answer', status: 'failed', reason, ...(setting && { setting }) } as const;
  return { status: 200 as const, body: { checks: [check] } };
};

function throwRefusedAddress(path = 'body'): never {
  const message = 'Expected an https address of a public server, without user, query and fragment.';
  return throwInvalidRequest({ path: `${path}.baseUrl`, code: 'address_not_allowed', message });
}

function throwMissingKey(path = 'body'): never {
  const message = 'Send the key: none is stored for this address.';
  return throwInvalidRequest({ path: `${path}.key`, code: 'key_required', message });
}

/** A draft without a key has the stored one, as when it is saved. */
async function toDraft(
  { parseModelAddress, secrets }: Pick<Deps, 'parseModelAddress' | 'secrets'>,
  workspaceId: string,
  { key, ...change }: WorkspaceModelChange,
  stored: StoredModel | undefined,
): Promise<ModelDraft> {
  const baseUrl = parseModelAddress(change.baseUrl);
  if (baseUrl === undefined) return throwRefusedAddress('body.draft');
  const apiKey = key ?? (stored && (await secrets.open(stored.sealedKey, toKeyOwner(workspaceId, baseUrl))));
  if (apiKey === undefined) return throwMissingKey('body.draft');
  return { ...change, rewriteModel: change.rewriteModel, baseUrl, apiKey };
}

/** Seals a new key, or keeps the stored one if it is for this address; undefined when there is none. */
async function sealKey(
  { secrets }: Pick<Deps, 'secrets'>,
  workspaceId: string,
  baseUrl: string,
  key: string | undefined,
  stored: StoredModel | undefined,
  clock: Clock,
): Promise<Pick<StoredModel, 'sealedKey' | 'keySetAt'> | undefined> {
  const owner = toKeyOwner(workspaceId, baseUrl);
  if (key !== undefined) return { sealedKey: await secrets.seal(key, owner), keySetAt: clock.now() };
  if (!stored || (await secrets.open(stored.sealedKey, owner)) === undefined) return undefined;
  return { sealedKey: stored.sealedKey, keySetAt: stored.keySetAt };
}
