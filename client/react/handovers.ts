import type { Guide, VisitorHandover } from '@guidepost/client';

/** Reads what the visitor asked the team on earlier pages, oldest first. */
export async function readHandovers(guide: Guide): Promise<VisitorHandover[]> {
  const { config, features, user_token } = guide.state!;
  const mode = config.handover?.mode;
  const mayHaveAsked = features.persist_visitor && (guide.conversationId || mode === 'always');
  if (!mode || !(mayHaveAsked || user_token === 'accepted')) return [];
  return (await guide.handovers()).data.toReversed();
}
