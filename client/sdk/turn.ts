import type { ChatRequest } from '../../generated/types.ts';

/** One question. What is left out is kept by the guide or read from the document. */
export type ChatTurn = {
  readonly message: string;
  readonly domDigest: string;
  readonly url: string;
  readonly conversationId?: string;
  readonly turnIdx?: number;
  readonly viewport?: ChatRequest['viewport'];
  readonly document?: ChatRequest['document'];
  readonly scrollPos?: number;
  readonly captureContext?: ChatRequest['capture_context'];
  readonly viewportScreenshot?: ChatRequest['viewport_screenshot'];
  readonly actionResults?: ChatRequest['action_results'];
  /** Names this turn, so that sending it again attaches to it; made by the guide when omitted. */
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
};

/** The turn as it goes over the wire. */
export function chatBody(turn: ChatTurn, conversationId: string, turnIdx: number): ChatRequest {
  return {
    message: turn.message,
    dom_digest: turn.domDigest,
    conversation_id: conversationId,
    turn_idx: turnIdx,
    url: turn.url,
    ...(turn.viewport ? { viewport: turn.viewport } : {}),
    ...(turn.document ? { document: turn.document } : {}),
    ...(turn.scrollPos === undefined ? {} : { scroll_pos: turn.scrollPos }),
    ...(turn.captureContext ? { capture_context: turn.captureContext } : {}),
    ...(turn.viewportScreenshot ? { viewport_screenshot: turn.viewportScreenshot } : {}),
    ...(turn.actionResults ? { action_results: turn.actionResults } : {}),
  };
}
