import { HOUR_SECONDS, KIB, MIB, MINUTE_SECONDS } from './units.ts';

/** Limits of visitors, their conversations, and previews of them. */
export const CHAT_LIMITS = {
  visitorTokenSeconds: 15 * MINUTE_SECONDS,
  bootBodyBytesMax: 32 * KIB,
  /** A digest, fifty targets and a screenshot of 1.5 MB in Base64. */
  chatBodyBytesMax: 3 * MIB,
  /** Includes a screenshot over the limit, which is dropped before the rest is parsed. */
  chatArrivingBytesMax: 12 * MIB,
  screenshotBytesMax: 1_500_000,
  screenshotSideMax: 4096,
  messageCharsMax: 4000,
  digestCharsKept: 32_000,
  selectedTextCharsKept: 2000,
  targetsKept: 50,
  targetsSentMax: 1000,
  labelCharsKept: 200,
  pageTitleCharsKept: 300,
  actionResultsMax: 20,
  /** Conversation ids and versions of the consent copy, which clients choose. */
  clientIdCharsMax: 256,
  turnIdxMax: 10_000,
  turnsPerConversationMax: 500,
  /** Conversations that a visitor is told of. */
  visitorConversationsMax: 20,
  conversationTitleCharsMax: 100,
  streamsPerVisitorMax: 2,
  streamKeepAliveSeconds: 15,
  actionLifeSeconds: 300,
  deniedHistorySeconds: 24 * HOUR_SECONDS,
  previewSeconds: 60,
  previewTurnsMax: 10,
  previewTurnAnswerCharsMax: 20_000,
  /** Every text at its maximum length, each character up to twelve bytes. */
  previewBodyBytesMax: 3 * MIB,
  feedbackCharsMax: 2000,
  /** Notes of the team on a conversation. */
  notesMax: 100,
  noteCharsMax: 2000,
  feedbackReasonsMax: 3,
} as const;
