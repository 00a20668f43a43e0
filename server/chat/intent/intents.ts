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
