import type { workspace as router } from '../../contract/workspace.ts';
import { type Clock, toIsoString } from '../clock.ts';
import type { Handlers } from '../http/handler.ts';
import { getCalendarMonth } from '../month.ts';
import type { Store } from '../storage/store.ts';

export function usageHandler({
  store,
  clock,
  engineName,
}: {
  readonly store: Store;
  readonly clock: Clock;
  readonly engineName: string;
}): Pick<Handlers<typeof router>, 'readUsage'> {
  return {
    async readUsage({ caller }) {
      const { id, settings } = caller.workspace;
      const { voice, guide } = settings;
      const { period, ...bounds } = getCalendarMonth(clock.now(), voice.timeZone);
      const { voiceReservations, tokenMonths } = store.in(id);
      const [{ countedSeconds, heldSeconds }, usedTokens] = await Promise.all([
        voiceReservations.inMonth(period),
        tokenMonths.used(period),
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
          engine: engineName,
        },
      };
    },
  };
}
