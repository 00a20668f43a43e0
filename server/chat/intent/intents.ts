/** The intents of a message besides a question for the articles, in order of precedence, for messages with several. */
export const INTENTS = [
  'order',
  'identity',
  'person',
  'abuse',
  'complaint',
  'page',
  'capabilities',
  'gibberish',
  'goodbye',
  'thanks',
  'praise',
  'greeting',
] as const;
export type Intent = (typeof INTENTS)[number];

/** A single word or two say too little by their vector: those that are no examples are questions. */
export const WORDS_MIN = 3;

/**
 * A message is small talk if it is less likely a question than this, and no article answers it; and even then below the
 * other limit. Chosen by cross-validation, see eval/fit-intents.ts.
 */
export const QUESTION_MAX = { unsure: 0.1, sure: 0.005 };
