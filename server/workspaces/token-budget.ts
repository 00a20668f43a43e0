import type { Clock } from '../base/clock.ts';
import { getCalendarMonth } from '../base/month.ts';
import type { EngineAllowance, EngineUsage } from '../engine/engine.ts';
import { createResourceLimits, type Owners, type ResourceLimits } from '../http/resource-limits.ts';
import type { Store } from '../storage/store.ts';
import type { WorkspaceSettings } from '../storage/workspace-settings.ts';
import type { Workspace } from '../storage/workspaces.ts';

/** The tokens that an answer may cost: reserved before the answer begins, and corrected once its usage is known. */
export type TokenAllowance = EngineAllowance & {
  /** Replaces the reservation by the actual usage. */
  settle(): Promise<void>;
};

export type TokenBudget = {
  /** Reserves tokens for one answer, as far as the workspace's month and the owners' days allow. */
  reserve(
    workspace: Pick<Workspace, 'id' | 'settings'>,
    owners: Owners,
    /** Whether the workspace pays for a model of its own. */
    isOwnModel: boolean,
  ): Promise<TokenAllowance>;
};

/** The limit of one answer where the workspace sets none. */
const DEFAULT_TURN_TOKENS = 16_000;

/**
 * The daily limits of one visitor and one network, as parts of the workspace's monthly budget. They shrink with the
 * usage of others on that day. Each has a minimum, so that a small budget suffices for a few answers.
 */
const OWNER_FACTORS = { visitor: 1 / 50, network: 1 / 10 };
const OWNER_MINIMUMS = { visitor: 2 * DEFAULT_TURN_TOKENS, network: 10 * DEFAULT_TURN_TOKENS };

/**
 * Returns the lower of the workspace's and the operator's limits; undefined if neither has one. For a model of its own, the
 * operator's is only the default.
 */
export function getMonthlyTokensMax(
  { guide }: WorkspaceSettings,
  operatorMax: number | undefined,
  isOwnModel: boolean,
): number | undefined {
  if (isOwnModel && guide?.monthlyTokensMax !== undefined) return guide.monthlyTokensMax;
  const limits = [guide?.monthlyTokensMax, operatorMax].filter((limit) => limit !== undefined);
  return limits.length === 0 ? undefined : Math.min(...limits);
}

export function createTokenBudget({
  store,
  clock,
  monthlyTokensMax,
}: {
  store: Pick<Store, 'in'>;
  clock: Clock;
  /** The operator's limit for each workspace. */
  monthlyTokensMax: number;
}): TokenBudget {
  const getDailyLimits = createDailyLimits(clock);
  return {
    async reserve({ id, settings }, owners, isOwnModel) {
      const { tokenMonths } = store.in(id);
      const { period } = getCalendarMonth(clock.now(), settings.voice.timeZone);
      const monthMax =
        getMonthlyTokensMax(settings, monthlyTokensMax, isOwnModel) ?? Number.POSITIVE_INFINITY;
      const limits = getDailyLimits(id, period, monthMax);
      const reservation = limits.open('tokens', owners);
      const turnMax = Math.min(
        settings.guide?.turnTokensMax ?? DEFAULT_TURN_TOKENS,
        limits.room('tokens', owners),
      );
      // Reserved before waiting, so that answers that begin together share the remainder.
      reservation.settle(turnMax);
      const grant = (used: number) => Math.floor(Math.min(turnMax, Math.max(0, monthMax - used)));
      const reserved = (await tokenMonths.reserve(period, grant)) ?? 0;
      let spent = 0;
      return {
        get tokensMax() {
          return Math.max(0, reserved - spent);
        },
        spend({ inputTokens, outputTokens }: EngineUsage) {
          spent += inputTokens + outputTokens;
        },
        async settle() {
          reservation.settle(spent);
          const unused = reserved - spent;
          if (unused !== 0) await tokenMonths.reserve(period, () => -unused);
        },
      };
    },
  };
}

/** Creates the limits of each workspace and day. A restart begins a new day, and so does a new month. */
function createDailyLimits(
  clock: Clock,
): (workspaceId: string, period: string, monthMax: number) => ResourceLimits<'tokens'> {
  let day = Number.NaN;
  const limits = new Map<string, ResourceLimits<'tokens'>>();
  return (workspaceId, period, monthMax) => {
    const today = Math.floor(clock.now() / 86_400_000);
    if (today !== day) limits.clear();
    day = today;
    const key = `${workspaceId} ${period} ${monthMax}`;
    const known = limits.get(key);
    if (known) return known;
    const limit = { total: monthMax, ownerFactors: OWNER_FACTORS, ownerMinimums: OWNER_MINIMUMS };
    const created = createResourceLimits({ tokens: limit });
    limits.set(key, created);
    return created;
  };
}
