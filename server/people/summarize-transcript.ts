import { HANDOVER_LIMITS } from '../../contract/limits/handovers.ts';
import type { Log } from '../base/log.ts';
import { SUMMARY_MILLIS_MAX, type WorkspaceEngines } from '../engine/engine.ts';
import type { RequestContext } from '../http/handler.ts';
import { cleanLabel } from '../sanitize/page-text.ts';
import type { Handover } from '../storage/handovers.ts';
import type { Workspace } from '../storage/workspaces.ts';
import type { TokenBudget } from '../workspaces/token-budget.ts';
import { readTranscript } from './handover-notices.ts';

export type SummaryDeps = { engines: Pick<WorkspaceEngines, 'get'>; tokenBudget: TokenBudget; log: Log };

/** Summarizes what a visitor agreed to send. Undefined without a model, in time or at all: the message is sent without. */
export async function summarizeTranscript(
  conversation: Pick<Handover, 'transcript'>,
  workspace: Workspace,
  ctx: Pick<RequestContext, 'owners' | 'signal'>,
  { engines, tokenBudget, log }: SummaryDeps,
): Promise<string | undefined> {
  const turns = readTranscript(conversation);
  if (turns.length === 0) return undefined;
  const signal = AbortSignal.any([ctx.signal, AbortSignal.timeout(SUMMARY_MILLIS_MAX)]);
  try {
    const { engine, isOwn } = await engines.get(workspace.id);
    if (!engine.summarize || !engine.costsTokens) return undefined;
    const allowance = await tokenBudget.reserve(workspace, ctx.owners, isOwn);
    try {
      const request = { turns, locale: workspace.settings.sourceLocale, allowance };
      const summary = await engine.summarize(request, signal);
      return cleanLabel(summary ?? '', HANDOVER_LIMITS.summaryCharsMax) || undefined;
    } finally {
      await allowance.settle();
    }
  } catch (error) {
    log.warn({ err: error }, 'could not summarize a conversation');
    return undefined;
  }
}
