import type { workspace as router } from '../../contract/workspace.ts';
import { type Clock, toIsoString } from '../clock.ts';
import type { Handlers } from '../http/handler.ts';
import { getCalendarMonth } from '../month.ts';
import type { Store } from '../storage/store.ts';

/** How far the texts of a workspace are embedded, and what that took this month. */
export type EmbeddingUsage = {
  readonly texts: number;
  readonly embeddedTexts: number;
  readonly usedTokens: number;
  readonly monthlyTokensMax: number;
};

export function usageHandler({
  store,
  clock,
  engineName,
  readEmbeddingUsage,
}: {
  readonly store: Store;
  readonly clock: Clock;
  readonly engineName: string;
  /** Absent without an embedding model. */
  readonly readEmbeddingUsage?: ((workspaceId: string) => Promise<EmbeddingUsage>) | undefined;
}): Pick<Handlers<typeof router>, 'readUsage'> {
  return {
    async readUsage({ caller }) {
      const { id, settings } = caller.workspace;
      const { voice, guide } = settings;
      const { period, ...bounds } = getCalendarMonth(clock.now(), voice.timeZone);
      const { voiceReservations, tokenMonths } = store.in(id);
      const [{ countedSeconds, heldSeconds }, usedTokens, embeddings] = await Promise.all([
        voiceReservations.inMonth(period),
        tokenMonths.used(period),
        readEmbeddingUsage?.(id),
      ]);
      const month = { period, startsAt: toIsoString(bounds.startsAt), endsAt: toIsoString(bounds.endsAt) };
      const tokensMax = guide?.monthlyTokensMax;
      return {
        status: 200,
        body: {
          voice: {
            ...month,
            usedSeconds: countedSeconds,
            heldSeconds,
            monthlySecondsMax: voice.monthlySecondsMax,
          },
          tokens: {
            ...month,
            usedTokens,
            ...(tokensMax === undefined ? {} : { monthlyTokensMax: tokensMax }),
          },
          ...(embeddings && { embeddings }),
          engine: engineName,
        },
      };
    },
  };
}
