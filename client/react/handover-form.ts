import type { Guide, VisitorHandover } from '@guidepost/client';
import { openHandover, toSentTurns } from '../handover.ts';
import type { HandoverForm } from './controls.ts';

/** Asking a person, apart from the components. */

/** Begins a question to the team. `onSent` gets what the service has stored. */
export async function openHandoverForm(
  guide: Guide,
  languages: string | undefined,
  onSent: (sent: VisitorHandover[]) => void,
): Promise<HandoverForm> {
  const { handover } = (guide.state ?? (await guide.boot())).config;
  const stored = guide.conversationId ? await guide.conversation().catch(() => undefined) : undefined;
  const turns = stored && handover ? toSentTurns(stored.turns, handover) : [];
  const [locale = navigator.language] = languages?.split(/[,;]/, 1) ?? [];
  const send = openHandover(guide, turns, { locale, secondsMin: handover?.form_seconds_min ?? 0 });
  return {
    ...{ locale, turns },
    pageUrl: location.origin + location.pathname,
    send: async (...question) => onSent([await send(...question)]),
  };
}
