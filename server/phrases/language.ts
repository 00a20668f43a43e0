/** The guide's own sentences in one language. */
export type Phrases = {
  readonly greeting: string;
  readonly thanks: string;
  readonly goodbye: string;
  readonly praise: string;
  readonly complaint: string;
  readonly abuse: string;
  /** Says that the guide is not a person. */
  readonly identity: string;
  /** The purpose of the guide, with the `{name}` of the workspace. */
  readonly capabilities: string;
  /** For a visitor who asks for a person; followed by the contact. */
  readonly person: string;
  /** Replaces `person` for a workspace without a contact. */
  readonly personUnavailable: string;
  readonly gibberish: string;
  readonly order: string;
  /** With the `{title}` of the page. */
  readonly page: string;
  /** Introduces the headings of the page. */
  readonly pageParts: string;
  /** For a page that the guide cannot read. */
  readonly pageUnknown: string;
  /** Introduces titles of articles. */
  readonly topics: string;
  /** With the `{contact}`, which may end in a link. */
  readonly contact: string;
  readonly nothingFound: string;
  /** Introduces the nearest titles when nothing was found. */
  readonly nearest: string;
  /** Introduces likely articles as choices. */
  readonly unsure: string;
  /** For a model that refuses without any text. */
  readonly refused: string;
};
