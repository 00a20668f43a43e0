/** What visitors of one language say besides questions. Patterns as in `../pattern.ts`, separated by slashes. */
export type SmallTalk = {
  readonly greeting: string;
  readonly thanks: string;
  readonly goodbye: string;
  readonly praise: string;
  readonly complaint: string;
  readonly abuse: string;
  readonly identity: string;
  readonly capabilities: string;
  readonly person: string;
  readonly page: string;
  /** How an order to the guide begins; anything may follow. */
  readonly order: string;
  /** Said around any of these without a meaning of its own. */
  readonly fillers: string;
  /** After a request for a person or a complaint: the reason follows. */
  readonly reasons: string;
  /** How a question begins that follows without punctuation ("hi where is my order"). */
  readonly openers: string;
};
