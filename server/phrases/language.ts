/** The guide's own sentences in one language. */
export type Phrases = {
  greeting: string;
  thanks: string;
  goodbye: string;
  praise: string;
  complaint: string;
  abuse: string;
  /** Says that the guide is not a person. */
  identity: string;
  /** The purpose of the guide, with the `{name}` of the workspace. */
  capabilities: string;
  /** For a visitor who asks for a person; followed by the contact. */
  person: string;
  /** Replaces `person` for a workspace without a contact. */
  personUnavailable: string;
  gibberish: string;
  order: string;
  /** With the `{title}` of the page. */
  page: string;
  /** Introduces the headings of the page. */
  pageParts: string;
  /** For a page that the guide cannot read. */
  pageUnknown: string;
  /** Introduces titles of articles. */
  topics: string;
  /** With the `{contact}`, which may end in a link. */
  contact: string;
  nothingFound: string;
  /** Introduces the nearest titles when nothing was found. */
  nearest: string;
  /** Introduces likely articles as choices. */
  unsure: string;
  /** For a model that refuses without any text. */
  refused: string;
};
