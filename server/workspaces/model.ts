import { WORKSPACE_LIMITS } from '../../contract/limits/workspace.ts';
import type { ModelInUse, models, WorkspaceModelChange } from '../../contract/model.ts';
import { type Clock, toIsoString } from '../base/clock.ts';
import { newId } from '../base/ids.ts';
import { loadModels, TURN_TOKENS_MIN } from '../engine/open-engine.ts';
import { tryModel } from '../engine/try-model.ts';
import type { OwnModel } from '../engine/workspace-engines.ts';
import { throwApiError, throwInvalidRequest } from '../http/errors.ts';
import type { Handlers, MemberCaller, RequestContext } from '../http/handler.ts';
import type { LlmSettings, ModelLimits } from '../settings/model.ts';
import type { Store } from '../storage/store.ts';
import type { StoredModel } from '../storage/workspace-models.ts';
import type { ModelKeys } from '../tokens/model-keys.ts';
import { toAuditOrigin } from './audit-trail.ts';
import type { ModelAddresses } from './model-address.ts';
import type { TokenBudget } from './token-budget.ts';

/** The language models of workspaces. Their keys are written and never read back. */

type OwnModels = {
  store: Pick<Store, 'in'>;
  modelKeys: ModelKeys;
  modelAddresses: ModelAddresses;
  modelLimits: ModelLimits;
};

type Deps = OwnModels & {
  clock: Clock;
  /** The installation's model. */
  llm: LlmSettings | undefined;
  tokenBudget: TokenBudget;
};

export function modelHandlers(deps: Deps): Handlers<typeof models> {
  const { store, clock, llm } = deps;

  async function describe(workspaceId: string): Promise<ModelInUse> {
    const stored = await store.in(workspaceId).model.get();
    if (!stored) return { source: llm ? 'installation' : 'none' };
    const { provider, baseUrl, model, rewriteModel, keySetAt, sealedKey } = stored;
    const isReadable = (await deps.modelKeys.open(sealedKey, { workspaceId, baseUrl })) !== undefined;
    return {
      source: 'workspace',
      own: {
        provider: provider as WorkspaceModelChange['provider'],
        baseUrl,
        model,
        rewriteModel,
        ...(isReadable && { keySetAt: toIsoString(keySetAt) }),
      },
    };
  }

  const toAudit = (caller: MemberCaller, ctx: RequestContext, action: string, details: object) => ({
    id: newId('aud'),
    atMillis: clock.now(),
    actor: caller.memberId,
    action,
    subject: caller.workspace.id,
    details: details as Readonly<Record<string, string>>,
    ...toAuditOrigin(ctx),
  });

  return {
    readModel: async ({ caller }) => ({ status: 200, body: await describe(caller.workspace.id) }),

    async setModel({ caller, body, ctx }) {
      const { id } = caller.workspace;
      const { key, ...change } = body;
      const stored = await store.in(id).model.get();
      const baseUrl = deps.modelAddresses.parse(change.baseUrl);
      if (baseUrl === undefined) return throwRefusedAddress();
      const sealed = await sealKey(deps, id, baseUrl, key, stored, clock);
      if (!sealed) return throwMissingKey();
      const model = { ...change, baseUrl };
      const isNewKey = key === undefined ? {} : { key: 'changed' };
      await store
        .in(id)
        .model.set(
          { ...model, ...sealed },
          toAudit(caller, ctx, 'workspace.model_changed', { ...model, ...isNewKey }),
        );
      return { status: 200, body: await describe(id) };
    },

    async removeModel({ caller, ctx }) {
      const { id } = caller.workspace;
      await store.in(id).model.remove(toAudit(caller, ctx, 'workspace.model_removed', {}));
      return { status: 200, body: await describe(id) };
    },

    async testModel({ caller, ctx }) {
      const { id } = caller.workspace;
      const own = await readOwnModel(deps, id);
      const settings = own === undefined ? llm : own;
      if (settings === undefined) return throwApiError('model/none');
      if (settings === 'key_unreadable') return reportUnusable(settings, 'key');
      if (settings === 'address_not_allowed') return reportUnusable(settings, 'address');
      const allowance = await deps.tokenBudget.reserve(caller.workspace, {}, own !== undefined);
      try {
        if (allowance.tokensMax < TURN_TOKENS_MIN) return reportUnusable('budget');
        const open = await loadModels();
        const timeout = AbortSignal.timeout(WORKSPACE_LIMITS.modelTestSeconds * 1000);
        const { checks, usage } = await tryModel(settings, {
          open: (model, onRefusedField) => open({ ...settings, model, retries: 0 }, onRefusedField),
          now: clock.now,
          signal: AbortSignal.any([ctx.signal, timeout]),
        });
        allowance.spend(usage);
        return { status: 200, body: { checks: [...checks] } };
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

function throwRefusedAddress(): never {
  const message = 'Expected an https address of a public server, without user, query and fragment.';
  return throwInvalidRequest({ path: 'body.baseUrl', code: 'address_not_allowed', message });
}

function throwMissingKey(): never {
  const message = 'Send the key: none is stored for this address.';
  return throwInvalidRequest({ path: 'body.key', code: 'key_required', message });
}

/** Seals a new key, or keeps the stored one if it is for this address; undefined when there is none. */
async function sealKey(
  { modelKeys }: OwnModels,
  workspaceId: string,
  baseUrl: string,
  key: string | undefined,
  stored: StoredModel | undefined,
  clock: Clock,
): Promise<Pick<StoredModel, 'sealedKey' | 'keySetAt'> | undefined> {
  const owner = { workspaceId, baseUrl };
  if (key !== undefined) return { sealedKey: await modelKeys.seal(key, owner), keySetAt: clock.now() };
  if (!stored || (await modelKeys.open(stored.sealedKey, owner)) === undefined) return undefined;
  return { sealedKey: stored.sealedKey, keySetAt: stored.keySetAt };
}

export async function readOwnModel(
  { store, modelKeys, modelAddresses, modelLimits }: OwnModels,
  workspaceId: string,
): Promise<OwnModel> {
  const stored = await store.in(workspaceId).model.get();
  if (!stored) return undefined;
  const { baseUrl, model, rewriteModel, sealedKey } = stored;
  const apiKey = await modelKeys.open(sealedKey, { workspaceId, baseUrl });
  if (apiKey === undefined) return 'key_unreadable';
  // The operator may allow fewer networks than when it was stored.
  if (modelAddresses.parse(baseUrl) === undefined) return 'address_not_allowed';
  return {
    ...modelLimits,
    baseUrl,
    apiKey,
    model,
    rewriteModel,
    extraBody: undefined,
    outputTokensField: 'max_tokens',
    images: false,
    lookup: modelAddresses.getLookup(baseUrl),
  };
}
