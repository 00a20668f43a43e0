import type { workspace as router } from '../../contract/workspace.ts';
import { type Clock, toIsoString } from '../base/clock.ts';
import { getCalendarMonth } from '../base/month.ts';
import type { WorkspaceEngines } from '../engine/engine.ts';
import type { Handlers } from '../http/handler.ts';
import type { Store } from '../storage/store.ts';
import type { StorageMeter, StorageUsage } from './storage-meter.ts';
import { getMonthlyTokensMax } from './token-budget.ts';

/** How many texts of a workspace are embedded, and the tokens used for that this month. */
type EmbeddingUsage = {
  texts: number;
  embeddedTexts: number;
  usedTokens: number;
  /** Absent without a budget. */
  monthlyTokensMax?: number;
};

export function usageHandler({
  store,
  clock,
  engines,
  storageMeter,
  monthlyTokensMax,
  readEmbeddingUsage,
}: {
  store: Store;
  clock: Clock;
  engines: Pick<WorkspaceEngines, 'get'>;
  storageMeter: Pick<StorageMeter, 'lastMeasured'>;
  /** The operator's limit for each workspace. */
  monthlyTokensMax: number;
  /** Absent without an embedding model. */
  readEmbeddingUsage?: ((workspaceId: string) => Promise<EmbeddingUsage>) | undefined;
}): Pick<Handlers<typeof router>, 'readUsage'> {
  return {
    async readUsage({ caller }) {
      const { id, settings } = caller.workspace;
      const { voice } = settings;
      const { period, ...bounds } = getCalendarMonth(clock.now(), voice.timeZone);
      const { voiceReservations, tokenMonths } = store.in(id);
      const [{ engine, isOwn }, { countedSeconds, reservedSeconds }, usedTokens, embeddings] =
        await Promise.all([
          engines.get(id),
          voiceReservations.inMonth(period),
          tokenMonths.used(period),
          readEmbeddingUsage?.(id),
        ]);
      const month = { period, startsAt: toIsoString(bounds.startsAt), endsAt: toIsoString(bounds.endsAt) };
      const storage = storageMeter.lastMeasured(id);
      const operatorMax = engine.costsTokens ? monthlyTokensMax : undefined;
      const tokensMax = getMonthlyTokensMax(settings, operatorMax, isOwn);
      return {
        status: 200,
        body: {
          voice: {
            ...month,
            usedSeconds: countedSeconds,
            heldSeconds: reservedSeconds,
            monthlySecondsMax: voice.monthlySecondsMax,
          },
          tokens: {
            ...month,
            usedTokens,
            ...(tokensMax === undefined ? {} : { monthlyTokensMax: tokensMax }),
          },
          ...(embeddings && { embeddings }),
          ...(storage && { storage: toStorageBody(storage) }),
          engine: engine.name,
        },
      };
    },
  };
}

function toStorageBody({ usedBytes, bytesMax, measuredAtMillis, kinds }: StorageUsage) {
  return {
    usedBytes,
    bytesMax,
    measuredAt: toIsoString(measuredAtMillis),
    kinds: kinds.map(({ oldestAtMillis, ...kind }) => ({
      ...kind,
      ...(oldestAtMillis === undefined ? {} : { oldestAt: toIsoString(oldestAtMillis) }),
    })),
  };
}
