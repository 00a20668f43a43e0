import { MIB } from './units.ts';

/** Limits of questions to a person. */
export const HANDOVER_LIMITS = {
  nameCharsMax: 200,
  replyCharsMax: 4000,
  repliesMax: 100,
  /** What a visitor may send of a conversation. */
  turnsMax: 10,
  answerCharsMax: 3000,
  summaryCharsMax: 600,
  /** A person needs longer to fill in the form. */
  formSecondsMin: 3,
  /** The newest that a visitor gets. */
  visitorHandoversMax: 20,
  answerTimeCharsMax: 100,
  /** A reply by mail as a provider posts it, without and with its attachments, which are dropped. */
  inboundBytesMax: 2 * MIB,
  inboundBytesMaxBeforeDrop: 48 * MIB,
} as const;
