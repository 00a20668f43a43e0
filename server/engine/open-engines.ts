import { type ResolveName, resolveByDns } from '../base/address-guard.ts';
import { memoizeWithTtl } from '../base/cache.ts';
import type { Clock } from '../base/clock.ts';
import type { LlmSettings, ModelLimits } from '../settings/model.ts';
import type { Store } from '../storage/store.ts';
import type { Engine, ModelDraft, TriedModel, WorkspaceEngines } from './engine.ts';
import { createExtractiveEngine } from './extractive.ts';
import { createModelAddresses } from './model-address.ts';
import { loadModels, openEngine } from './open-engine.ts';
import { tryModel } from './try-model.ts';
import { createWorkspaceEngines, type OwnModel } from './workspace-engines.ts';

/** Opens the installation's engine, and those of workspaces with a language model of their own. */

type Observe = Parameters<typeof openEngine>[1];

type EnginesOptions = {
  /** The installation's model. */
  llm: LlmSettings | undefined;
  modelLimits: ModelLimits;
  /** CIDR blocks that the models of workspaces may be in although they are not public. */
  modelNetworks: readonly string[];
  /** How long the model of a workspace is kept in memory. */
  cacheMillis: number;
  store: Pick<Store, 'in'>;
  clock: Clock;
  /** Decrypts the key of a model. */
  openKey: (sealed: string, workspaceId: string, baseUrl: string) => Promise<string | undefined>;
  /** @param workspaceId undefined for the installation's model */
  observe: (workspaceId?: string) => Observe;
  /** Replacements for tests. */
  engine?: Engine | undefined;
  resolveName?: ResolveName | undefined;
};

type Engines = WorkspaceEngines & {
  hasModel: boolean;
  parseModelAddress: (baseUrl: string) => string | undefined;
  /** Tries a draft, else the model that answers in the workspace, or says why that one cannot be used. */
  tryModel: (
    workspaceId: string,
    draft: ModelDraft | undefined,
    signal: AbortSignal,
  ) => Promise<TriedModel | Extract<OwnModel, string>>;
  close(): void;
};

export async function openEngines(options: EnginesOptions): Promise<Engines> {
  const { llm, clock, observe, resolveName = resolveByDns } = options;
  const addresses = createModelAddresses(options.modelNetworks, resolveName);
  const installation = await openEngine(llm, observe());
  const toSettings = (model: ModelDraft): LlmSettings => ({
    ...options.modelLimits,
    ...model,
    // The server is asked, and reached directly: a proxy would resolve its name past the check.
    contextTokens: undefined,
    proxy: undefined,
    extraBody: undefined,
    outputTokensField: 'max_tokens',
    images: false,
    lookup: addresses.getLookup(model.baseUrl),
  });
  const readModel = async (workspaceId: string): Promise<OwnModel> => {
    const stored = await options.store.in(workspaceId).model.get();
    if (!stored) return undefined;
    const { provider, baseUrl, model, rewriteModel, sealedKey } = stored;
    const apiKey = await options.openKey(sealedKey, workspaceId, baseUrl);
    if (apiKey === undefined) return 'key_unreadable';
    // The operator may allow fewer networks than when it was stored.
    if (addresses.parse(baseUrl) === undefined) return 'address_not_allowed';
    return toSettings({ provider, baseUrl, apiKey, model, rewriteModel });
  };
  const engines = createWorkspaceEngines({
    installation: options.engine ?? installation.engine,
    quoting: createExtractiveEngine(observe().embedTexts),
    readModel: memoizeWithTtl(clock, options.cacheMillis, readModel),
    open: (settings, workspaceId) => openEngine(settings, observe(workspaceId)),
    now: clock.now,
  });
  return {
    get: engines.get,
    hasModel: llm !== undefined,
    parseModelAddress: addresses.parse,
    async tryModel(workspaceId, draft, signal) {
      const settings = draft ? toSettings(draft) : ((await readModel(workspaceId)) ?? llm);
      if (settings === undefined) throw new Error('there is no model to try');
      if (typeof settings === 'string') return settings;
      const open = await loadModels();
      return tryModel(settings, {
        open: (model, onRefusedField) => open({ ...settings, model, retries: 0 }, onRefusedField),
        now: clock.now,
        signal,
      });
    },
    close() {
      engines.close();
      installation.close();
    },
  };
}
