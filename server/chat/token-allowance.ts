import type { EngineAllowance, EngineUsage } from '../engine/engine.ts';
import { getCalendarMonth } from '../month.ts';
import type { TokenMonths } from '../storage/token-months.ts';
import type { WorkspaceSettings } from '../storage/workspaces.ts';

/** What a turn may cost where answers cost tokens: set aside before it begins, and put right when it is known what was used. */
export type TokenAllowance = EngineAllowance & {
  /** Counts what was used instead of what was set aside. */
  settle(): Promise<void>;
};

/** What one answer may cost where neither the workspace nor its month says less. */
const DEFAULT_TURN_TOKENS = 16_000;

export async function tokenAllowance(
  months: TokenMonths,
  { guide, voice }: WorkspaceSettings,
  nowMillis: number,
): Promise<TokenAllowance> {
  const { period } = getCalendarMonth(nowMillis, voice.timeZone);
  const turnMax = guide?.turnTokensMax ?? DEFAULT_TURN_TOKENS;
  const monthMax = guide?.monthlyTokensMax ?? Number.POSITIVE_INFINITY;
  const aside = await months.draw(period, (used) => Math.min(turnMax, Math.max(0, monthMax - used)));
  const tokensMax = aside ?? 0;
  let spent = 0;
  return {
    tokensMax,
    spend({ inputTokens, outputTokens }: EngineUsage) {
      spent += inputTokens + outputTokens;
    },
    async settle() {
      if (spent !== tokensMax) await months.draw(period, () => spent - tokensMax);
    },
  };
}
