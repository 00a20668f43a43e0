// Written by `make generate` from the contract. Do not edit.

/** Description of a target for assistive technology. */
export type AccessibilityHints = {
  label?: string | undefined;
  description?: string | undefined;
  /** States such as expanded, checked or disabled, as one string. */
  state?: string | undefined;
};

/** A proposal for the page. The page and the visitor decide; the guide never acts. */
export type ActionEvent = {
  type: 'action';
  /** Position in the stream, from zero, without gaps. */
  seq: number;
  /** Id of the action. Report its outcome with the next turn. */
  action_id: string;
  kind: ActionKind;
  /** Element of the page; absent for navigate. */
  target?: ActionTarget | undefined;
  /** Where navigate leads, always on the same origin. */
  url?: string | undefined;
  label: string;
  reason: string;
  requires_confirmation: boolean;
  /** Time in seconds since 1970-01-01T00:00:00Z. */
  expires_at: number;
};

/** Proposed actions and their outcomes. An outcome is counted when the page reports it. */
export type ActionFigures = {
  proposed: number;
  /** Reported outcomes where the visitor accepted the action: done, missing and failed. */
  confirmed: number;
  declined: number;
  done: number;
  /** Reported outcomes where the target was no longer on the page. */
  missing: number;
  failed: number;
};

/** The closed vocabulary of what the guide may propose. */
export type ActionKind = 'highlight' | 'scroll_to' | 'focus' | 'navigate';

/** Outcome of an action that an earlier turn proposed. */
export type ActionOutcome = {
  action_id: string;
  outcome: OutcomeKind;
};

/** The part of the page that an action is about. */
export type ActionTarget = {
  /** Id of the target, as sent with this turn. */
  gp_id: string;
  label: string;
  document_bbox?: BoundingBox | undefined;
  /** How sure the page was of this target, from 0 to 1. */
  confidence: number;
};

/** Tells the visitor that the guide is a machine. Present in every region. */
export type AiDisclosure = {
  /** Whether the disclosure must be shown before the first message. */
  required: boolean;
  /** The disclosure. Show it verbatim. */
  text: string;
  /** A language tag in canonical BCP 47 form, such as de or pt-BR. */
  locale: string;
  version: string;
  show: DisclosureMoment;
};

/** A word or question that people may search an article by. */
export type AliasSuggestion = {
  /** Another phrase that people search for. */
  alias: string;
  /** A language tag in canonical BCP 47 form, such as de or pt-BR. */
  locale: string;
  /** Languages whose translations suggest the alias. Empty for a question of visitors. */
  evidence: string[];
};

/** Questions near the article, and words for what its title says. */
export type AliasSuggestionList = {
  /** Suggested aliases: questions of visitors, then words; best first. */
  data: AliasSuggestion[];
};

/** Analytics of a workspace. */
export type Analytics = {
  /** Start of the range, inclusive. */
  from: string;
  /** End of the range, exclusive. */
  to: string;
  /** IANA time zone that days and hours are counted in. */
  zone: string;
  by: AnalyticsPeriodLength;
  totals: AnalyticsFigures;
  /** Totals of the previous range of the same length, for comparison. */
  previous: AnalyticsFigures;
  /** Every day or hour of the range, oldest first, including empty ones. */
  periods: AnalyticsPeriod[];
  /** Most cited articles, at most 100. */
  articles: CitedArticle[];
  /** Pages with the most questions, at most 100. */
  pages: AskedPage[];
  /** Languages that visitors asked for, most frequent first. */
  languages: AskedLanguage[];
  fallbacks: FallbackCount[];
  /** Reasons of `down` ratings, most frequent first, from visitors who agreed to storage. */
  reasons: FeedbackReasonCount[];
  consents: ConsentCount[];
  /** Most frequent unanswered questions, at most 100, from visitors who agreed to storage. */
  unanswered: UnansweredQuestion[];
  anonymous: AnonymousFigures;
  /** Most frequent searches in the articles, at most 100, from visitors who agreed to storage, and from undecided ones if the workspace keeps their words (`retention.anonymousQuestions`). */
  searched: SearchedWords[];
  hits: LimitHits[];
};

/** Totals of one period of time. */
export type AnalyticsFigures = {
  /** Times the guide started on a page. */
  boots: number;
  /** Distinct visitors, without programs. Exact up to 65,536, within about 1 % above. */
  visitors: number;
  /** Conversations with at least one finished turn. */
  conversations: number;
  turns: number;
  /** Turns that ended with an answer (finish reason `stop` or `length`). */
  answered: number;
  /** Turns that ended without an answer (finish reason `no_knowledge` or `refusal`). */
  unanswered: number;
  deflection: DeflectionFigures;
  citations: number;
  actions: ActionFigures;
  /** Ratings of answers. */
  feedback: FeedbackFigures;
  /** Ratings of articles in the help centre. */
  articles: FeedbackFigures;
  /** Seconds of voice used. */
  voice: number;
  searches: SearchFigures;
  /** Times a rate limit was exceeded, at most one per limit, visitor and minute. */
  limited: number;
  /** Absent if no answer had text. */
  latency?: LatencyFigures | undefined;
};

/** One day or hour of the range in the given time zone. The first and last may be partial. */
export type AnalyticsPeriod = {
  /** Start of the period. It ends where the next period begins, the last one at `to`. */
  start: string;
  /** Times the guide started on a page. */
  boots: number;
  /** Distinct visitors, without programs. Exact up to 65,536, within about 1 % above. */
  visitors: number;
  /** Conversations with at least one finished turn. */
  conversations: number;
  turns: number;
  /** Turns that ended with an answer (finish reason `stop` or `length`). */
  answered: number;
  /** Turns that ended without an answer (finish reason `no_knowledge` or `refusal`). */
  unanswered: number;
  deflection: DeflectionFigures;
  citations: number;
  actions: ActionFigures;
  /** Ratings of answers. */
  feedback: FeedbackFigures;
  /** Ratings of articles in the help centre. */
  articles: FeedbackFigures;
  /** Seconds of voice used. */
  voice: number;
  searches: SearchFigures;
  /** Times a rate limit was exceeded, at most one per limit, visitor and minute. */
  limited: number;
  /** Absent if no answer had text. */
  latency?: LatencyFigures | undefined;
};

/** Length of a period, in the given time zone. */
export type AnalyticsPeriodLength = 'day' | 'hour';

/** Unanswered questions that are counted without their visitors, who had not decided about storage. The inbox does not have them. */
export type AnonymousFigures = {
  unanswered: number;
  pages: UnansweredPage[];
  languages: UnansweredLanguage[];
  /** Closest articles. Questions that no article is close to are not counted. */
  articles: NearestArticle[];
};

/** An unanswered question of visitors who had not decided about storage. Equal questions are one row, ignoring case, spaces and punctuation. */
export type AnonymousQuestion = {
  /** As last asked, without personal data and secrets, truncated to 300 characters. */
  question: string;
  /** The language that the last visitor asked for. */
  locale: string;
  /** Page of the last question, without query and fragment. */
  path: string;
  asked: number;
  lastAskedAt: string;
  /** The published article closest to the last question. */
  nearestArticleId?: string | undefined;
};

/** Unanswered questions without their visitors, of the last 30 days. */
export type AnonymousQuestions = {
  /** Whether the workspace keeps the words of these questions. */
  kept: boolean;
  /** Most frequent first. */
  data: AnonymousQuestion[];
};

/** Phase of an answer that has no text yet. */
export type AnswerPhase = 'retrieving' | 'generating';

/** A rating of an answer. */
export type AnswerRatedData = {
  /** Absent unless the visitor may be named. */
  visitor_id?: string | undefined;
  /** Conversation id, chosen by the client or the service. Percent-encoded in a path. */
  conversation_id?: string | undefined;
  /** One answer of the guide: a TypeID with the prefix msg. */
  message_id?: string | undefined;
  rating: FeedbackRating;
  /** The visitor's comment. */
  comment?: string | undefined;
  reasons?: FeedbackReason[] | undefined;
  rated_at: string;
};

/** A visitor rated an answer, or added to a rating. The newest event of a message counts. It has the comment only if the visitor agreed to storage. */
export type AnswerRatedEvent = {
  type: 'answer.rated';
  /** When it happened. */
  timestamp: string;
  /** A workspace: a TypeID with the prefix ws. */
  tenant_id: string;
  data: AnswerRatedData;
};

/** A question, with the article that is expected to answer it. */
export type AnswerTest = {
  /** An answer test: a TypeID with the prefix tst. */
  id: string;
  question: string;
  /** A language tag in canonical BCP 47 form, such as de or pt-BR. */
  locale: string;
  /** Absent if no answer is expected. */
  articleId?: string | undefined;
  state: AnswerTestState;
  /** What was quoted first. Absent if nothing was. */
  quoted?: AnswerTestPassage | undefined;
  /** Set if it was not quoted first, but is published. */
  expected?: AnswerTestPassage | undefined;
  ranAt?: string | undefined;
};

/** A change of what is published. */
export type AnswerTestCheck = {
  /** A knowledge article: a TypeID with the prefix art. */
  articleId: string;
  /** Publishes this translation instead. */
  locale?: string | undefined;
  /** Unpublishes the article instead. */
  unpublish?: boolean | undefined;
};

/** Number of tests by state. */
export type AnswerTestCounts = {
  passed: number;
  failed: number;
  waiting: number;
};

/** A test to add, or to change if it has an id. */
export type AnswerTestInput = {
  /** An answer test: a TypeID with the prefix tst. */
  id?: string | undefined;
  question: string;
  /** A language tag in canonical BCP 47 form, such as de or pt-BR. */
  locale: string;
  /** Id or slug of the expected article; `null` if no answer is expected. */
  article: string | null;
};

/** Answer tests, with the number of all. */
export type AnswerTestPage = {
  data: AnswerTest[];
  counts: AnswerTestCounts;
  /** Cursor for the next page. Absent on the last page. */
  nextCursor?: string | undefined;
};

/** What an article says to a question. */
export type AnswerTestPassage = {
  /** A knowledge article: a TypeID with the prefix art. */
  articleId: string;
  /** Title, on one line. Not empty. */
  title: string;
  text: string;
};

/** State of a test. `waiting`: it runs soon; its passages are those of the last run. */
export type AnswerTestState = 'passed' | 'failed' | 'waiting';

/** A title or an alias. */
export type AnswerTestSuggestion = {
  question: string;
  /** A language tag in canonical BCP 47 form, such as de or pt-BR. */
  locale: string;
  /** A knowledge article: a TypeID with the prefix art. */
  articleId: string;
};

/** Suggested tests. */
export type AnswerTestSuggestions = {
  data: AnswerTestSuggestion[];
};

/** Tests to add or change. */
export type AnswerTestsInput = {
  tests: AnswerTestInput[];
};

/** Whether every question of a conversation was answered. */
export type AnsweredFilter = 'true' | 'false';

/** An API key without its secret. */
export type ApiKey = {
  /** An API key of the workspace: a TypeID with the prefix key. */
  id: string;
  /** Name of the key. May be empty. */
  name: string;
  scopes: ApiKeyScope[];
  lastFour: string;
  /** Id of a member, automation session or API key, `operator` (command line), `mail` (a reply by mail), `service` (by itself) or `unknown` (failed sign-in). */
  createdBy: string;
  createdAt: string;
  /** When the key was last used, to the minute. Absent if never used. */
  lastUsedAt?: string | undefined;
  /** Network of the last use: the client's address cut to 24 bits (IPv4) or 48 bits (IPv6). Absent if never used. */
  lastUsedNetwork?: string | undefined;
  /** Networks that the key works from, in CIDR notation. Empty if it works from everywhere. */
  allowedNetworks: string[];
  /** When the key stops working by itself. Absent if it never does. */
  expiresAt?: string | undefined;
  /** The key that a rotation created for the same purpose. */
  replacedBy?: string | undefined;
  revokedAt?: string | undefined;
};

/** A new API key with its secret. */
export type ApiKeyCreated = {
  /** An API key of the workspace: a TypeID with the prefix key. */
  id: string;
  /** Name of the key. May be empty. */
  name: string;
  scopes: ApiKeyScope[];
  lastFour: string;
  /** Id of a member, automation session or API key, `operator` (command line), `mail` (a reply by mail), `service` (by itself) or `unknown` (failed sign-in). */
  createdBy: string;
  createdAt: string;
  /** When the key was last used, to the minute. Absent if never used. */
  lastUsedAt?: string | undefined;
  /** Network of the last use: the client's address cut to 24 bits (IPv4) or 48 bits (IPv6). Absent if never used. */
  lastUsedNetwork?: string | undefined;
  /** Networks that the key works from, in CIDR notation. Empty if it works from everywhere. */
  allowedNetworks: string[];
  /** When the key stops working by itself. Absent if it never does. */
  expiresAt?: string | undefined;
  /** The key that a rotation created for the same purpose. */
  replacedBy?: string | undefined;
  revokedAt?: string | undefined;
  /** The full key. It is shown only once. */
  key: string;
};

export type ApiKeyPage = {
  data: ApiKey[];
  /** Cursor for the next page. Absent on the last page. */
  nextCursor?: string | undefined;
};

/** How an API key is replaced. */
export type ApiKeyRotation = {
  /** How long the old key goes on working, in seconds. It then ends by itself. */
  overlapSeconds: number;
  /** When the new key expires. If absent, it has the lifetime of the old one, if that has any. */
  expiresAt?: string | undefined;
  /** Networks that the new key works from. If absent, those of the old one. */
  allowedNetworks?: string[] | undefined;
};

/** A permission of an API key. */
export type ApiKeyScope = 'analytics:read' | 'events:read' | 'knowledge:read';

/** A line of an archive. Its other fields depend on the type and are for importing only. */
export type ArchiveRow = {
  /** Type of the line, such as `article` or `turn`; the last line is the `end`. */
  type: string;
};

/** An article: its working copy and the status of its translations. */
export type Article = {
  /** A knowledge article: a TypeID with the prefix art. */
  id: string;
  /** Stable name of the article in imports and exports: letters of any script, digits and any of `._~/-`. */
  slug: string;
  /** Language of the article itself. */
  locale: string;
  /** Title, on one line. Not empty. */
  title: string;
  status: ArticleStatus;
  /** Revision of the working copy, the latest. Send it as `baseRevision`. */
  revision: number;
  updatedAt: string;
  /** Id of a member, automation session or API key, `operator` (command line), `mail` (a reply by mail), `service` (by itself) or `unknown` (failed sign-in). */
  updatedBy: string;
  translations: ArticleVariant[];
  /** A collection of articles: a TypeID with the prefix col. */
  collectionId?: string | undefined;
  /** Tags, in alphabetical order. */
  tags: string[];
  /** Who sees the article: customers to whom any of the entries applies. Empty or absent: everyone. */
  audience?: string[] | undefined;
  /** Absent if it was written here. */
  source?: ArticleSource | undefined;
  /** Absent if none is scheduled. */
  scheduled?: ScheduledPublication | undefined;
  /** Absent if the article is not to be verified again. */
  verify?: ArticleVerification | undefined;
  /** The text that the guide answers from, as Markdown or plain text. Not empty. */
  answer: string;
  /** Search keywords besides title and answer. */
  aliases: string[];
  /** Public URL. */
  url?: string | undefined;
  /** Beginning of the answer as plain text, generated by the service. */
  searchSummary: string;
  /** Absent while nothing is published. */
  live?: ArticleLive | undefined;
  createdAt: string;
  /** Id of a member, automation session or API key, `operator` (command line), `mail` (a reply by mail), `service` (by itself) or `unknown` (failed sign-in). */
  createdBy: string;
};

/** The revision that the action applies to. */
export type ArticleBase = {
  /** The revision you last read. The request fails with a conflict if it is no longer the latest. */
  baseRevision: number;
};

/** The complete content of an article. It replaces the existing content. */
export type ArticleEdit = {
  /** The revision you last read. The request fails with a conflict if it is no longer the latest. */
  baseRevision: number;
  /** Title, on one line. Not empty. */
  title: string;
  /** The text that the guide answers from, as Markdown or plain text. Not empty. */
  answer: string;
  /** Search keywords. Defaults to none. */
  aliases?: string[] | undefined;
  /** Public http or https URL. Defaults to none. */
  url?: string | undefined;
};

/** The ids of all articles that match. */
export type ArticleIdList = {
  /** Ids of the matching articles, newest first. */
  data: string[];
};

/** The live revision of an article. */
export type ArticleLive = {
  revision: number;
  publishedAt: string;
  /** Id of a member, automation session or API key, `operator` (command line), `mail` (a reply by mail), `service` (by itself) or `unknown` (failed sign-in). */
  publishedBy: string;
  /** Whether the working copy differs from the live revision. */
  changed: boolean;
  /** Its page in the help centre. Absent while it has none. */
  pageUrl?: string | undefined;
};

/** A page of articles without their texts. */
export type ArticlePage = {
  data: ArticleSummary[];
  /** Cursor for the next page. Absent on the last page. */
  nextCursor?: string | undefined;
  /** Number of matching articles. Only on the first page. */
  total?: number | undefined;
};

/** A published article. */
export type ArticlePublishedData = {
  /** A knowledge article: a TypeID with the prefix art. */
  article_id: string;
  /** Stable name of the article in imports and exports: letters of any script, digits and any of `._~/-`. */
  slug: string;
  /** A language tag in canonical BCP 47 form, such as de or pt-BR. */
  locale: string;
  revision: number;
  /** Title, on one line. Not empty. */
  title: string;
  /** Address of the text on the site, or of its page in the help centre; `null` if it has none. */
  url: string | null;
};

/** A text of an article went live: published, or replaced by a newer revision. */
export type ArticlePublishedEvent = {
  type: 'article.published';
  /** When it happened. */
  timestamp: string;
  /** A workspace: a TypeID with the prefix ws. */
  tenant_id: string;
  data: ArticlePublishedData;
};

/** A revision of an article. */
export type ArticleRevision = {
  revision: number;
  event: ArticleStep;
  /** Title, on one line. Not empty. */
  title: string;
  /** The text that the guide answers from, as Markdown or plain text. Not empty. */
  answer: string;
  /** Search keywords besides title and answer. */
  aliases: string[];
  /** Public URL. */
  url?: string | undefined;
  /** Id of the member who created it, or `operator` for the command line. */
  authorId: string;
  createdAt: string;
};

export type ArticleRevisionPage = {
  data: ArticleRevision[];
  /** Cursor for the next page. Absent on the last page. */
  nextCursor?: string | undefined;
};

/** When to publish the working copy. */
export type ArticleSchedule = {
  /** The revision you last read. The request fails with a conflict if it is no longer the latest. */
  baseRevision: number;
  /** When to publish: in the future, within five years. `null` cancels a scheduled publication. */
  publishAt: string | null;
};

/** The articles to export. */
export type ArticleSelection = {
  articleIds: string[];
};

/** Order of a list of articles. */
export type ArticleSort = 'created_desc' | 'created_asc' | 'updated_desc' | 'updated_asc' | 'title_asc' | 'title_desc';

/** The source that an article comes from, and its place there. */
export type ArticleSource = {
  /** A source of articles: a TypeID with the prefix src. */
  sourceId: string;
  /** Where a text is in its source: the canonical URL of a page without its fragment, or the path in an upload, such as `manual.zip/setup.md` or `faq.csv#returning-an-order`. */
  place: string;
};

/** State of an article. `draft`: never published; `published`: live; `unpublished`: taken offline. */
export type ArticleStatus = 'draft' | 'published' | 'unpublished';

/** Step that created a revision of an article. */
export type ArticleStep = 'created' | 'edited' | 'published' | 'unpublished' | 'imported';

/** An article without its text. */
export type ArticleSummary = {
  /** A knowledge article: a TypeID with the prefix art. */
  id: string;
  /** Stable name of the article in imports and exports: letters of any script, digits and any of `._~/-`. */
  slug: string;
  /** Language of the article itself. */
  locale: string;
  /** Title, on one line. Not empty. */
  title: string;
  status: ArticleStatus;
  /** Revision of the working copy, the latest. Send it as `baseRevision`. */
  revision: number;
  updatedAt: string;
  /** Id of a member, automation session or API key, `operator` (command line), `mail` (a reply by mail), `service` (by itself) or `unknown` (failed sign-in). */
  updatedBy: string;
  translations: ArticleVariant[];
  /** A collection of articles: a TypeID with the prefix col. */
  collectionId?: string | undefined;
  /** Tags, in alphabetical order. */
  tags: string[];
  /** Who sees the article: customers to whom any of the entries applies. Empty or absent: everyone. */
  audience?: string[] | undefined;
  /** Absent if it was written here. */
  source?: ArticleSource | undefined;
  /** Absent if none is scheduled. */
  scheduled?: ScheduledPublication | undefined;
  /** Absent if the article is not to be verified again. */
  verify?: ArticleVerification | undefined;
  /** Revision that is live, if any. */
  liveRevision?: number | undefined;
  /** Whether a revision is live and the working copy differs from it. */
  changed: boolean;
};

/** An article that is no longer published. */
export type ArticleUnpublishedData = {
  /** A knowledge article: a TypeID with the prefix art. */
  article_id: string;
  /** Stable name of the article in imports and exports: letters of any script, digits and any of `._~/-`. */
  slug: string;
  /** A language tag in canonical BCP 47 form, such as de or pt-BR. */
  locale: string;
  /** Address of the text on the site, or of its page in the help centre; `null` if it has none. */
  url: string | null;
};

/** Visitors no longer get an article or its translations: it was unpublished or deleted. */
export type ArticleUnpublishedEvent = {
  type: 'article.unpublished';
  /** When it happened. */
  timestamp: string;
  /** A workspace: a TypeID with the prefix ws. */
  tenant_id: string;
  data: ArticleUnpublishedData;
};

/** Status of one translation of an article. */
export type ArticleVariant = {
  /** A translation of an article: a TypeID with the prefix tr. */
  translationId: string;
  /** A language tag in canonical BCP 47 form, such as de or pt-BR. */
  locale: string;
  status: TranslationStatus;
  /** Whether the article has changed since the working copy was translated. */
  stale: boolean;
  /** Whether an approved revision is live. Visitors see it while the article is published. */
  live: boolean;
  /** Whether the article has changed since the live revision was translated. Absent if none is live. */
  liveStale?: boolean | undefined;
  /** Absent if none is scheduled. */
  scheduled?: ScheduledPublication | undefined;
};

/** When an article is to be verified again. */
export type ArticleVerification = {
  /** When the article is due for verification. From then on it is listed as a task. */
  after: string;
  /** When this date was set. */
  checkedAt: string;
  /** The member who set this date. */
  checkedBy: string;
};

/** Questions of visitors who asked for one language. */
export type AskedLanguage = {
  /** A language tag in canonical BCP 47 form, such as de or pt-BR. */
  locale: string;
  turns: number;
  answered: number;
  /** Those of the answers whose first source was in this language. */
  native: number;
};

/** Questions that were asked on one page. */
export type AskedPage = {
  /** Without query and fragment. */
  path: string;
  turns: number;
  answered: number;
};

/** Articles that everyone sees, or those that only known customers see. */
export type AudienceFilter = 'everyone' | 'restricted';

export type AuditPage = {
  data: AuditRow[];
  /** Cursor for the next page. Absent on the last page. */
  nextCursor?: string | undefined;
};

/** An entry of the audit log. */
export type AuditRow = {
  /** Audit log entry: a TypeID with the prefix aud. */
  id: string;
  at: string;
  /** Id of a member, automation session or API key, `operator` (command line), `mail` (a reply by mail), `service` (by itself) or `unknown` (failed sign-in). */
  actor: string;
  /** The action, such as `workspace.changed`. */
  action: string;
  /** Id of the object that was acted on. */
  subject: string;
  /** The changes, as canonical JSON (RFC 8785). The fields depend on the action. */
  details: string;
  /** Browser and operating system of the actor. Absent if the action came from no request. */
  device?: string | undefined;
  /** Network of the actor: the client's address cut to 24 bits (IPv4) or 48 bits (IPv6). `several` after repeated attempts from many networks. Absent if the action came from no request. */
  network?: string | undefined;
};

/** An app that computes codes (RFC 6238). */
export type AuthenticatorApp = {
  createdAt: string;
};

/** The app is in use. */
export type AuthenticatorAppAdded = {
  /** With the first factor only. Shown only once. */
  recoveryCodes?: string[] | undefined;
};

/** A code that the app shows. */
export type AuthenticatorAppCode = {
  code: string;
};

/** What the app needs. It is not in use yet. */
export type AuthenticatorAppSecret = {
  /** In base32. */
  secret: string;
  /** For a QR code. */
  uri: string;
};

/** Rights of an automation session in one workspace. */
export type Automation = {
  /** A workspace: a TypeID with the prefix ws. */
  tenantId: string;
  /** A name that tells you what the session is for. */
  name: string;
  /** Maximum role of the session. Lower if its creator has a lower role by now. */
  role: MemberRole;
  areas: AutomationArea[];
  /** Networks that the session works from, in CIDR notation. Empty if it works from everywhere. */
  allowedNetworks: string[];
  /** Whether the session may approve translations that it wrote itself. */
  mayApproveOwn: boolean;
};

/** Area that an automation session may change. `articles` and `translations`: their texts and whether they are live. `review`: decisions on translations. `settings`: the settings of the workspace. */
export type AutomationArea = 'articles' | 'translations' | 'review' | 'settings';

/** An automation session without its token. */
export type AutomationSession = {
  /** The session; also what the audit log and revisions name as the actor. */
  id: string;
  /** A name that tells you what the session is for. */
  name: string;
  /** Maximum role of the session. Lower if its creator has a lower role by now. */
  role: MemberRole;
  areas: AutomationArea[];
  /** Networks that the session works from, in CIDR notation. Empty if it works from everywhere. */
  allowedNetworks: string[];
  /** Whether the session may approve translations that it wrote itself. */
  mayApproveOwn: boolean;
  /** Id of the owner in whose name the session acts. */
  createdBy: string;
  createdAt: string;
  expiresAt: string;
  /** When the session was last used, to the minute; at first when it was created. Absent if it has ended. */
  lastSeenAt?: string | undefined;
  active: boolean;
};

/** A new automation session with its token. */
export type AutomationSessionCreated = {
  /** The session; also what the audit log and revisions name as the actor. */
  id: string;
  /** A name that tells you what the session is for. */
  name: string;
  /** Maximum role of the session. Lower if its creator has a lower role by now. */
  role: MemberRole;
  areas: AutomationArea[];
  /** Networks that the session works from, in CIDR notation. Empty if it works from everywhere. */
  allowedNetworks: string[];
  /** Whether the session may approve translations that it wrote itself. */
  mayApproveOwn: boolean;
  /** Id of the owner in whose name the session acts. */
  createdBy: string;
  createdAt: string;
  expiresAt: string;
  /** When the session was last used, to the minute; at first when it was created. Absent if it has ended. */
  lastSeenAt?: string | undefined;
  active: boolean;
  /** The token: the value of the session cookie. It is shown only once. */
  token: string;
};

export type AutomationSessionPage = {
  data: AutomationSession[];
  /** Cursor for the next page. Absent on the last page. */
  nextCursor?: string | undefined;
};

/** An answer was not helpful, with reasons if the visitor gives some. */
export type BadFeedback = {
  /** The answer to rate. Must belong to this visitor. */
  message_id: string;
  /** The visitor's comment. */
  comment?: string | undefined;
  /** The answer was not helpful. */
  rating: 'down';
  reasons?: FeedbackReason[] | undefined;
};

/** What the user token says of the customer. */
export type BootCustomer = {
  name?: string | undefined;
  /** Email address. Case-insensitive. */
  email?: string | undefined;
};

/** Configuration and consent directive of a new visitor. */
export type BootPreview = {
  config: GuideConfig;
  consent_directive: ConsentDirective;
  region: BootRegion;
  features: GuideFeatures;
  show_branding: boolean;
};

/** Region and languages of the visitor. */
export type BootRegion = {
  /** ISO 3166-1 alpha-2 country code, or `ZZ` if unknown. */
  country_code: string;
  /** ISO 3166-2 region code, else the country code, else `ZZ`. */
  region_code: string;
  /** Languages from the browser's Accept-Language header. */
  accept_language: string;
};

/** Configuration, consent directive and visitor token. */
export type BootReply = {
  /** Visitor token for the Authorization header. `null` for crawlers. */
  jwt: string | null;
  /** When the token expires. Boot again before that. Zero if there is no token. */
  jwt_expires_at: number;
  /** Store it if `features.persist_visitor` allows, and send it with the next boot. */
  visitor_id: string;
  /** Absent if no `user_token` was sent. */
  user_token?: UserTokenResult | undefined;
  /** Present if the user token was accepted: a question to the team carries it. */
  customer?: BootCustomer | undefined;
  config: GuideConfig;
  consent_directive: ConsentDirective;
  region: BootRegion;
  features: GuideFeatures;
  show_branding: boolean;
};

/** App, page and visitor to boot the guide for. */
export type BootRequest = {
  /** App id from the install script, prefixed `gp_`. */
  app_id: string;
  /** Origin of the page. Must equal the Origin header and be an allowed domain of the app. */
  origin: string;
  /** Path of the page, to resolve `config.mount` and for analytics. Query and fragment are ignored and not stored. */
  path: string;
  /** A previous visitor id to continue with. Ids from other workspaces are replaced. */
  visitor_id?: string | undefined;
  /** A JWT with which the site says who the visitor is: signed with a key of the workspace, for the app id as `aud`, with `sub`, `exp` within 24 hours, and optionally `name` and `email`. Anything else is the visitor without it, never an error. */
  user_token?: string | undefined;
  /** The browser's Global Privacy Control signal. `false` never overrides the `Sec-GPC` header. */
  gpc?: boolean | undefined;
  /** `false` leaves the texts of the consent prompt and of the AI disclosure empty, for a client that has those of this release. */
  texts?: boolean | undefined;
  /** Used to detect crawlers and programs when there is no User-Agent header. Not stored. */
  user_agent_hint?: string | undefined;
};

/** A rectangle in CSS pixels, from its top left corner. */
export type BoundingBox = {
  /** A length or position in CSS pixels. */
  x: number;
  /** A length or position in CSS pixels. */
  y: number;
  /** A length in CSS pixels, not negative. */
  width: number;
  /** A length in CSS pixels, not negative. */
  height: number;
};

/** The name of a rate limit or cap. */
export type BucketName = 'boot/rate-limited' | 'chat/visitor-burst' | 'chat/tenant-burst' | 'chat/visitor-hour' | 'chat/ip-rate-limited' | 'consent/visitor-burst' | 'consent/ip-rate-limited' | 'visitor/visitor-burst' | 'visitor/network-burst' | 'visitor/ip-rate-limited' | 'handover/visitor-hour' | 'handover/network-hour' | 'handover/tenant-hour' | 'articles/visitor-burst' | 'articles/network-burst' | 'help/network-burst' | 'help/network-ratings' | 'voice/token-burst' | 'voice/transcribe-burst' | 'voice/speech-burst' | 'voice/usage-burst' | 'voice/ip-rate-limited' | 'session/ip-rate-limited' | 'session/account-burst' | 'session/device-sign-in' | 'session/sign-in' | 'session/account-sign-in' | 'session/factor' | 'session/account-factor' | 'session/network-resets' | 'session/account-resets' | 'export/key-burst' | 'export/ip-rate-limited' | 'mcp/key-burst' | 'mcp/ip-rate-limited' | 'tenant/member-reads' | 'tenant/member-mutations' | 'tenant/invitations' | 'tenant/invited-address' | 'tenant/member-uploads' | 'tenant/member-previews' | 'voice/cap';

/** An action on several articles. */
export type BulkAction = {
  action: BulkActionName;
  articleIds: string[];
  /** With `move`: the collection, or `null` to take the articles out of theirs. */
  collectionId?: string | null | undefined;
  /** With `tag` and `untag`: the tag to add or remove. */
  tag?: string | undefined;
  /** With `restrict`: who sees the articles; empty for everyone. */
  audience?: string[] | undefined;
};

/** Action on each of the articles. */
export type BulkActionName = 'publish' | 'unpublish' | 'move' | 'tag' | 'untag' | 'restrict' | 'delete';

/** The outcome of an action for one article. */
export type BulkOutcome = {
  /** A knowledge article: a TypeID with the prefix art. */
  articleId: string;
  outcome: BulkOutcomeName;
  /** With `refused`: a stable error code. */
  error?: string | undefined;
  /** With `publish` and `unpublish`: the status before, if the action was done. */
  previousStatus?: ArticleStatus | undefined;
  /** With `move`: the collection before. Absent if the article was in none. */
  previousCollectionId?: string | undefined;
  /** With `restrict`: who saw the article before, if changed. */
  previousAudience?: string[] | undefined;
};

/** Outcome of the action for an article. */
export type BulkOutcomeName = 'done' | 'unchanged' | 'refused';

/** Outcome of an action on several articles. */
export type BulkReply = {
  /** One outcome for each article, in the order of the request. */
  data: BulkOutcome[];
  done: number;
  refused: number;
};

/** Structured page context. It grants no control over the browser. */
export type CaptureContext = {
  page?: CapturePage | undefined;
  viewport?: Viewport | undefined;
  document?: DocumentSize | undefined;
  scroll?: ScrollPosition | undefined;
  selected_text?: string | undefined;
  focused_target?: CaptureTarget | undefined;
  /** Candidates for actions, best first; the first 50 are kept. */
  targets?: CaptureTarget[] | undefined;
};

/** Which page the visitor is on. */
export type CapturePage = {
  /** The title of the page, as its tab shows it. */
  title?: string | undefined;
  url?: string | undefined;
};

/** A candidate for an action, backed by an element of the page. Dropped with a notice when it is malformed. */
export type CaptureTarget = {
  /** A name for the element that stays the same while the page lives. */
  gp_id: string;
  /** A CSS selector; kept as data and never executed. */
  selector?: string | undefined;
  /** The ARIA role, such as button or link. */
  role?: string | undefined;
  /** The visible or accessible name of the element. */
  name?: string | undefined;
  /** Where it stands in the visible part of the page. */
  viewport_bbox?: BoundingBox | undefined;
  document_bbox?: BoundingBox | undefined;
  /** How sure the page is of this candidate, from 0 to 1. */
  confidence?: number | undefined;
  accessibility?: AccessibilityHints | undefined;
  /** True when the visitor can see it without scrolling. */
  in_viewport?: boolean | undefined;
};

/** The address of the account now. */
export type ChangedEmail = {
  /** Email address. Case-insensitive. */
  email: string;
};

/** Whether the working copy of an article differs from its live revision. */
export type ChangedFilter = 'true' | 'false';

/** One event of the stream that POST /chat returns. */
export type ChatEvent = MessageStartEvent | StatusEvent | TextDeltaEvent | TextReplaceEvent | CitationEvent | PageCitationEvent | ActionEvent | SuggestionsEvent | NoticeEvent | MessageEndEvent | ErrorEvent;

/** One conversation turn. */
export type ChatRequest = {
  /** The visitor's message. Not empty. */
  message: string;
  /** A sanitised, compact digest of the page; the first 32000 characters are read. */
  dom_digest: string;
  /** Conversation id, chosen by the client or returned by the service. U+0000 and unpaired surrogates count as U+FFFD. */
  conversation_id: string;
  /** Zero-based index of the turn. Repeating one is not an error. */
  turn_idx: number;
  /** Full URL of the page. Its origin must match the visitor token. */
  url: string;
  /** The defaults of its members when omitted. */
  viewport?: Viewport | undefined;
  /** The defaults of its members when omitted. */
  document?: DocumentSize | undefined;
  /** How far the page is scrolled down, in CSS pixels; zero when omitted. */
  scroll_pos?: number | undefined;
  /** Treated as untrusted, truncated and sanitized. */
  capture_context?: CaptureContext | undefined;
  /** Dropped with a notice if it is oversized or malformed. */
  viewport_screenshot?: ViewportScreenshot | undefined;
  action_results?: ActionOutcome[] | undefined;
};

/** The vocabulary in which an answer is streamed. */
export type ChatStream = 'guidepost' | 'ai-sdk-ui-v1';

/** What an accepted token says of the customer. */
export type CheckedCustomer = {
  /** The id that the site gives the customer: `sub` of its user tokens. */
  sub: string;
  name?: string | undefined;
  /** Email address. Case-insensitive. */
  email?: string | undefined;
  /** The attributes, as entries of audiences. */
  attributes: string[];
  /** Claims that are dropped: not declared, or with a value that is not as declared. */
  dropped: string[];
  /** When the token expires. */
  expiresAt: string;
};

/** A source of the answer: which revision, which words, which part of the answer. */
export type CitationEvent = {
  type: 'citation';
  /** Position in the stream, from zero, without gaps. */
  seq: number;
  citation_id: string;
  /** The number to show for this citation, from one. */
  index: number;
  /** A knowledge article: a TypeID with the prefix art. */
  article_id: string;
  /** The translation that is cited; absent for the source article. */
  translation_id?: string | undefined;
  /** The published revision that contains the quote. */
  revision: number;
  /** The title of the cited text, in its own language. */
  title: string;
  /** Public URL of the article. */
  url?: string | undefined;
  /** The cited words, verbatim from that revision. */
  quote: string;
  /** Where the cited statement begins in the answer, in Unicode code points. */
  start: number;
  /** Where the cited statement ends in the answer, in Unicode code points, exclusive. */
  end: number;
  /** The language that the visitor asked for. */
  requested_locale: string;
  /** The language that the cited text is in. */
  content_locale: string;
  /** Why the text is not in the requested locale. Absent if it is, or if it is a source article in the base language. */
  fallback_reason?: FallbackReason | undefined;
  /** Whether the article had changed since it was translated. */
  stale: boolean;
};

/** Citations of one article in one language. */
export type CitedArticle = {
  /** May have been deleted since. */
  article: string;
  /** A language tag in canonical BCP 47 form, such as de or pt-BR. */
  locale: string;
  citations: number;
};

/** A group of articles. An article is in one collection at most. */
export type Collection = {
  /** A collection of articles: a TypeID with the prefix col. */
  id: string;
  /** Name of the collection, on one line. Not empty. */
  name: string;
  articles: number;
};

/** The name of a collection, unique in the workspace. */
export type CollectionInput = {
  /** Name of the collection, on one line. Not empty. */
  name: string;
};

/** The collections of a workspace. */
export type CollectionList = {
  data: Collection[];
};

/** Whether a rating has a comment. */
export type CommentedFilter = 'true' | 'false';

/** Wording of the consent prompt in the visitor's language. */
export type ConsentCopy = {
  /** Version of the wording. Send it as `copy_version` with the decision. */
  version: string;
  /** A language tag in canonical BCP 47 form, such as de or pt-BR. */
  locale: string;
  title: string;
  text: string;
  accept: string;
  deny: string;
  /** Text to show, with a way to decline, where the region lets a guide proceed before a decision. */
  notice: string;
  /** Text to show when a Global Privacy Control signal was honored. */
  gpc_notice: string;
};

/** Consent decisions by mode and region. Denials leave no event and are not counted. */
export type ConsentCount = {
  /** ISO 3166-2 region code, else the country code, else `ZZ`. */
  region: string;
  /** Consent mode at decision time: `opt_in`, `opt_out` or `notice`. */
  mode: string;
  decision: VisitorDecision;
  count: number;
};

/** How consent works for this visitor. */
export type ConsentDirective = {
  mode: ConsentMode;
  /** The immutable policy behind this directive. */
  policy_version: string;
  reason: ConsentReason;
  /** ISO 3166-2 region code, else the country code, else `ZZ`. */
  region_code: string;
  ai_disclosure: AiDisclosure;
  ask: boolean;
  /** Purposes that this visitor currently allows. */
  purposes: ConsentPurposes;
  gpc: GpcState;
  /** Time in seconds since 1970-01-01T00:00:00Z. */
  expires_at?: number | undefined;
};

/** Consent directives by region. */
export type ConsentDirectives = {
  tableVersion: string;
  /** Id of the policy that these settings result in. Decisions are stored with it. */
  policyVersion: string;
  disclosure: AiDisclosure;
  copy: DirectiveCopy;
  /** Regions listed in the region table or the settings, and `ZZ` for unknown regions. */
  data: RegionDirective[];
};

/** An erased visitor. */
export type ConsentErasedData = {
  /** Pseudonym of a visitor in this workspace: a TypeID with the prefix vp. `/boot` does not take it. */
  visitor_id: string;
  erased_at: string;
};

/** A visitor had all data erased. Delete what you hold under this pseudonym. */
export type ConsentErasedEvent = {
  type: 'consent.erased';
  /** When it happened. */
  timestamp: string;
  /** A workspace: a TypeID with the prefix ws. */
  tenant_id: string;
  data: ConsentErasedData;
};

/** How consent works. `opt_in`: ask before anything optional; `opt_out`: proceed until the visitor objects; `notice`: inform only. */
export type ConsentMode = 'opt_in' | 'opt_out' | 'notice';

/** Purposes, each currently granted or denied. */
export type ConsentPurposes = {
  /** Answering questions. Always granted. */
  essential: PurposeState;
  /** Recording analytics events. */
  analytics: PurposeState;
  /** Storing a visitor id on the device. */
  persistence: PurposeState;
  /** Storing conversations for longer than a day. */
  retention: PurposeState;
  /** Reading a screenshot of the page. */
  screenshot: PurposeState;
  /** Using the microphone and speech. */
  voice: PurposeState;
};

/** Reason for the mode. */
export type ConsentReason = 'gpc' | 'prior_decision' | 'region_rule' | 'region_unknown' | 'workspace_stricter' | 'policy_changed';

/** Whether the decision was stored. */
export type ConsentReply = {
  /** True for every well-formed request. */
  ok: boolean;
  /** Whether the decision was stored. Requires a valid visitor token. */
  recorded: boolean;
};

/** The consent decision of a visitor. */
export type ConsentRequest = {
  /** The visitor. Must match the token for the decision to be recorded. */
  visitor_id: string;
  /** Page of the decision. Its origin must match the visitor token. The query is not stored. */
  url: string;
  /** Version of the consent copy that was shown. */
  copy_version: string;
  /** When the visitor decided, by the device's clock, in milliseconds. Fractions are cut off. */
  at: number;
  decision: VisitorDecision;
  /** The consent mode at decision time. */
  mode?: string | undefined;
  /** The browser's Global Privacy Control signal. `true` opts out immediately. */
  gpc?: boolean | undefined;
  /** The policy version of the directive that was shown. */
  policy_version?: string | undefined;
  region?: RegionOverride | undefined;
  override_source?: OverrideSource | undefined;
};

/** The workspace's consent settings. */
export type ConsentSettings = {
  /** Minimum strictness set by the workspace. `region` applies the regional rules as they are. */
  strictness: ConsentStrictness;
  copy: ConsentCopy;
};

/** Minimum strictness of consent, from the regional rule alone (`region`) to always asking first. */
export type ConsentStrictness = 'region' | 'notice' | 'opt_out' | 'opt_in';

/** Where visitors reach a person. At least one field is present. */
export type Contact = {
  /** Email address. Case-insensitive. */
  email?: string | undefined;
  /** An http or https URL, such as a contact page. */
  url?: string | undefined;
  /** Telephone number: digits with single spaces, and a leading + before a country code. */
  phone?: string | undefined;
};

/** Changes to the contact. Omitted fields stay unchanged. */
export type ContactChange = {
  /** Email address, or `null` for none. */
  email?: string | null | undefined;
  /** Contact page, an http or https URL, or `null` for none. */
  url?: string | null | undefined;
  /** Telephone number: digits, single spaces and a leading +, or `null` for none. */
  phone?: string | null | undefined;
};

/** A conversation of this visitor. */
export type Conversation = {
  /** Conversation id, chosen by the client or the service. Percent-encoded in a path. */
  conversation_id: string;
  /** Time in seconds since 1970-01-01T00:00:00Z. */
  started_at: number;
  /** The index to send with the next turn. */
  next_turn_idx: number;
  /** The turns, oldest first. */
  turns: ConversationTurn[];
};

/** A note of the team on a conversation. */
export type ConversationNote = {
  /** A note: a TypeID with the prefix note. */
  id: string;
  /** Text of the note. */
  text: string;
  createdAt: string;
  /** The member who wrote the note. */
  createdBy: string;
};

/** A question of the visitor and its answer. */
export type ConversationTurn = {
  /** Index of the turn, as sent by the visitor. */
  turn_idx: number;
  /** One answer of the guide: a TypeID with the prefix msg. */
  message_id: string;
  message: string;
  /** The answer, or the part of it that was written before an interruption. */
  answer: string;
  state: TurnState;
  /** Why the answer ended. Absent while it is running or if it failed. */
  finish_reason?: FinishReason | undefined;
  /** The language that the visitor asked for. */
  requested_locale: string;
  citations: CitationEvent[];
  page_citations: PageCitationEvent[];
  rating?: FeedbackRating | undefined;
  /** `true` if the visitor asked for a person or complained, so that a page should offer one. */
  offers_person?: boolean | undefined;
  /** When the visitor asked, in Unix seconds. */
  asked_at: number;
};

/** A claim of user tokens that is kept. */
export type CustomerAttribute = {
  /** Name of the claim. */
  name: string;
  type: CustomerAttributeType;
  /** The values of `one_of`, which needs them; absent for other types. */
  values?: string[] | undefined;
};

/** Type of the value. `one_of`: a text of a list. */
export type CustomerAttributeType = 'text' | 'boolean' | 'one_of';

/** A key that proves the tokens of known customers, without its secret. */
export type CustomerKey = {
  /** A key that proves the tokens of known customers: a TypeID with the prefix ck. */
  id: string;
  kind: CustomerKeyKind;
  /** Absent for a secret. */
  url?: string | undefined;
  createdAt: string;
  /** Id of a member, automation session or API key, `operator` (command line), `mail` (a reply by mail), `service` (by itself) or `unknown` (failed sign-in). */
  createdBy: string;
};

/** A new key. Its secret is shown only once. */
export type CustomerKeyCreated = {
  /** A key that proves the tokens of known customers: a TypeID with the prefix ck. */
  id: string;
  kind: CustomerKeyKind;
  /** Absent for a secret. */
  url?: string | undefined;
  createdAt: string;
  /** Id of a member, automation session or API key, `operator` (command line), `mail` (a reply by mail), `service` (by itself) or `unknown` (failed sign-in). */
  createdBy: string;
  /** Sign with these characters as they are. Absent for a key set. */
  secret?: string | undefined;
};

/** `secret`: shared with the site, for HS256. `key_set`: public keys of the site, for RS256 and ES256. */
export type CustomerKeyKind = 'secret' | 'key_set';

/** The keys of the workspace, newest first. */
export type CustomerKeyList = {
  data: CustomerKey[];
};

/** The customer whom a request is about. */
export type CustomerRequest = {
  /** The id that the site gives the customer: `sub` of its user tokens. */
  sub: string;
};

/** The visitor that a known customer is in the data. */
export type CustomerVisitor = {
  /** Pseudonym of a visitor in this workspace: a TypeID with the prefix vp. `/boot` does not take it. */
  visitorId: string;
};

/** How conversations ended. Exact up to 65,536 conversations, within about 1 % above. */
export type DeflectionFigures = {
  /** Conversations of visitors who agreed to storage, without programs. */
  conversations: number;
  /** Those of them whose last question was answered. */
  answered: number;
};

/** The weekly mail to the caller. */
export type Digest = {
  /** Whether the caller gets a mail each week that counts what waits in the workspace. */
  isOn: boolean;
  /** Whether the service sends mail. */
  sendsMail: boolean;
};

/** Whether to get the weekly mail. */
export type DigestChange = {
  /** Whether the caller gets a mail each week that counts what waits in the workspace. */
  isOn: boolean;
};

/** The wording of the consent prompt in one language. */
export type DirectiveCopy = {
  version: string;
  /** A language tag in canonical BCP 47 form, such as de or pt-BR. */
  locale: string;
  title: string;
  text: string;
  accept: string;
  deny: string;
  /** Text shown when a Global Privacy Control signal was honored. */
  gpcNotice: string;
};

/** When the disclosure must be shown at the latest. */
export type DisclosureMoment = 'before_first_message';

/** A suggested alias of an article that is not to be suggested again. */
export type DismissedAlias = {
  /** Another phrase that people search for. */
  alias: string;
  /** A language tag in canonical BCP 47 form, such as de or pt-BR. */
  locale: string;
};

/** Size of the whole page in CSS pixels. */
export type DocumentSize = {
  /** A length in CSS pixels, not negative. */
  width?: number | undefined;
  /** A length in CSS pixels, not negative. */
  height?: number | undefined;
};

/** The file that proves that the domain is yours, instead of the record. */
export type DomainFile = {
  /** Where it is looked for, without following redirects. */
  url: string;
  content: string;
};

/** The TXT record that proves that the domain is yours. */
export type DomainRecord = {
  name: string;
  value: string;
};

/** A domain of the identity provider. */
export type DomainToProve = {
  /** The part of e-mail addresses after the @, in lower case (ASCII). */
  domain: string;
};

/** The link of the mail. */
export type EmailChangeConfirmation = {
  /** The token after `#token=` in the link. */
  token: string;
};

/** The address that the account is to have. */
export type EmailChangeRequest = {
  /** Email address. Case-insensitive. */
  email: string;
};

/** Number of erased records. The consent log is kept without the visitor's identity. */
export type ErasureReply = {
  /** Always `true`. */
  ok: boolean;
  conversations: number;
  events: number;
  feedback: number;
};

/** The body of every error response. */
export type ErrorBody = {
  /** Stable error code. The document lists those of each operation and of each status. */
  error: string;
  /** Human-readable message. It may change, so do not compare against it. */
  message: string;
  /** Id of the request in the server logs; also sent as `x-request-id`. */
  request_id: string;
  /** With status 429: the limit that was exceeded. */
  bucket?: BucketName | undefined;
  /** Seconds to wait before retrying; the same value as the Retry-After header. */
  retryAfterSec?: number | undefined;
  /** With `request/invalid`: the invalid parts of the request. */
  issues?: RequestProblem[] | undefined;
  /** With a conflict: the latest revision. Read it and send it as the next `baseRevision`. */
  currentRevision?: number | undefined;
  /** With `translation/stale` and `translation/source_changed`: the revision of the article to translate from. */
  currentSourceRevision?: number | undefined;
  /** With `not_allowed`: the status that does not allow the action. */
  currentStatus?: string | undefined;
  /** With `tenant/storage_full`: the storage that the workspace uses, as last measured. */
  usedBytes?: number | undefined;
  /** With `tenant/storage_full`: the storage limit of the workspace. */
  bytesMax?: number | undefined;
  /** With `image/in_use`: how many articles show the image. */
  usedBy?: number | undefined;
  /** With a conflict: id of the member who created the latest revision, or `operator`. */
  changedBy?: string | undefined;
  /** With a conflict: when the latest revision was created. */
  changedAt?: string | undefined;
};

/** The last event of an answer that could not be completed. */
export type ErrorEvent = {
  type: 'error';
  /** Position in the stream, from zero, without gaps. */
  seq: number;
  code: string;
  /** Human-readable message. It may change. */
  message: string;
  /** Whether retrying the same turn may help. */
  retryable: boolean;
  /** Seconds to wait before retrying. */
  retry_after_sec?: number | undefined;
  request_id: string;
  /** True when part of the answer was already sent. */
  partial: boolean;
};

/** The type of an event row. */
export type EventType = 'boot' | 'consent' | 'turn' | 'citation' | 'action' | 'action_outcome' | 'feedback' | 'article_feedback' | 'voice' | 'search' | 'rate_limited';

/** An action that a finished answer proposed. */
export type ExportedAction = {
  /** The event row: a TypeID with the prefix evt. */
  id: string;
  /** When the event happened, in UTC. Rows are ordered by it, then by id. */
  at: string;
  /** Type of the event; it determines the fields of `data`. */
  type: 'action';
  /** The visitor. Absent if consent does not allow it. */
  visitor_id?: string | undefined;
  /** The conversation. Absent if there is none or consent does not allow it. */
  conversation_id?: string | undefined;
  data: ExportedActionData;
};

export type ExportedActionData = {
  /** The answer. Only in events that name their visitor. */
  message_id?: string | undefined;
  /** True for programs, which do not count as visitors. */
  library?: boolean | undefined;
  action_id: string;
  kind: ActionKind;
  requires_confirmation: boolean;
};

/** Outcome of an action; the row comes when the page reports it. */
export type ExportedActionOutcome = {
  /** The event row: a TypeID with the prefix evt. */
  id: string;
  /** When the event happened, in UTC. Rows are ordered by it, then by id. */
  at: string;
  /** Type of the event; it determines the fields of `data`. */
  type: 'action_outcome';
  /** The visitor. Absent if consent does not allow it. */
  visitor_id?: string | undefined;
  /** The conversation. Absent if there is none or consent does not allow it. */
  conversation_id?: string | undefined;
  data: ExportedActionOutcomeData;
};

export type ExportedActionOutcomeData = {
  /** True for programs, which do not count as visitors. */
  library?: boolean | undefined;
  action_id: string;
  outcome: OutcomeKind;
};

/** The newest text of an article, as a line that can be imported. */
export type ExportedArticle = {
  /** Stable name of the article in imports and exports: letters of any script, digits and any of `._~/-`. */
  slug: string;
  /** Language of the article itself. */
  locale: string;
  /** Title, on one line. Not empty. */
  title: string;
  /** The text that the guide answers from, as Markdown or plain text. Not empty. */
  answer: string;
  /** Search keywords besides title and answer. */
  aliases: string[];
  /** Public http or https URL. */
  url?: string | undefined;
  /** Name of the collection, on one line. Not empty. */
  collection?: string | undefined;
  /** Tags, in alphabetical order. */
  tags?: string[] | undefined;
  /** Who sees the article: customers to whom any of the entries applies. Empty or absent: everyone. */
  audience?: string[] | undefined;
  /** Translations that have a live revision. */
  translations: ExportedTranslation[];
};

/** A rating of an article in the help centre, without its visitor. */
export type ExportedArticleFeedback = {
  /** The event row: a TypeID with the prefix evt. */
  id: string;
  /** When the event happened, in UTC. Rows are ordered by it, then by id. */
  at: string;
  /** Type of the event; it determines the fields of `data`. */
  type: 'article_feedback';
  /** The visitor. Absent if consent does not allow it. */
  visitor_id?: string | undefined;
  /** The conversation. Absent if there is none or consent does not allow it. */
  conversation_id?: string | undefined;
  data: ExportedArticleFeedbackData;
};

export type ExportedArticleFeedbackData = {
  /** True for programs, which do not count as visitors. */
  library?: boolean | undefined;
  /** A knowledge article: a TypeID with the prefix art. */
  article_id: string;
  /** The language of the rated text. */
  content_locale: string;
  rating: FeedbackRating;
};

/** A page on which the guide started; crawlers leave no row. */
export type ExportedBoot = {
  /** The event row: a TypeID with the prefix evt. */
  id: string;
  /** When the event happened, in UTC. Rows are ordered by it, then by id. */
  at: string;
  /** Type of the event; it determines the fields of `data`. */
  type: 'boot';
  /** The visitor. Absent if consent does not allow it. */
  visitor_id?: string | undefined;
  /** The conversation. Absent if there is none or consent does not allow it. */
  conversation_id?: string | undefined;
  data: ExportedBootData;
};

export type ExportedBootData = {
  /** True for programs, which do not count as visitors. */
  library?: boolean | undefined;
  path: string;
  /** ISO 3166-2 region code, else the country code, else `ZZ`. */
  region_code: string;
  mode: ConsentMode;
  /** The language of the texts that were shown. */
  locale: string;
  returning: boolean;
};

/** A source of a finished answer. */
export type ExportedCitationEvent = {
  /** The event row: a TypeID with the prefix evt. */
  id: string;
  /** When the event happened, in UTC. Rows are ordered by it, then by id. */
  at: string;
  /** Type of the event; it determines the fields of `data`. */
  type: 'citation';
  /** The visitor. Absent if consent does not allow it. */
  visitor_id?: string | undefined;
  /** The conversation. Absent if there is none or consent does not allow it. */
  conversation_id?: string | undefined;
  data: ExportedCitationEventData;
};

export type ExportedCitationEventData = {
  /** The answer. Only in events that name their visitor. */
  message_id?: string | undefined;
  /** True for programs, which do not count as visitors. */
  library?: boolean | undefined;
  /** A knowledge article: a TypeID with the prefix art. */
  article_id: string;
  /** The published revision that was cited. */
  revision: number;
  /** The language that the visitor asked for. */
  requested_locale: string;
  /** The language that the cited text is in. */
  content_locale: string;
  /** Why the text is not in the requested locale: base_language or source_article; else null. */
  fallback_reason: string | null;
  /** Whether the article had changed since it was translated. */
  stale: boolean;
};

/** A consent decision of a visitor who may be counted. Refusals leave no event row. */
export type ExportedConsent = {
  /** The event row: a TypeID with the prefix evt. */
  id: string;
  /** When the event happened, in UTC. Rows are ordered by it, then by id. */
  at: string;
  /** Type of the event; it determines the fields of `data`. */
  type: 'consent';
  /** The visitor. Absent if consent does not allow it. */
  visitor_id?: string | undefined;
  /** The conversation. Absent if there is none or consent does not allow it. */
  conversation_id?: string | undefined;
  data: ExportedConsentData;
};

export type ExportedConsentData = {
  /** True for programs, which do not count as visitors. */
  library?: boolean | undefined;
  decision: VisitorDecision;
  /** Consent mode at decision time. */
  mode: ConsentMode;
  reason: ConsentReason;
  /** ISO 3166-2 region code, else the country code, else `ZZ`. */
  region_code: string;
};

/** A conversation at the time of the export. */
export type ExportedConversation = {
  /** Conversation id, chosen by the client or the service. Percent-encoded in a path. */
  id: string;
  /** When the conversation began, or when its visitor agreed to storage if that was later. Rows are ordered and filtered by it. */
  at: string;
  /** Pseudonym of a visitor in this workspace: a TypeID with the prefix vp. `/boot` does not take it. */
  visitor_id: string;
  started_at: string;
  last_at: string;
  turns: number;
  /** A language tag in canonical BCP 47 form, such as de or pt-BR. */
  locale: string;
  first_message: string;
  /** Whether every question was answered (finish reason `stop` or `length`). */
  answered: boolean;
  rating?: FeedbackRating | undefined;
};

/** A page of conversations, oldest first. */
export type ExportedConversationPage = {
  /** Ordered by `at`. */
  data: ExportedConversation[];
  /** Cursor after the last row, also on the last page. `null` if the page is empty. */
  next_cursor: string | null;
  /** Whether there are more rows now. */
  has_more: boolean;
};

/** An event of the workspace, discriminated by its type. */
export type ExportedEvent = ExportedBoot | ExportedConsent | ExportedTurnEvent | ExportedCitationEvent | ExportedAction | ExportedActionOutcome | ExportedFeedback | ExportedArticleFeedback | ExportedVoiceUse | ExportedSearch | ExportedLimitHit;

/** A page of events, oldest first. */
export type ExportedEventPage = {
  /** Ordered by `at`. */
  data: ExportedEvent[];
  /** Cursor after the last row, also on the last page. `null` if the page is empty. */
  next_cursor: string | null;
  /** Whether there are more rows now. */
  has_more: boolean;
};

/** A rating of an answer; one that is changed later leaves one more row. */
export type ExportedFeedback = {
  /** The event row: a TypeID with the prefix evt. */
  id: string;
  /** When the event happened, in UTC. Rows are ordered by it, then by id. */
  at: string;
  /** Type of the event; it determines the fields of `data`. */
  type: 'feedback';
  /** The visitor. Absent if consent does not allow it. */
  visitor_id?: string | undefined;
  /** The conversation. Absent if there is none or consent does not allow it. */
  conversation_id?: string | undefined;
  data: ExportedFeedbackData;
};

export type ExportedFeedbackData = {
  /** The answer. Only in events that name their visitor. */
  message_id?: string | undefined;
  /** True for programs, which do not count as visitors. */
  library?: boolean | undefined;
  rating: FeedbackRating;
};

/** Refused requests: one row for each limit, visitor and minute, without the visitor's id. */
export type ExportedLimitHit = {
  /** The event row: a TypeID with the prefix evt. */
  id: string;
  /** When the event happened, in UTC. Rows are ordered by it, then by id. */
  at: string;
  /** Type of the event; it determines the fields of `data`. */
  type: 'rate_limited';
  /** The visitor. Absent if consent does not allow it. */
  visitor_id?: string | undefined;
  /** The conversation. Absent if there is none or consent does not allow it. */
  conversation_id?: string | undefined;
  data: ExportedLimitHitData;
};

export type ExportedLimitHitData = {
  bucket: string;
};

/** A search in the articles. */
export type ExportedSearch = {
  /** The event row: a TypeID with the prefix evt. */
  id: string;
  /** When the event happened, in UTC. Rows are ordered by it, then by id. */
  at: string;
  /** Type of the event; it determines the fields of `data`. */
  type: 'search';
  /** The visitor. Absent if consent does not allow it. */
  visitor_id?: string | undefined;
  /** The conversation. Absent if there is none or consent does not allow it. */
  conversation_id?: string | undefined;
  data: ExportedSearchData;
};

export type ExportedSearchData = {
  /** True for programs, which do not count as visitors. */
  library?: boolean | undefined;
  /** The language that the visitor asked for. */
  locale: string;
  results: number;
  /** The searched words, with recognized personal data masked. Absent unless the visitor agreed to storage. */
  words?: string | undefined;
};

/** A source of an answer, with the words that were cited. */
export type ExportedSource = {
  /** A knowledge article: a TypeID with the prefix art. */
  article_id: string;
  /** The translation that is cited; absent for the source article. */
  translation_id?: string | undefined;
  /** The published revision that contains the quote. */
  revision: number;
  /** The title of the cited text, in its own language. */
  title: string;
  /** Public URL of the article. */
  url?: string | undefined;
  /** The cited words, verbatim from that revision. */
  quote: string;
  /** The language that the visitor asked for. */
  requested_locale: string;
  /** The language that the cited text is in. */
  content_locale: string;
  /** Why the text is not in the requested locale. Absent if it is, or if it is a source article in the base language. */
  fallback_reason?: FallbackReason | undefined;
  /** Whether the article had changed since it was translated. */
  stale: boolean;
};

/** One turn: a question and its answer. */
export type ExportedTranscript = {
  /** The answer: a TypeID with the prefix msg. Id of the row. */
  message_id: string;
  /** When the answer ended, or when its visitor agreed to storage if that was later. Rows are ordered and filtered by it. */
  at: string;
  /** Conversation id, chosen by the client or the service. Percent-encoded in a path. */
  conversation_id: string;
  /** Pseudonym of a visitor in this workspace: a TypeID with the prefix vp. `/boot` does not take it. */
  visitor_id: string;
  /** Index of the turn, as sent by the visitor. */
  turn_idx: number;
  asked_at: string;
  finished_at: string;
  /** The language that the visitor asked for. */
  locale: string;
  message: string;
  /** The answer, or the part of it that was written before an interruption. */
  answer: string;
  /** How the answer ended: complete, interrupted or failed. */
  state: TurnState;
  /** Why the answer ended. Absent while it is running or if it failed. */
  finish_reason?: FinishReason | undefined;
  citations: ExportedSource[];
  /** The rating at the time of the export. */
  rating?: FeedbackRating | undefined;
  /** The visitor's comment. */
  comment?: string | undefined;
  reasons?: FeedbackReason[] | undefined;
};

/** A page of transcripts, oldest first. */
export type ExportedTranscriptPage = {
  /** Ordered by `at`. */
  data: ExportedTranscript[];
  /** Cursor after the last row, also on the last page. `null` if the page is empty. */
  next_cursor: string | null;
  /** Whether there are more rows now. */
  has_more: boolean;
};

/** The live text of a translation. */
export type ExportedTranslation = {
  /** A language tag in canonical BCP 47 form, such as de or pt-BR. */
  locale: string;
  /** Title, on one line. Not empty. */
  title: string;
  /** The text that the guide answers from, as Markdown or plain text. Not empty. */
  answer: string;
  /** Search keywords besides title and answer. */
  aliases: string[];
};

/** An answer that was finished. */
export type ExportedTurnEvent = {
  /** The event row: a TypeID with the prefix evt. */
  id: string;
  /** When the event happened, in UTC. Rows are ordered by it, then by id. */
  at: string;
  /** Type of the event; it determines the fields of `data`. */
  type: 'turn';
  /** The visitor. Absent if consent does not allow it. */
  visitor_id?: string | undefined;
  /** The conversation. Absent if there is none or consent does not allow it. */
  conversation_id?: string | undefined;
  data: ExportedTurnEventData;
};

export type ExportedTurnEventData = {
  /** The answer. Only in events that name their visitor. */
  message_id?: string | undefined;
  /** True for programs, which do not count as visitors. */
  library?: boolean | undefined;
  path: string;
  turn_idx: number;
  first: boolean;
  finish_reason: FinishReason;
  /** Whether the finish reason is `stop` or `length`. */
  answered: boolean;
  /** How well the sources fit the question, from 0 to 1. */
  answer_confidence: number;
  /** The language that the visitor asked for. */
  requested_locale: string;
  /** The language of the first source; null without a source. */
  content_locale: string | null;
  /** The published article closest to a question without an answer; null where none is close, or with an answer. Absent in older events. */
  nearest_article_id?: string | null | undefined;
  citations: number;
  actions: number;
  /** Milliseconds from the question to the end of the answer. */
  millis: number;
  /** Milliseconds from the question to the first text; null where there was none. */
  first_text_millis: number | null;
};

/** A use of voice that was charged to the workspace. */
export type ExportedVoiceUse = {
  /** The event row: a TypeID with the prefix evt. */
  id: string;
  /** When the event happened, in UTC. Rows are ordered by it, then by id. */
  at: string;
  /** Type of the event; it determines the fields of `data`. */
  type: 'voice';
  /** The visitor. Absent if consent does not allow it. */
  visitor_id?: string | undefined;
  /** The conversation. Absent if there is none or consent does not allow it. */
  conversation_id?: string | undefined;
  data: ExportedVoiceUseData;
};

export type ExportedVoiceUseData = {
  /** True for programs, which do not count as visitors. */
  library?: boolean | undefined;
  kind: VoiceKind;
  provider: string;
  /** Seconds of audio charged. 0 for failures. */
  seconds: number;
  outcome: VoiceOutcome;
};

/** Citations that were not in the requested language. */
export type FallbackCount = {
  reason: string;
  count: number;
};

/** Why a text is not in the requested locale: it is a translation in the base language, or the source. */
export type FallbackReason = 'base_language' | 'source_article';

/** Ratings given. A changed rating counts again. */
export type FeedbackFigures = {
  up: number;
  down: number;
};

/** Whether an answer was helpful. */
export type FeedbackRating = 'up' | 'down';

/** A defect of an answer, as a visitor reports it. */
export type FeedbackReason = 'incorrect' | 'outdated' | 'off_topic';

/** Ratings that reported this defect of an answer. */
export type FeedbackReasonCount = {
  reason: FeedbackReason;
  count: number;
};

/** The rating was stored. */
export type FeedbackReply = {
  /** Always `true`. */
  ok: boolean;
};

/** A rating of an answer. It replaces an earlier one. */
export type FeedbackRequest = GoodFeedback | BadFeedback;

/** Where the files of a source are. */
export type FilesSettings = {
  /** https URL of the folder where visitors can open the files: `guide.pdf` at this URL followed by `guide.pdf`, a file of a zip by its path in it. Articles then have the address of their file, and citations of a PDF lead to its page, unless a document states an address of its own; articles of CSV and JSONL have none. It counts for files that are uploaded afterwards; upload others again to give their articles the new address. */
  baseUrl: string;
};

/** Why the answer ended; no_knowledge means that nothing published fits the question. */
export type FinishReason = 'stop' | 'length' | 'refusal' | 'no_knowledge' | 'cancelled';

/** A role that a provider can give. Owners are named in the workspace alone. */
export type GivenRole = 'admin' | 'member';

/** An answer was helpful. This rating has no reasons. */
export type GoodFeedback = {
  /** The answer to rate. Must belong to this visitor. */
  message_id: string;
  /** The visitor's comment. */
  comment?: string | undefined;
  /** The answer was helpful. */
  rating: 'up';
};

/** Whether the visitor's browser sends a Global Privacy Control signal. */
export type GpcGiven = 'true' | 'false';

/** Handling of the visitor's Global Privacy Control signal. */
export type GpcState = {
  received: boolean;
  /** Whether the signal was treated as an opt-out. Show this to the visitor. */
  honored: boolean;
};

/** The role of the members of a group. */
export type GroupRole = {
  /** A value of the groups claim. */
  group: string;
  role: GivenRole;
};

/** What a rule is about: how the guide writes, when it asks the visitor back, when it hands over to a person, or what it never says. */
export type GuidanceKind = 'style' | 'ask_back' | 'hand_over' | 'never_say';

/** A rule for answers that a language model writes. */
export type GuidanceRule = {
  kind: GuidanceKind;
  /** Names the rule for members. Not sent to the model. */
  name: string;
  /** When the rule applies, in your own words. If absent, always. */
  when?: string | undefined;
  /** What the guide does, in your own words. */
  text: string;
  enabled: boolean;
};

/** Appearance of the guide. */
export type GuideBranding = {
  /** Title of the panel. If absent, a default in the visitor's language is used. */
  title?: string | undefined;
  /** Color of the launcher and buttons, as #rrggbb. If absent, the default is used. */
  color?: string | undefined;
  launcher: LauncherSide;
  /** Logo in the greeting: the address of an image of the workspace. */
  logo?: string | undefined;
  /** Picture on the launcher. If absent, a bubble. */
  icon?: LauncherIcon | undefined;
  /** Words on the launcher. If absent, it shows only the picture. */
  label?: string | undefined;
};

/** Changes to the appearance. Omitted fields stay unchanged. */
export type GuideBrandingChange = {
  /** Title of the panel, or `null` for the default. */
  title?: string | null | undefined;
  /** Color of the launcher and buttons as #rrggbb, or `null` for the default. */
  color?: string | null | undefined;
  launcher?: LauncherSide | undefined;
  /** Address of the logo, or `null` for none. */
  logo?: string | null | undefined;
  icon?: LauncherIcon | undefined;
  /** Words on the launcher, or `null` for none. */
  label?: string | null | undefined;
};

/** Configuration of the guide in this workspace. */
export type GuideConfig = {
  workspace_id: string;
  name: string;
  /** A language tag in canonical BCP 47 form, such as de or pt-BR. */
  source_locale: string;
  /** Languages with published knowledge, including the source language. */
  locales: string[];
  /** Language that most answers to this visitor will be in. */
  content_locale: string;
  /** The workspace's suggested questions, or titles of its articles where it has none. Show those of `mount`, which are for this page, before the first message. */
  suggestions: string[];
  mount: Mount;
  /** Maximum length of a message to `/chat`, in characters. */
  message_chars_max: number;
  consent: ConsentSettings;
  branding: GuideBranding;
  /** Absent if nothing is set. */
  contact?: Contact | undefined;
  /** Absent if visitors cannot ask a person. */
  handover?: GuideHandover | undefined;
};

/** Features available to this visitor. */
export type GuideFeatures = {
  chat: boolean;
  page_actions: boolean;
  screenshot: boolean;
  feedback: boolean;
  voice: boolean;
  persist_visitor: boolean;
};

/** How visitors ask a person. */
export type GuideHandover = {
  /** Never `off`: then the whole object is absent. */
  mode: HandoverMode;
  /** When visitors can expect an answer, in your own words. */
  answer_time?: string | undefined;
  /** Maximum number of turns that a visitor may send of a conversation. */
  turns_max: number;
  /** Longer answers of these turns are cut. */
  answer_chars_max: number;
  /** Send the form no earlier than this after it was shown. */
  form_seconds_min: number;
};

/** A question of a visitor to a person, with everything about it. */
export type Handover = {
  /** A handover: a TypeID with the prefix ho. */
  id: string;
  state: HandoverState;
  /** What the visitor wrote to the team. */
  message: string;
  /** Name of the visitor, in one line. */
  name?: string | undefined;
  /** Address of the visitor. */
  email: string;
  /** Page on which the visitor asked, without its query. */
  pageUrl: string;
  /** Language of the visitor. */
  locale: string;
  /** Pseudonym of a visitor in this workspace: a TypeID with the prefix vp. `/boot` does not take it. */
  visitorId: string;
  /** The member it is assigned to. Absent if it is unassigned. */
  assigneeId?: string | undefined;
  createdAt: string;
  /** The conversation, if the workspace may read it: the visitor agreed to storage. */
  conversationId?: string | undefined;
  /** What the visitor sent of the conversation, oldest first. */
  transcript?: HandoverTurn[] | undefined;
  /** Summary of `transcript` by a language model, which may be wrong. */
  summary?: string | undefined;
  /** Replies, oldest first. */
  replies: HandoverReply[];
  /** Notes of the team, oldest first. Visitors never see them. */
  notes: ConversationNote[];
};

/** Changes to a handover. Absent fields stay as they are. */
export type HandoverChange = {
  state?: HandoverState | undefined;
  /** The member to assign it to, or `null` to unassign it. */
  assigneeId?: string | null | undefined;
};

/** Number of open handovers, regardless of the filters. */
export type HandoverCounts = {
  open: number;
  /** Open handovers that are assigned to the caller. */
  mine: number;
};

/** A question to a person. */
export type HandoverCreatedData = {
  /** A question to a person: a TypeID with the prefix ho. */
  id: string;
  state: string;
  message: string;
  name: string | null;
  /** Email address. Case-insensitive. */
  email: string | null;
  /** Full http or https URL of the page that the visitor is on. */
  page_url: string | null;
  /** A language tag in canonical BCP 47 form, such as de or pt-BR. */
  locale: string;
  created_at: string;
  /** Conversation id, chosen by the client or the service. Percent-encoded in a path. */
  conversation_id: string | null;
  /** The conversation as text; `null` unless the visitor agreed to send it. */
  transcript: string | null;
  /** Summary of `transcript` by a language model, which may be wrong; `null` without one. */
  summary: string | null;
};

/** A visitor asked for an answer by a person. */
export type HandoverCreatedEvent = {
  type: 'handover.created';
  /** When it happened. */
  timestamp: string;
  /** A workspace: a TypeID with the prefix ws. */
  tenant_id: string;
  data: HandoverCreatedData;
};

/** When the guide offers to ask a person: never; where it has no answer, after a bad rating and when a visitor asks for a person; or also before the first question and below every answer. */
export type HandoverMode = 'off' | 'when_needed' | 'always';

/** Handovers to return: assigned to the caller, to nobody, or all. */
export type HandoverOwner = 'me' | 'nobody' | 'everybody';

/** A page of handovers. */
export type HandoverPage = {
  /** Newest first. */
  data: HandoverSummary[];
  counts: HandoverCounts;
  /** Cursor for the next page. Absent on the last page. */
  nextCursor?: string | undefined;
};

/** A question to a person, with the newest reply. */
export type HandoverRepliedData = {
  /** A question to a person: a TypeID with the prefix ho. */
  id: string;
  state: string;
  message: string;
  name: string | null;
  /** Email address. Case-insensitive. */
  email: string | null;
  /** Full http or https URL of the page that the visitor is on. */
  page_url: string | null;
  /** A language tag in canonical BCP 47 form, such as de or pt-BR. */
  locale: string;
  created_at: string;
  /** Conversation id, chosen by the client or the service. Percent-encoded in a path. */
  conversation_id: string | null;
  /** The conversation as text; `null` unless the visitor agreed to send it. */
  transcript: string | null;
  /** Summary of `transcript` by a language model, which may be wrong; `null` without one. */
  summary: string | null;
  reply: string;
  replied_at: string;
};

/** A person replied to a question of a visitor. */
export type HandoverRepliedEvent = {
  type: 'handover.replied';
  /** When it happened. */
  timestamp: string;
  /** A workspace: a TypeID with the prefix ws. */
  tenant_id: string;
  data: HandoverRepliedData;
};

/** A reply of the team. */
export type HandoverReply = {
  /** A reply to a handover: a TypeID with the prefix hor. */
  id: string;
  /** Text of the reply, without formatting. */
  text: string;
  createdAt: string;
  /** Who replied. */
  createdBy: string;
};

/** Questions of visitors to a person. */
export type HandoverSettings = {
  mode: HandoverMode;
  /** When visitors can expect an answer, in your own words. */
  answerTime?: string | undefined;
  /** Where questions to a person are mailed to, if the service sends mail. */
  email?: string | undefined;
};

/** Changes to questions to a person. Omitted fields stay unchanged. */
export type HandoverSettingsChange = {
  mode?: HandoverMode | undefined;
  /** When visitors can expect an answer, or `null`. */
  answerTime?: string | null | undefined;
  /** Where questions are mailed to, or `null` for nowhere. */
  email?: string | null | undefined;
};

/** State of a handover. A reply makes it `answered`. */
export type HandoverState = 'open' | 'answered' | 'closed';

/** A question of a visitor to a person. */
export type HandoverSummary = {
  /** A handover: a TypeID with the prefix ho. */
  id: string;
  state: HandoverState;
  /** What the visitor wrote to the team. */
  message: string;
  /** Name of the visitor, in one line. */
  name?: string | undefined;
  /** Address of the visitor. */
  email: string;
  /** Page on which the visitor asked, without its query. */
  pageUrl: string;
  /** Language of the visitor. */
  locale: string;
  /** Pseudonym of a visitor in this workspace: a TypeID with the prefix vp. `/boot` does not take it. */
  visitorId: string;
  /** The member it is assigned to. Absent if it is unassigned. */
  assigneeId?: string | undefined;
  createdAt: string;
};

/** A question and the answer of the guide. */
export type HandoverTurn = {
  question: string;
  /** The answer, cut to 3000 characters. */
  answer: string;
};

/** Where the pages of the help centre are. */
export type HelpAddress = {
  /** Where they begin, whether or not the help centre is on. */
  url: string;
  /** Whether the operator of the service has given it this domain, which wins over its own. */
  isGiven: boolean;
  /** The domain of its own. Absent without one. */
  domain?: HelpDomain | undefined;
};

/** A published article in the visitor's language. */
export type HelpArticle = {
  /** A knowledge article: a TypeID with the prefix art. */
  article_id: string;
  /** The title of the cited text, in its own language. */
  title: string;
  /** Public URL of the article. */
  url?: string | undefined;
  /** The language that the visitor asked for. */
  requested_locale: string;
  /** The language that the cited text is in. */
  content_locale: string;
  /** Why the text is not in the requested locale. Absent if it is, or if it is a source article in the base language. */
  fallback_reason?: FallbackReason | undefined;
  /** Whether the article had changed since it was translated. */
  stale: boolean;
  /** Best matching part of the text, as plain text. Only in search results. */
  snippet?: string | undefined;
};

/** A published article with its text. */
export type HelpArticleText = {
  /** A knowledge article: a TypeID with the prefix art. */
  article_id: string;
  /** The title of the cited text, in its own language. */
  title: string;
  /** Public URL of the article. */
  url?: string | undefined;
  /** The language that the visitor asked for. */
  requested_locale: string;
  /** The language that the cited text is in. */
  content_locale: string;
  /** Why the text is not in the requested locale. Absent if it is, or if it is a source article in the base language. */
  fallback_reason?: FallbackReason | undefined;
  /** Whether the article had changed since it was translated. */
  stale: boolean;
  /** The text in Markdown. */
  answer: string;
};

/** A link in the header or footer. */
export type HelpCentreLink = {
  /** Words of the link, on one line. Not empty. */
  label: string;
  /** An http or https URL. */
  url: string;
};

/** The published articles as public pages. */
export type HelpCentreSettings = {
  /** Whether everybody can read the published articles at `/help/{app_id}`. */
  enabled: boolean;
  /** Title of the help centre. If absent, the name of the workspace. */
  title?: string | undefined;
  /** A line above the search of the first page. If absent, none. */
  tagline?: string | undefined;
  /** Links in the header, in order. */
  headerLinks: HelpCentreLink[];
  /** Links in the footer, in order. */
  footerLinks: HelpCentreLink[];
  /** Whether search engines may list the pages. */
  searchEngines: boolean;
  /** Whether crawlers that collect texts for AI models may read the pages. */
  aiCrawlers: boolean;
  /** Whether the guide is on the pages. Requires that their origin is among the allowed ones. */
  showGuide: boolean;
};

/** Changes to the help centre. Omitted fields stay unchanged. */
export type HelpCentreSettingsChange = {
  /** Whether everybody can read the published articles at `/help/{app_id}`. */
  enabled?: boolean | undefined;
  /** Title, or `null` for the name of the workspace. */
  title?: string | null | undefined;
  /** A line above the search, or `null` for none. */
  tagline?: string | null | undefined;
  /** Links in the header. Replaces the whole list. */
  headerLinks?: HelpCentreLink[] | undefined;
  /** Links in the footer. Replaces the whole list. */
  footerLinks?: HelpCentreLink[] | undefined;
  /** Whether search engines may list the pages. */
  searchEngines?: boolean | undefined;
  /** Whether crawlers that collect texts for AI models may read the pages. */
  aiCrawlers?: boolean | undefined;
  /** Whether the guide is on the pages. Requires that their origin is among the allowed ones. */
  showGuide?: boolean | undefined;
};

/** A group of articles. */
export type HelpCollection = {
  /** A collection of articles: a TypeID with the prefix col. */
  id: string;
  /** Name of the collection, on one line. Not empty. */
  name: string;
  /** How many of its articles are published. */
  articles: number;
};

/** A domain that the workspace gives to its help centre. The pages are there once the record or the file was found. */
export type HelpDomain = {
  /** The name of the domain, in lower case (ASCII). */
  domain: string;
  record: DomainRecord;
  file: DomainFile;
  /** When the record or the file was found. Absent until then. */
  provedAt?: string | undefined;
};

/** A domain for the help centre. */
export type HelpDomainChange = {
  /** The name of the domain, in lower case (ASCII). */
  domain: string;
};

/** Published articles by title, and the collections on the first page. */
export type HelpPage = {
  data: HelpArticle[];
  /** Cursor for the next page. Absent on the last page. */
  nextCursor?: string | undefined;
  /** Collections with published articles, by name. Empty within a collection and on later pages. */
  collections: HelpCollection[];
};

/** The articles that match a search. */
export type HelpSearch = {
  /** Best first. */
  data: HelpArticle[];
};

/** The identity provider of the workspace, without its secret. */
export type IdentityProvider = {
  /** Address of the provider, exactly as it states it in its discovery document (`issuer`). */
  issuer: string;
  /** The id that the provider gave to this service. */
  clientId: string;
  mode: ProviderMode;
  /** The role of people who sign in for the first time. */
  defaultRole: GivenRole;
  /** The claim with the groups of a person: a text or a list of texts. */
  groupsClaim: string;
  /** Set at each sign-in: the highest role of the groups of a person, else `defaultRole`. Empty leaves roles as members have them. */
  groupRoles: GroupRole[];
  /** False if the secret can no longer be decrypted and has to be set again. */
  hasSecret: boolean;
  changedAt: string;
};

/** The identity provider. Replaces the stored one. */
export type IdentityProviderChange = {
  /** Address of the provider, exactly as it states it in its discovery document (`issuer`). */
  issuer: string;
  /** The id that the provider gave to this service. */
  clientId: string;
  mode: ProviderMode;
  /** The role of people who sign in for the first time. */
  defaultRole: GivenRole;
  /** The claim with the groups of a person: a text or a list of texts. */
  groupsClaim: string;
  /** Set at each sign-in: the highest role of the groups of a person, else `defaultRole`. Empty leaves roles as members have them. */
  groupRoles: GroupRole[];
  /** The secret that the provider gave to this service. If absent, the stored one is kept, for the same issuer and client id only. It is never returned. */
  clientSecret?: string | undefined;
  /** All domains whose addresses sign in with it. What is proved stays proved. */
  domains: string[];
};

/** The provider to try. */
export type IdentityProviderToTry = {
  /** Address of the provider, exactly as it states it in its discovery document (`issuer`). */
  issuer: string;
};

/** What the discovery document of a provider says. */
export type IdentityProviderTrial = {
  problem?: ProviderProblem | undefined;
  /** Status of the response, unless it is 200. */
  status?: number | undefined;
  statedIssuer?: string | undefined;
  /** Where people sign in. Absent with a problem. */
  signInUrl?: string | undefined;
};

/** An image that articles can show. */
export type Image = {
  /** An image: a TypeID with the prefix img. */
  id: string;
  /** Where anyone can load the image, relative to the service's base address. It never changes. Use it in Markdown: `![What the image shows](/images/…)`. */
  url: string;
  /** Name of the uploaded file. Empty if there was none. */
  name: string;
  mediaType: ImageMediaType;
  /** In pixels. */
  width: number;
  /** In pixels. */
  height: number;
  bytes: number;
  createdAt: string;
  /** Id of a member, automation session or API key, `operator` (command line), `mail` (a reply by mail), `service` (by itself) or `unknown` (failed sign-in). */
  createdBy: string;
};

/** A form with exactly one file. */
export type ImageFile = {
  /** The image. Its format is detected from its bytes, not from its name or media type. */
  image: Blob;
};

/** Media type of an image, recognized from its bytes. */
export type ImageMediaType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp' | 'image/avif';

export type ImagePage = {
  data: ListedImage[];
  /** Cursor for the next page. Absent on the last page. */
  nextCursor?: string | undefined;
};

/** An article that shows an image. */
export type ImageUse = {
  /** A knowledge article: a TypeID with the prefix art. */
  articleId: string;
  title: string;
  /** Languages of the texts that show the image: of the article, and of its translations. */
  locales: string[];
  /** Whether visitors get one of these texts. Otherwise only drafts and working copies show it. */
  live: boolean;
};

/** Whether and from what a question is answered. */
export type InboxAnswer = {
  answered: boolean;
  /** Confidence in the answer, from 0 to 1. */
  confidence?: number | undefined;
  /** The article that is cited first. Absent without a citation. */
  articleId?: string | undefined;
};

/** The questions of a group, answered then and now. */
export type InboxAskAgain = {
  group: InboxGroup;
  /** Different questions of the group, newest first. */
  results: InboxAskAgainResult[];
};

/** A question, answered then and now. */
export type InboxAskAgainResult = {
  /** One answer of the guide: a TypeID with the prefix msg. */
  messageId: string;
  question: string;
  /** The language that the visitor asked for. */
  locale: string;
  /** Answer that the visitor got, without its article. */
  before: InboxAnswer;
  after: InboxAnswer;
};

/** The latest outcome of asking the questions of a group again. */
export type InboxAskedAgain = {
  at: string;
  asked: number;
  answered: number;
};

/** Changes to a group. Absent fields stay as they are. */
export type InboxChange = {
  /** Resolves, dismisses or reopens the group. */
  state?: InboxTarget | undefined;
  /** The member to assign it to, or `null` to unassign it. */
  assigneeId?: string | null | undefined;
  /** The article that answers, or `null` for none. */
  articleId?: string | null | undefined;
};

/** Number of open groups: all, and those with questions of each kind. */
export type InboxCounts = {
  open: number;
  /** Open groups that are assigned to the caller. */
  mine: number;
  unanswered: number;
  ratedDown: number;
  lowConfidence: number;
};

/** Similar questions that were not answered well, of visitors who agreed to storage. */
export type InboxGroup = {
  /** A group of similar questions: a TypeID with the prefix ibx. */
  id: string;
  state: InboxState;
  asked: number;
  counts: InboxQuestionCounts;
  lastAskedAt: string;
  /** The member it is assigned to. Absent if it is unassigned. */
  assigneeId?: string | undefined;
  /** The article that answers. Absent if none is linked. */
  articleId?: string | undefined;
  /** The published article closest to the latest question. */
  nearestArticleId?: string | undefined;
  /** Absent if the group was never resolved. */
  resolution?: InboxResolution | undefined;
  /** Absent if they were never asked again. */
  askedAgain?: InboxAskedAgain | undefined;
  questions: InboxQuestion[];
};

/** Why a question is in the inbox: the guide had no answer, the visitor rated the answer as not helpful, or the confidence of the answer was below 0.5. */
export type InboxKind = 'unanswered' | 'rated_down' | 'low_confidence';

/** Order of groups: most questions first, or the latest question first. */
export type InboxOrder = 'asked' | 'recent';

/** Groups to return: assigned to the caller, to nobody, or all. */
export type InboxOwner = 'me' | 'nobody' | 'everybody';

/** A page of the inbox. */
export type InboxPage = {
  /** Groups, each with its newest three questions. */
  data: InboxGroup[];
  /** Number of open groups, regardless of the filters. */
  counts: InboxCounts;
  /** Cursor for the next page. Absent on the last page. */
  nextCursor?: string | undefined;
};

/** A question of a visitor that was not answered well. */
export type InboxQuestion = {
  /** One answer of the guide: a TypeID with the prefix msg. */
  messageId: string;
  /** Conversation id, chosen by the client or the service. Percent-encoded in a path. */
  conversationId: string;
  question: string;
  /** The language that the visitor asked for. */
  locale: string;
  askedAt: string;
  kinds: InboxKind[];
  /** Confidence of the answer that the visitor got, if it had one. */
  confidence?: number | undefined;
  /** The visitor's comment. */
  comment?: string | undefined;
  reasons?: FeedbackReason[] | undefined;
};

/** Questions by kind; one may be of several. */
export type InboxQuestionCounts = {
  unanswered: number;
  ratedDown: number;
  lowConfidence: number;
};

/** How often was asked before and after the group was resolved. */
export type InboxResolution = {
  at: string;
  before: number;
  after: number;
};

/** State of a group: `assigned` is open with an assignee. A question that is asked after its group was resolved opens it again; dismissed groups stay dismissed. */
export type InboxState = 'open' | 'assigned' | 'resolved' | 'dismissed';

/** The state that a group is put into. */
export type InboxTarget = 'open' | 'resolved' | 'dismissed';

/** Where the guide is installed and where it was rejected. */
export type Installation = {
  /** Allowed origins, in the order of the settings. */
  origins: InstalledOrigin[];
  /** Rejected origins, newest first. Anyone can send such a request, so check an origin before you allow it. A restart of the server clears the list. */
  refused: RefusedOrigin[];
};

/** The identity provider of the installation. */
export type InstallationProvider = {
  name: string;
};

/** An allowed origin and its latest boot. */
export type InstalledOrigin = {
  /** An allowed origin from the settings. May be a pattern. */
  origin: string;
  /** Origin of the latest boot. For patterns, the origin that matched. */
  seenOrigin?: string | undefined;
  /** When the guide last booted there, within a minute. Absent if never. */
  lastSeenAt?: string | undefined;
};

/** An open invitation, without its link. */
export type Invitation = {
  /** An invitation to the workspace: a TypeID with the prefix inv. */
  id: string;
  /** Invited email address, in lower case. */
  email: string;
  role: MemberRole;
  /** Id of a member, automation session or API key, `operator` (command line), `mail` (a reply by mail), `service` (by itself) or `unknown` (failed sign-in). */
  invitedBy: string;
  createdAt: string;
  expiresAt: string;
};

/** The invitation to accept, and a password. */
export type InvitationAcceptance = {
  /** The token after `#token=` in the invitation link. */
  token: string;
  /** Password of the account with this address, or the password for a new one. */
  password: string;
};

/** A new invitation with its link. */
export type InvitationCreated = {
  /** An invitation to the workspace: a TypeID with the prefix inv. */
  id: string;
  /** Invited email address, in lower case. */
  email: string;
  role: MemberRole;
  /** Id of a member, automation session or API key, `operator` (command line), `mail` (a reply by mail), `service` (by itself) or `unknown` (failed sign-in). */
  invitedBy: string;
  createdAt: string;
  expiresAt: string;
  /** Whether the link is mailed to the address, too. False where the service sends no mail. */
  mailed: boolean;
  /** The invitation link. It works once and is shown only once. */
  link: string;
};

/** A valid invitation link. */
export type InvitationLink = {
  workspaceName: string;
  /** Invited email address, in lower case. */
  email: string;
  role: MemberRole;
  expiresAt: string;
};

export type InvitationPage = {
  data: Invitation[];
  /** Cursor for the next page. Absent on the last page. */
  nextCursor?: string | undefined;
};

/** The invitation link that was followed. */
export type InvitationReading = {
  /** The token after `#token=` in the invitation link. */
  token: string;
};

/** An invitation as the invited person sees it. */
export type InvitationView = {
  workspaceName: string;
  /** Invited email address, in lower case. */
  email: string;
  role: MemberRole;
  expiresAt: string;
  /** Whether an operator made the link. It then proves the address: accepting sets a new password for its account and ends all of its sessions. */
  provesAddress: boolean;
};

/** Translation coverage of a workspace. */
export type KnowledgeCoverage = {
  articles: number;
  published: number;
  /** Languages with content, most used first. */
  locales: LocaleCoverage[];
};

/** An article in the variant that this visitor would see. */
export type KnowledgeHit = {
  /** A knowledge article: a TypeID with the prefix art. */
  articleId: string;
  /** Stable name of the article in imports and exports: letters of any script, digits and any of `._~/-`. */
  slug: string;
  /** The translation that is shown. Absent for the article itself. */
  translationId?: string | undefined;
  /** Title, on one line. Not empty. */
  title: string;
  /** Best matching part of the answer, as plain text. */
  snippet: string;
  /** Public URL. */
  url?: string | undefined;
  /** Relevance to the query, from 0 to 1. */
  score: number;
  /** The requested locale, or `und` if none was requested. */
  requestedLocale: string;
  /** A language tag in canonical BCP 47 form, such as de or pt-BR. */
  contentLocale: string;
  /** Why the text is not in the requested locale. Absent if it is, or if it is a source article in the base language. */
  fallbackReason?: FallbackReason | undefined;
};

/** The articles that a visitor with this query would see. */
export type KnowledgeSearch = {
  /** Matching articles, best first. */
  data: KnowledgeHit[];
  /** Whether the guide would answer from the first result. */
  found: boolean;
  /** Probability that the first result answers the question, from 0 to 1. */
  confidence: number;
};

/** Time from the question to the first text, in milliseconds. Exact up to 100, within 1 % above. */
export type LatencyFigures = {
  p50: number;
  p90: number;
  p99: number;
};

/** Picture on the launcher. `logo` shows the logo, or a bubble while there is none. */
export type LauncherIcon = 'bubble' | 'question' | 'logo';

/** Side of the page: start or end of the line, mirrored in right-to-left text. */
export type LauncherSide = 'start' | 'end';

/** How often a rate limit was exceeded. */
export type LimitHits = {
  bucket: string;
  count: number;
};

/** An image with the articles that show it. */
export type ListedImage = {
  /** An image: a TypeID with the prefix img. */
  id: string;
  /** Where anyone can load the image, relative to the service's base address. It never changes. Use it in Markdown: `![What the image shows](/images/…)`. */
  url: string;
  /** Name of the uploaded file. Empty if there was none. */
  name: string;
  mediaType: ImageMediaType;
  /** In pixels. */
  width: number;
  /** In pixels. */
  height: number;
  bytes: number;
  createdAt: string;
  /** Id of a member, automation session or API key, `operator` (command line), `mail` (a reply by mail), `service` (by itself) or `unknown` (failed sign-in). */
  createdBy: string;
  /** How many articles show the image: in the live text or the working copy, of the article or of a translation, drafts and archived translations included. Earlier revisions do not count. */
  usedBy: number;
  /** The first of these articles, oldest first. */
  uses: ImageUse[];
};

/** Translation coverage of one language. */
export type LocaleCoverage = {
  /** A language tag in canonical BCP 47 form, such as de or pt-BR. */
  locale: string;
  /** Articles that are live and up to date in this language. */
  live: number;
  /** Articles that are live but stale in this language. */
  stale: number;
  draft: number;
  inReview: number;
  changesRequested: number;
  approved: number;
  archived: number;
  /** Published articles with no translation in this language, or only an archived one. */
  missing: number;
};

/** Whether capital and small letters differ. */
export type MatchCase = 'true' | 'false';

/** A request or notification of MCP. */
export type McpMessage = {
  jsonrpc: '2.0';
  /** Absent in a notification. */
  id?: unknown | undefined;
  method: string;
  params?: unknown | undefined;
};

/** A reply of MCP to a request. */
export type McpReply = {
  jsonrpc: '2.0';
  id?: unknown | undefined;
  /** Absent on an error. */
  result?: unknown | undefined;
  /** Absent on success. */
  error?: unknown | undefined;
};

/** A member of the workspace. */
export type Member = {
  /** A member of one workspace: a TypeID with the prefix mem. */
  id: string;
  /** Email address. Case-insensitive. */
  email: string;
  role: MemberRole;
  /** Whether the email address is proved to be theirs. The account of an invited person belongs to this workspace alone until an operator makes a link for the address. */
  addressProved: boolean;
  createdAt: string;
  self: boolean;
};

/** The new role of a member. */
export type MemberChange = {
  role: MemberRole;
};

export type MemberPage = {
  data: Member[];
  /** Cursor for the next page. Absent on the last page. */
  nextCursor?: string | undefined;
};

/** Role in a workspace: members read, admins edit, owners also manage ownership and deletion. */
export type MemberRole = 'owner' | 'admin' | 'member';

/** The last event of an answer that is complete and stored. */
export type MessageEndEvent = {
  type: 'message_end';
  /** Position in the stream, from zero, without gaps. */
  seq: number;
  finish_reason: FinishReason;
  /** How well the sources fit the question, from 0 to 1. */
  answer_confidence: number;
  usage: TokenUsage;
  /** The length of the whole answer in Unicode code points. */
  text_length: number;
  citation_count: number;
  /** `true` if the visitor asked for a person or complained, so that a page should offer one. */
  offers_person?: boolean | undefined;
  /** The index to send with the next turn. */
  next_turn_idx: number;
};

/** The first event: which conversation, turn and message this stream is. */
export type MessageStartEvent = {
  type: 'message_start';
  /** Position in the stream, from zero, without gaps. */
  seq: number;
  protocol: 'guidepost.chat.1';
  /** The conversation that this turn belongs to; send it with the next turn. */
  conversation_id: string;
  /** Whether the service replaced the conversation id that was sent. */
  conversation_rotated: boolean;
  /** The id that was sent, if it was replaced. */
  previous_conversation_id?: string | undefined;
  /** The index of this turn in the effective conversation. */
  turn_idx: number;
  /** One answer of the guide: a TypeID with the prefix msg. */
  message_id: string;
  /** The language that the visitor asked for: the first of Accept-Language, else the language of the workspace. */
  requested_locale: string;
  /** Machine-readable marker: this text is generated by a machine. */
  ai_generated: boolean;
};

/** One result of the test of a language model. */
export type ModelCheck = {
  name: ModelCheckName;
  status: ModelCheckStatus;
  /** Why it is not ok, such as `unreachable`, `only_thinks` or `no_citation`. */
  reason?: string | undefined;
  /** Absent if the server reported no error. */
  error?: ModelProviderError | undefined;
  /** Why there was no connection. */
  networkCode?: string | undefined;
  setting?: ModelSetting | undefined;
  /** Milliseconds until the first text, or of a rewrite. */
  millis?: number | undefined;
  tokensPerSecond?: number | undefined;
  /** Tokens that a prompt and its answer may have together. Absent if the server does not say. */
  contextTokens?: number | undefined;
};

/** What was checked: whether the model answers, cites the passage, takes tools, keeps its thinking out of the text, begins and writes fast enough, rewrites a follow-up, says when no passage answers, and has room for articles. */
export type ModelCheckName = 'answer' | 'citation' | 'tools' | 'thinking' | 'first_text' | 'speed' | 'rewrite' | 'no_answer' | 'context';

/** `failed`: visitors get quotes instead of answers. `warning`: answers are worse or later than they could be. */
export type ModelCheckStatus = 'ok' | 'warning' | 'failed';

/** Language model that answers in this workspace. */
export type ModelInUse = {
  source: ModelSource;
  /** Absent if the workspace uses the installation's. */
  own?: WorkspaceModel | undefined;
};

/** The protocol of the server: `openai` is that of OpenAI, which most servers speak. */
export type ModelProvider = 'openai' | 'anthropic';

/** The server's words for its error, never its message. */
export type ModelProviderError = {
  status: number;
  code?: string | undefined;
  type?: string | undefined;
  /** The field of the request that it is about. */
  param?: string | undefined;
};

/** The setting to change. */
export type ModelSetting = 'address' | 'key' | 'model' | 'rewriteModel';

/** Whose language model answers: that of the workspace, that of the installation, or none, so that answers are quoted from articles. */
export type ModelSource = 'workspace' | 'installation' | 'none';

/** Results of the test of a language model. */
export type ModelTest = {
  checks: ModelCheck[];
};

/** Model to test. */
export type ModelTestRequest = {
  /** If absent, the model that answers in this workspace is tested. */
  draft?: WorkspaceModelChange | undefined;
};

/** How the guide appears on a page. */
export type Mount = {
  /** State of the guide for the `path` of this boot. `shown` if no rule matches. */
  mode: MountMode;
  /** Suggested questions to show on this page before the first message. */
  suggestions: string[];
  /** All rules in order, so that a single-page application can resolve another path without a new boot. */
  rules: PathRule[];
};

/** State of the guide on a page: only the launcher (`shown`), nothing (`hidden`), or the open guide (`opened`). `opened` means `shown` for visitors who have refused consent, and on small screens. */
export type MountMode = 'shown' | 'hidden' | 'opened';

/** Unanswered questions whose closest article this was. */
export type NearestArticle = {
  /** May have been deleted since. */
  article: string;
  count: number;
};

/** Name, scopes and restrictions of a new API key. */
export type NewApiKey = {
  /** A name that tells you what the key is for. */
  name: string;
  scopes: ApiKeyScope[];
  /** When the key stops working by itself. In the future. */
  expiresAt?: string | undefined;
  /** Networks that the key works from: IPv4 and IPv6 addresses or CIDR blocks. If absent or empty, from everywhere. */
  allowedNetworks?: string[] | undefined;
};

/** An article to create as a draft. */
export type NewArticle = {
  /** Title, on one line. Not empty. */
  title: string;
  /** The text that the guide answers from, as Markdown or plain text. Not empty. */
  answer: string;
  /** Search keywords. Defaults to none. */
  aliases?: string[] | undefined;
  /** Public http or https URL. Defaults to none. */
  url?: string | undefined;
  /** Stable name in imports and exports. Defaults to one derived from the title. */
  slug?: string | undefined;
  /** Language of the article as a BCP 47 tag. Defaults to the workspace's source locale. */
  locale?: string | undefined;
  /** Who sees the article: customers to whom any of the entries applies. Empty or absent: everyone. */
  audience?: string[] | undefined;
};

/** Name, permissions and expiry of a new automation session. */
export type NewAutomationSession = {
  /** A name that tells you what the session is for. */
  name: string;
  /** Maximum role of the session. Lower if its creator has a lower role by now. */
  role: MemberRole;
  areas: AutomationArea[];
  /** When the session ends by itself: in the future, and within a year. Defaults to 90 days from now. */
  expiresAt?: string | undefined;
  /** Networks that the session works from: IPv4 and IPv6 addresses or CIDR blocks. If absent or empty, from everywhere. */
  allowedNetworks?: string[] | undefined;
  /** Whether it may approve what it wrote. Defaults to false. */
  mayApproveOwn?: boolean | undefined;
};

/** A note to add. */
export type NewConversationNote = {
  /** Text of the note. */
  text: string;
};

/** A secret to create, or the key set of the site. */
export type NewCustomerKey = {
  kind: CustomerKeyKind;
  /** Required for a key set, refused for a secret. */
  url?: string | undefined;
};

/** A question to a person. */
export type NewHandover = {
  /** What the visitor wrote to the team. */
  message: string;
  /** Name of the visitor, in one line. That of the user token counts. */
  name?: string | undefined;
  /** Where the answer goes. Required unless the user token has an address, which then counts. */
  email?: string | undefined;
  /** Page of the visitor. Its origin must match the visitor token. The query is not stored. */
  url: string;
  /** Language of the visitor. */
  locale: string;
  /** The conversation that replies are shown in. Must belong to this visitor. */
  conversation_id?: string | undefined;
  /** Answers of the conversation that are sent with their questions, because the visitor agreed to it. If absent, nothing of the conversation is sent. */
  transcript?: string[] | undefined;
  /** How long the form was shown. Programs are recognized by less than 3 seconds. */
  shown_seconds: number;
  /** A field that people do not see. Programs are recognized by what they enter here. */
  website?: string | undefined;
};

/** A note to add. */
export type NewHandoverNote = {
  /** Text of the note. */
  text: string;
};

/** A reply to a visitor. */
export type NewHandoverReply = {
  /** Text of the reply, without formatting. */
  text: string;
};

/** Whom to invite, and their role. */
export type NewInvitation = {
  /** Email address to invite. Case-insensitive. */
  email: string;
  role: MemberRole;
};

/** A passkey that the browser has made with the options. */
export type NewPasskey = {
  /** Extra white space is removed. */
  name: string;
  id: string;
  clientDataJSON: string;
  attestationObject: string;
  transports?: string[] | undefined;
};

/** A source to create. Nothing is read before its first run. */
export type NewSource = {
  type: SourceType;
  /** Name of the source, on one line. Not empty. */
  name: string;
  /** Only for websites. */
  website?: WebsiteSettings | undefined;
  /** Only for files. Articles have no address without it. */
  files?: FilesSettings | undefined;
  /** Only for help centers of Zendesk. */
  zendesk?: ZendeskSettings | undefined;
  /** Credential for the service, stored encrypted and never returned. If omitted, the stored one stays; an empty one deletes it. Zendesk: an OAuth access token with the scope `hc:read`, or the API token of `email`. Notion: the secret of an internal integration that may read content. */
  apiToken?: string | undefined;
  mode: SourceMode;
  /** Defaults to `manual`, the only schedule for files. */
  schedule?: SourceSchedule | undefined;
};

/** How to run a source. */
export type NewSourceRun = {
  /** Stop before anything changes, as `ready`. Defaults to false. */
  preview?: boolean | undefined;
};

/** A translation to create as a draft. */
export type NewTranslation = {
  /** Language of the translation: a BCP 47 tag of registered subtags, without extensions, that differs from the article's language. Stored in canonical form. */
  locale: string;
  /** Title, on one line. Not empty. */
  title: string;
  /** The text that the guide answers from, as Markdown or plain text. Not empty. */
  answer: string;
  /** Search keywords in this language. Defaults to none. */
  searchAliases?: string[] | undefined;
  /** Revision of the article that was translated. The request fails if it is no longer current. */
  baseRevision?: number | undefined;
};

/** A server, and the events that it gets. */
export type NewWebhook = {
  name: string;
  /** Where events are sent: an https address of a public server, without user and fragment. */
  url: string;
  /** The types of events that it gets. */
  events: WebhookChosenType[];
};

/** Reason for a notice. */
export type NoticeCode = 'screenshot_dropped' | 'targets_dropped' | 'capture_cut' | 'action_dropped' | 'llm_unavailable' | 'llm_budget_spent';

/** Something the client may want to know; the turn goes on. */
export type NoticeEvent = {
  type: 'notice';
  /** Position in the stream, from zero, without gaps. */
  seq: number;
  level: NoticeLevel;
  code: NoticeCode;
  text: string;
};

/** How much a notice matters to the client. */
export type NoticeLevel = 'info' | 'warning';

/** The action succeeded. */
export type OkReply = {
  /** Always `true`. */
  ok: boolean;
};

/** Outcome of a proposed action on the page. */
export type OutcomeKind = 'done' | 'declined' | 'target_missing' | 'failed';

/** Origin of a decision that the visitor did not make by clicking. */
export type OverrideSource = 'runtime' | 'gpc' | 'region_override';

/** Part of the answer comes from the page that the visitor is on, not from an article. */
export type PageCitationEvent = {
  type: 'page_citation';
  /** Position in the stream, from zero, without gaps. */
  seq: number;
  /** The cited words, verbatim from the page as it was sent with this turn. */
  quote: string;
  /** Where the cited statement begins in the answer, in Unicode code points. */
  start: number;
  /** Where the cited statement ends in the answer, in Unicode code points, exclusive. */
  end: number;
};

/** A passkey of the user. */
export type Passkey = {
  /** A passkey: a TypeID with the prefix pky. */
  id: string;
  name: string;
  createdAt: string;
  /** Absent until it is used. */
  lastUsedAt?: string | undefined;
};

/** The new passkey. */
export type PasskeyAdded = {
  passkey: Passkey;
  /** With the first factor only. Shown only once. */
  recoveryCodes?: string[] | undefined;
};

/** An algorithm that the service verifies, by its COSE number. */
export type PasskeyAlgorithm = {
  type: 'public-key';
  alg: number;
};

/** The new name. */
export type PasskeyChange = {
  /** Extra white space is removed. */
  name: string;
};

/** What `PublicKeyCredential.parseCreationOptionsFromJSON` of browsers takes. */
export type PasskeyCreation = {
  rp: PasskeyService;
  user: PasskeyUser;
  challenge: string;
  pubKeyCredParams: PasskeyAlgorithm[];
  /** Milliseconds. */
  timeout: number;
  excludeCredentials: PasskeyDescriptor[];
  authenticatorSelection: PasskeySelection;
  attestation: 'none';
};

/** A passkey, as browsers name it. */
export type PasskeyDescriptor = {
  type: 'public-key';
  id: string;
  transports?: string[] | undefined;
};

/** What `PublicKeyCredential.parseRequestOptionsFromJSON` of browsers takes. */
export type PasskeyRequest = {
  challenge: string;
  rpId: string;
  /** Milliseconds. */
  timeout: number;
  /** Absent where any passkey for this service may be used. */
  allowCredentials?: PasskeyDescriptor[] | undefined;
  userVerification: 'required';
};

/** What the authenticator must be able to do. */
export type PasskeySelection = {
  residentKey: 'required';
  requireResidentKey: boolean;
  userVerification: 'required';
};

/** The service that the passkey is for. */
export type PasskeyService = {
  id: string;
  name: string;
};

/** What the authenticator returned to the browser. */
export type PasskeySignature = {
  id: string;
  clientDataJSON: string;
  authenticatorData: string;
  signature: string;
  userHandle?: string | undefined;
};

/** The account that the passkey is for. */
export type PasskeyUser = {
  id: string;
  name: string;
  displayName: string;
};

/** The current and the new password. */
export type PasswordChangeRequest = {
  currentPassword: string;
  /** The new password: 15 to 256 characters that are hard to guess. */
  newPassword: string;
};

/** The password of the signed-in user, with a code if the account has a second factor; or a passkey alone. Who signed in at an identity provider may send a code alone. */
export type PasswordConfirmation = {
  password?: string | undefined;
  /** A code of the authenticator app, or a recovery code. Spaces, hyphens and case do not matter. */
  code?: string | undefined;
  passkey?: PasskeySignature | undefined;
};

/** The link of the mail, and the new password. */
export type PasswordReset = {
  /** The token after `#token=` in the link. */
  token: string;
  /** The new password: 15 to 256 characters that are hard to guess. */
  newPassword: string;
};

/** A link for a new password that still works. */
export type PasswordResetLink = {
  /** Address whose account gets the new password, in lower case. */
  email: string;
  expiresAt: string;
};

/** The address to which a link for a new password is mailed. */
export type PasswordResetRequest = {
  /** Email address. Case-insensitive. */
  email: string;
};

/** State of the guide on some pages. The first rule that matches applies. */
export type PathRule = {
  /** Paths of pages, as a URLPattern pathname with at most six wildcards, without regular expressions and repeated groups. Case-sensitive. */
  pattern: string;
  mode: MountMode;
  /** Suggested questions on these pages. If absent, the workspace's. */
  suggestions?: string[] | undefined;
};

/** The answer a visitor would get, and how it came about. */
export type Preview = {
  /** The engine: `extractive` quotes articles, `llm` uses a language model. */
  engine: string;
  /** The visitor's language as resolved by the guide. */
  requestedLocale: string;
  /** Absent if nothing is cited. */
  contentLocale?: string | undefined;
  /** Why the text is not in the requested locale. Absent if it is, or if it is a source article in the base language. */
  fallbackReason?: FallbackReason | undefined;
  answer: string;
  finishReason: FinishReason;
  /** Confidence in the answer, from 0 to 1. */
  confidence: number;
  citations: TenantCitation[];
  suggestions: PreviewSuggestion[];
  notices: PreviewNotice[];
  usage: PreviewUsage;
  /** The rules that the language model was sent. Empty if it was not asked. */
  rules: PreviewRule[];
  /** The last request to the language model. Empty if it was not asked. */
  prompt: PromptMessage[];
  /** The events that `POST /chat` would stream for this answer, from `message_start` to `message_end`. */
  events: ChatEvent[];
  findings: PreviewFindings;
  unpublished: UnpublishedMatch[];
  consent: PreviewConsent;
};

/** Disclosure and consent for this visitor. */
export type PreviewConsent = {
  policyVersion: string;
  directive: RegionDirective;
  disclosure: AiDisclosure;
  /** The consent prompt, if the visitor is asked. */
  copy: DirectiveCopy;
};

/** Search results for the question. */
export type PreviewFindings = {
  /** Whether the confidence reaches the threshold for answering from articles. */
  found: boolean;
  /** Probability that the first passage answers the question, from 0 to 1. */
  confidence: number;
  /** Minimum confidence for an answer. Below it, the guide says that it does not know. */
  threshold: number;
  /** Passages considered, best first. The engine receives the first five. */
  passages: PreviewPassage[];
};

/** A notice shown with the answer. */
export type PreviewNotice = {
  /** Notice code, such as `llm_unavailable`. */
  code: string;
  text: string;
};

/** A passage considered for the answer, and its relevance. */
export type PreviewPassage = {
  /** A knowledge article: a TypeID with the prefix art. */
  articleId: string;
  /** Stable name of the article in imports and exports: letters of any script, digits and any of `._~/-`. */
  slug: string;
  /** The translation that is shown. Absent for the article itself. */
  translationId?: string | undefined;
  /** Title, on one line. Not empty. */
  title: string;
  /** Best matching part of the answer, as plain text. */
  snippet: string;
  /** Public URL. */
  url?: string | undefined;
  /** Relevance to the query, from 0 to 1. */
  score: number;
  /** The requested locale, or `und` if none was requested. */
  requestedLocale: string;
  /** A language tag in canonical BCP 47 form, such as de or pt-BR. */
  contentLocale: string;
  /** Why the text is not in the requested locale. Absent if it is, or if it is a source article in the base language. */
  fallbackReason?: FallbackReason | undefined;
  revision: number;
  confidence: number;
  /** Whether the article has changed since it was translated. */
  stale: boolean;
  cited: boolean;
};

/** A question and the visitor to simulate. */
export type PreviewQuestion = {
  /** The visitor's question. Not empty. */
  message: string;
  /** The visitor's preferred language, a BCP 47 tag. Defaults to none. */
  locale?: string | undefined;
  /** The visitor's region: ISO 3166-2 or a country. Defaults to unknown. */
  region?: string | undefined;
  /** Whether the visitor's browser sends a Global Privacy Control signal. */
  gpc?: boolean | undefined;
  /** What applies to the visitor, such as `signed_in`. Empty or absent: not signed in. */
  audience?: string[] | undefined;
  /** Earlier turns that the question may refer to, oldest first. */
  conversation?: PreviewTurn[] | undefined;
  /** Whether to try the rules that are switched off, too. Defaults to false. */
  includeDisabledRules?: boolean | undefined;
};

/** A rule that the language model was sent. */
export type PreviewRule = {
  kind: GuidanceKind;
  /** Names the rule for members. Not sent to the model. */
  name: string;
};

/** A suggested next step. */
export type PreviewSuggestion = {
  title: string;
  message: string;
};

/** An earlier question of the conversation, with its answer. */
export type PreviewTurn = {
  question: string;
  answer: string;
  articleIds: string[];
};

/** Tokens used for the answer. */
export type PreviewUsage = {
  /** Input tokens. They count towards the monthly cap. */
  inputTokens: number;
  /** Output tokens. They count towards the monthly cap. */
  outputTokens: number;
};

/** A message that the language model was sent. */
export type PromptMessage = {
  role: PromptRole;
  text: string;
};

/** Who speaks in a message of a prompt. */
export type PromptRole = 'system' | 'user' | 'assistant';

/** `off`: nobody signs in with the provider. `optional`: passwords work too. `required`: everybody but owners has to sign in with it. */
export type ProviderMode = 'off' | 'optional' | 'required';

/** Why nobody could sign in with it. `address_not_allowed`: not a public https address. `wrong_issuer`: it calls itself `statedIssuer`. `no_keys`: the keys with which it signs cannot be read. Absent if everything is there. */
export type ProviderProblem = 'address_not_allowed' | 'unreachable' | 'no_document' | 'wrong_issuer' | 'no_code_flow' | 'no_endpoint' | 'no_keys';

/** Where to sign in. */
export type ProviderSignInRedirect = {
  /** The provider's page. */
  url: string;
};

/** What the provider leads back with. */
export type ProviderSignInReturn = {
  /** The query of the callback address as the browser has it. */
  query: string;
};

/** Who wants to sign in. */
export type ProviderSignInStart = {
  /** Finds the provider by its domain. If absent, the provider of the installation. */
  email?: string | undefined;
  /** Has the provider ask for the credentials again, which confirms the identity as a password does. */
  fresh?: boolean | undefined;
};

/** Whether the service may currently do this for the visitor. */
export type PurposeState = 'granted' | 'denied';

/** Questions about the same subject. */
export type QuestionTopic = {
  /** Its most frequent question, which names the topic. */
  question: string;
  /** The language of that question. */
  locale: string;
  turns: number;
  answered: number;
  /** Questions in the previous range of the same length. */
  before: number;
  /** Questions in each period, in the order of `starts`. */
  periods: number[];
  /** Other frequent questions. */
  examples: string[];
};

/** What visitors asked about, over time. */
export type QuestionTopics = {
  /** Start of the range, inclusive. */
  from: string;
  /** End of the range, exclusive. */
  to: string;
  /** Start of each period, oldest first. */
  starts: string[];
  /** Topics, largest first. Only questions of visitors who agreed to storage are grouped. */
  topics: QuestionTopic[];
};

/** A question without an answer. */
export type QuestionUnansweredData = {
  /** Absent unless the visitor may be named. */
  visitor_id?: string | undefined;
  /** Conversation id, chosen by the client or the service. Percent-encoded in a path. */
  conversation_id?: string | undefined;
  /** One answer of the guide: a TypeID with the prefix msg. */
  message_id?: string | undefined;
  /** What was asked, without personal data and secrets. Absent unless the visitor agreed to storage. */
  question?: string | undefined;
  /** A language tag in canonical BCP 47 form, such as de or pt-BR. */
  locale: string;
  page_path: string;
  /** The closest article; `null` if none is close. */
  nearest_article_id: string | null;
  asked_at: string;
};

/** The guide had no answer to a question of a visitor who may be counted. */
export type QuestionUnansweredEvent = {
  type: 'question.unanswered';
  /** When it happened. */
  timestamp: string;
  /** A workspace: a TypeID with the prefix ws. */
  tenant_id: string;
  data: QuestionUnansweredData;
};

/** A form with exactly one file. */
export type Recording = {
  /** The recording. Its format is detected from its bytes, not from its name or media type. */
  audio: Blob;
};

/** New recovery codes. */
export type RecoveryCodes = {
  /** Each signs in once in place of the second factor. Shown only once. */
  recoveryCodes: string[];
};

/** A page with the script tag that is not on an allowed origin. */
export type RefusedOrigin = {
  /** Origin of a page that tried to boot but is not allowed. */
  origin: string;
  lastAskedAt: string;
  /** Number of attempts since the server started. */
  count: number;
};

/** Consent for a visitor of one region who has not decided yet. */
export type RegionDirective = {
  /** ISO 3166-2 region code, else the country code, else `ZZ`. */
  region: string;
  known: RegionKnown;
  /** The regional rule, before the workspace's settings. */
  rule: ConsentMode;
  /** Legal basis of the rule. Absent if no rule covers the region. */
  basis?: string | undefined;
  /** The resulting consent mode, the strictest of all that apply. */
  mode: ConsentMode;
  reason: ConsentReason;
  ask: boolean;
  /** Purposes allowed before the visitor has decided. */
  purposes: ConsentPurposes;
  gpc: GpcState;
};

/** Whether the region table lists the region, does not list it, or the region is unknown. */
export type RegionKnown = 'listed' | 'unlisted' | 'unknown';

/** Region reported by the client. It can only make consent stricter. */
export type RegionOverride = {
  /** ISO 3166-1 alpha-2 country code, or `ZZ` if unknown. */
  country_code?: string | undefined;
  /** ISO 3166-2 region code, else the country code, else `ZZ`. */
  region_code?: string | undefined;
};

/** Minimum strictness of consent in one region. It can only make consent stricter. */
export type RegionStrictness = {
  /** ISO 3166-2 region code, or a country code for all its regions. */
  region: string;
  strictness: ConsentMode;
};

/** Why text that was already sent is replaced. */
export type ReplaceReason = 'moderation' | 'retry';

/** One invalid part of a request. */
export type RequestProblem = {
  /** Dotted path to the invalid value, starting with `body`, `query`, `path` or `headers`. */
  path: string;
  /** Stable code of the issue, such as `unrecognized_keys`. */
  code: string;
  /** Explains what was expected. */
  message: string;
};

/** The reviewer's decision. */
export type ReviewDecision = 'approve' | 'request_changes';

/** Number of tasks of each kind. */
export type ReviewQueueCounts = {
  review: number;
  changes: number;
  publish: number;
  stale: number;
};

/** A page of the review queue. */
export type ReviewQueuePage = {
  /** Open tasks, oldest first. */
  data: ReviewTask[];
  /** Number of tasks of each kind, regardless of the `kind` filter. */
  counts: ReviewQueueCounts;
  /** Cursor for the next page. Absent on the last page. */
  nextCursor?: string | undefined;
};

/** A translation with an open task. */
export type ReviewTask = {
  kind: ReviewTaskKind;
  /** Whether the task is for the caller. Authors review their own texts only if nobody else can. */
  mine: boolean;
  /** A knowledge article: a TypeID with the prefix art. */
  articleId: string;
  /** Title, on one line. Not empty. */
  articleTitle: string;
  /** A translation of an article: a TypeID with the prefix tr. */
  translationId: string;
  /** A language tag in canonical BCP 47 form, such as de or pt-BR. */
  locale: string;
  /** Title, on one line. Not empty. */
  title: string;
  status: TranslationStatus;
  /** The latest revision. Send it as `baseRevision`. */
  revision: number;
  since: string;
  /** The member or session that submitted, reviewed or approved the translation, or changed the article. */
  by: string;
  reviewNote?: string | undefined;
};

/** The task: review a submission, make requested changes, publish an approved translation, or update a stale one. */
export type ReviewTaskKind = 'review' | 'changes' | 'publish' | 'stale';

/** Only tasks for the caller, or everyone's tasks. */
export type ReviewTaskOwner = 'me' | 'everybody';

/** Whether a publication of an article or of one of its translations is scheduled. */
export type ScheduledFilter = 'true' | 'false';

/** A publication at a later time. Publishing, unpublishing or archiving before then cancels it. */
export type ScheduledPublication = {
  /** When the working copy is published. */
  at: string;
  /** The member who scheduled the publication. */
  by: string;
};

/** Scroll position of the page. */
export type ScrollPosition = {
  /** A length or position in CSS pixels. */
  x: number;
  /** A length or position in CSS pixels. */
  y: number;
};

/** Searches in the articles, in the panel and in the dialog. Words that follow each other while a visitor types are one search. */
export type SearchFigures = {
  /** Searches with at least one article. */
  found: number;
  /** Searches without an article. */
  empty: number;
};

/** Searches for the same words. */
export type SearchedWords = {
  /** As last typed, with recognized personal data masked. */
  words: string;
  count: number;
  /** Articles that the last of these searches found. */
  results: number;
};

/** `totp`: a code of an authenticator app. `provider`: the identity provider asked for a second factor. */
export type SecondFactor = 'passkey' | 'totp' | 'recovery_code' | 'provider';

/** Either a code or a passkey. */
export type SecondFactorProof = {
  /** A code of the authenticator app, or a recovery code. Spaces, hyphens and case do not matter. */
  code?: string | undefined;
  passkey?: PasskeySignature | undefined;
};

/** The second factors of the user. */
export type SecondFactors = {
  /** Oldest first. */
  passkeys: Passkey[];
  /** Absent if there is none. */
  authenticatorApp?: AuthenticatorApp | undefined;
  recoveryCodesLeft: number;
  /** Whether a workspace of the user requires one, so that the last one stays. */
  required: boolean;
};

/** What is asked after the password. */
export type SecondStep = {
  factors: ('passkey' | 'totp')[];
  /** Absent if the account has no passkey. */
  passkeyRequest?: PasskeyRequest | undefined;
  expiresAt: string;
};

/** Membership of a user in a workspace. */
export type SessionMembership = {
  /** A workspace: a TypeID with the prefix ws. */
  tenantId: string;
  /** App id from the install script, prefixed `gp_`. */
  appId: string;
  name: string;
  /** A member of one workspace: a TypeID with the prefix mem. */
  memberId: string;
  role: MemberRole;
  /** True if the workspace requires its identity provider, which this session was opened without. Absent otherwise. */
  closed?: boolean | undefined;
  /** Whether the workspace refuses this session until the user sets up or confirms a second factor. */
  needsSecondFactor: boolean;
};

export type SessionPage = {
  data: SignedInDevice[];
  /** Cursor for the next page. Absent on the last page. */
  nextCursor?: string | undefined;
};

/** The signed-in user, the session and the user's workspaces. */
export type SessionState = {
  /** A user: a TypeID with the prefix usr. */
  userId: string;
  /** Email address. Case-insensitive. */
  email: string;
  /** A session of a user on one device: a TypeID with the prefix ses. */
  sessionId: string;
  createdAt: string;
  /** When the session expires. It ends earlier if unused. */
  expiresAt: string;
  /** Until when actions that require a recent password are allowed. May be in the past. */
  freshUntil: string;
  /** Absent for an automation session. */
  signedInWith?: SignInMethod | undefined;
  /** The second factor that was proved last. Absent if there was none. */
  factor?: SecondFactor | undefined;
  /** The second factors that the account has. */
  secondFactors: ('passkey' | 'totp')[];
  /** The user's workspaces, oldest membership first. An automation session has only its own. */
  memberships: SessionMembership[];
  /** Absent unless it is an automation session. */
  automation?: Automation | undefined;
};

/** The first owner and the first workspace. */
export type SetUpRequest = {
  /** The token after `#token=` in the setup URL that the service prints on startup. */
  token: string;
  /** Email address. Case-insensitive. */
  email: string;
  /** The new password: 15 to 256 characters that are hard to guess. */
  password: string;
  /** Visible to visitors and members. Extra white space is removed. */
  workspaceName: string;
  /** Origins where the guide may be embedded. */
  allowedOrigins: string[];
  /** Language of the articles, a BCP 47 tag. */
  sourceLocale?: string | undefined;
};

/** A set-up link that is still valid. */
export type SetupLink = {
  expiresAt: string;
};

/** A domain whose addresses sign in with the provider. */
export type SignInDomain = {
  /** The part of e-mail addresses after the @, in lower case (ASCII). */
  domain: string;
  record: DomainRecord;
  /** When the record was last found; it is looked for every day. Absent without it, and 14 days after it has gone. */
  provedAt?: string | undefined;
};

/** `oidc`: at an identity provider by OpenID Connect. */
export type SignInMethod = 'password' | 'oidc' | 'passkey';

/** How people sign in to this installation. */
export type SignInOptions = {
  /** Absent without one. Workspaces may have their own. */
  provider?: InstallationProvider | undefined;
};

/** Email address and password. */
export type SignInRequest = {
  /** Email address. Case-insensitive. */
  email: string;
  password: string;
};

/** How members sign in to the workspace. */
export type SignInSettings = {
  /** The address to register at the provider: it leads back there. */
  callbackUrl: string;
  /** Absent without one. */
  provider?: IdentityProvider | undefined;
  domains: SignInDomain[];
};

/** A session of the user. */
export type SignedInDevice = {
  /** A session of a user on one device: a TypeID with the prefix ses. */
  id: string;
  /** Browser and operating system, or the name of an automation session. */
  device: string;
  createdAt: string;
  /** When the session was last used, to the minute. */
  lastSeenAt: string;
  /** When the session expires. It ends earlier if unused. */
  expiresAt: string;
  /** Absent for an automation session. */
  signedInWith?: SignInMethod | undefined;
  /** The second factor that was proved last. Absent if there was none. */
  factor?: SecondFactor | undefined;
  current: boolean;
  /** Absent unless it is an automation session. */
  automation?: Automation | undefined;
};

/** What was found, in the order in which it was looked at. */
export type SiteCheck = {
  findings: SiteFinding[];
};

/** The page to try. */
export type SiteCheckRequest = {
  /** Its address, on an origin that the workspace allows. */
  url: string;
};

/** What was found on the page. */
export type SiteFinding = {
  code: SiteFindingCode;
  status: SiteFindingStatus;
  /** An address, a reason or the directives that are missing. */
  detail?: string | undefined;
};

/** What was found. Begins with what was looked at: the page, the script tag, its policy, the script, the origin. */
export type SiteFindingCode = 'page_unreadable' | 'page_read' | 'tag_missing' | 'tag_inserted' | 'tag_manager' | 'tag_element' | 'tag_held_back' | 'tag_without_app' | 'tag_without_service' | 'tag_found' | 'tag_repeated' | 'policy_blocks' | 'policy_allows' | 'policy_absent' | 'script_unreachable' | 'script_blocked' | 'script_loads' | 'origin_unknown' | 'origin_refused' | 'origin_allowed';

/** A problem keeps the guide from working; a warning may. */
export type SiteFindingStatus = 'ok' | 'warning' | 'problem';

/** Where articles come from: a website, uploaded files, or another service. */
export type Source = {
  /** A source of articles: a TypeID with the prefix src. */
  id: string;
  /** Name of the source, on one line. Not empty. */
  name: string;
  type: SourceType;
  /** Only for websites. */
  website?: WebsiteSettings | undefined;
  /** Only for files, if it is set. */
  files?: FilesSettings | undefined;
  /** Only for help centers of Zendesk. */
  zendesk?: ZendeskSettings | undefined;
  /** Whether an `apiToken` is stored. */
  hasApiToken: boolean;
  mode: SourceMode;
  schedule: SourceSchedule;
  state: SourceState;
  articles: number;
  /** Number of texts that wait for a choice. */
  conflicts: number;
  /** Number of documents of uploaded files that wait for a run. */
  waiting: number;
  /** Absent before the first. */
  lastRun?: SourceRun | undefined;
  /** When the schedule starts the next run. Absent if it does not start one. */
  nextRunAt?: string | undefined;
  /** Only for websites. */
  proof?: SourceProof | undefined;
  createdAt: string;
  /** Id of a member, automation session or API key, `operator` (command line), `mail` (a reply by mail), `service` (by itself) or `unknown` (failed sign-in). */
  createdBy: string;
};

/** The complete settings of a source. They replace the existing ones. */
export type SourceChange = {
  /** Name of the source, on one line. Not empty. */
  name: string;
  /** Only for websites. */
  website?: WebsiteSettings | undefined;
  /** Only for files. Articles have no address without it. */
  files?: FilesSettings | undefined;
  /** Only for help centers of Zendesk. */
  zendesk?: ZendeskSettings | undefined;
  /** Credential for the service, stored encrypted and never returned. If omitted, the stored one stays; an empty one deletes it. Zendesk: an OAuth access token with the scope `hc:read`, or the API token of `email`. Notion: the secret of an internal integration that may read content. */
  apiToken?: string | undefined;
  mode: SourceMode;
  /** Defaults to `manual`, the only schedule for files. */
  schedule?: SourceSchedule | undefined;
  /** Whether scheduled runs are paused. Defaults to false. */
  paused?: boolean | undefined;
};

/** A text that was changed both here and at the source. The text here stays until you choose. */
export type SourceConflict = {
  /** Where a text is in its source: the canonical URL of a page without its fragment, or the path in an upload, such as `manual.zip/setup.md` or `faq.csv#returning-an-order`. */
  place: string;
  /** A language tag in canonical BCP 47 form, such as de or pt-BR. */
  locale: string;
  /** Absent if the article was deleted. */
  articleId?: string | undefined;
  /** A translation of an article: a TypeID with the prefix tr. */
  translationId?: string | undefined;
  /** The text here. Absent if it was deleted. */
  current?: SourceConflictText | undefined;
  incoming: SourceConflictText;
  foundAt: string;
};

/** Whether to `keep` the text here, or to `replace` it by the text of the source, as a run does. */
export type SourceConflictChoice = 'keep' | 'replace';

/** A page of conflicts, by place. */
export type SourceConflictPage = {
  data: SourceConflict[];
  /** Cursor for the next page. Absent on the last page. */
  nextCursor?: string | undefined;
};

/** The choice for several conflicts. */
export type SourceConflictResolution = {
  /** Places of conflicts. Others are ignored. */
  places: string[];
  choice: SourceConflictChoice;
};

/** A text, to compare it with another one. */
export type SourceConflictText = {
  /** Title, on one line. Not empty. */
  title: string;
  /** The text that the guide answers from, as Markdown or plain text. Not empty. */
  answer: string;
  /** Search keywords besides title and answer. */
  aliases: string[];
};

/** How many conflicts were resolved. */
export type SourceConflictsResolved = {
  resolved: number;
};

/** A text that was found in a file. */
export type SourceDocumentHead = {
  /** Where a text is in its source: the canonical URL of a page without its fragment, or the path in an upload, such as `manual.zip/setup.md` or `faq.csv#returning-an-order`. */
  place: string;
  title: string;
  /** A language tag in canonical BCP 47 form, such as de or pt-BR. */
  locale: string;
};

/** A form with exactly one file. */
export type SourceFile = {
  /** Markdown, HTML, plain text, CSV, JSONL, PDF or DOCX, or a zip of them. */
  file: Blob;
};

/** Outcome, done or planned, for a place of the source. */
export type SourceItemOutcome = 'added' | 'changed' | 'removed' | 'refused' | 'conflict';

/** Handling of new and changed texts. `review`: drafts, and changed working copies; translations go to review. `publish`: visitors get them at once. */
export type SourceMode = 'review' | 'publish';

/** An origin of the start URLs. */
export type SourceOrigin = {
  /** A web origin: scheme, host and, unless it is the default, port. */
  origin: string;
  /** Whether it is an allowed domain of the workspace. Others need the token file. */
  allowedDomain: boolean;
};

/** For a zip that only carries files and folders: places are their paths, each at the top is an upload of its own. `more` adds to the folders of the zip before. */
export type SourcePacking = 'whole' | 'more';

export type SourcePage = {
  data: Source[];
  /** Cursor for the next page. Absent on the last page. */
  nextCursor?: string | undefined;
};

/** How you prove that an origin is yours: it is an allowed domain of the workspace, or serves the token file when a run starts. */
export type SourceProof = {
  token: string;
  /** Path of the token file on an origin that you own. */
  path: string;
  origins: SourceOrigin[];
};

/** A reason, and how often it applied. */
export type SourceReasonCount = {
  reason: SourceRefusalReason;
  count: number;
};

/** What a run left out, by reason. */
export type SourceReasonCounts = {
  /** The most frequent first. */
  data: SourceReasonCount[];
};

/** Something that was not taken, and why. */
export type SourceRefusal = {
  /** Where it is in the upload. Cut at the limit if it is longer. */
  place: string;
  reason: SourceRefusalReason;
  /** More about the reason, such as the status of the website, or what to check in a text that was read. */
  detail?: string | undefined;
};

/** Why something was not taken. An article that an earlier run made of it stays as it is. `not_proved`: a page of an origin that is not proved; `private_address`: an address that is not public, see `detail` for the setting that allows it; `robots`: robots.txt forbids it; `too_large`, `timeout`, `memory`, `too_many_files`, `too_many_pages`: beyond a limit; `http_status`: an error of the website, see `detail`; `off_site`: a redirect or canonical link to another site; `no_index`: the page asks not to be indexed; `draft`: marked as not public, or a part of other pages; `excluded`: the rules of the source leave it out; `duplicate`: the same content as another place; `place_too_long`, `invalid_url`: an address that cannot be stored; `invalid_path`: a name that leads out of its zip; `unreadable`: damaged; `zip_bomb`: unpacks to too much; `unsupported_language`: not a registered language; `invalid_encoding`: not valid text; `invalid_article`: not in the format of an article, see `detail`; `no_source_article`: a translation without its article; `too_many_locales`: more translations than an article may have. */
export type SourceRefusalReason = 'not_proved' | 'private_address' | 'robots' | 'too_large' | 'timeout' | 'unreachable' | 'http_status' | 'not_html' | 'redirect_loop' | 'off_site' | 'no_index' | 'draft' | 'excluded' | 'no_content' | 'duplicate' | 'place_too_long' | 'invalid_url' | 'invalid_path' | 'unreadable' | 'encrypted' | 'too_deep' | 'zip_bomb' | 'too_many_files' | 'too_many_pages' | 'unsupported_type' | 'unsupported_language' | 'invalid_encoding' | 'invalid_article' | 'no_source_article' | 'too_many_locales' | 'memory';

/** One reading of a source, and what it changed. */
export type SourceRun = {
  /** A run of a source: a TypeID with the prefix run. */
  id: string;
  state: SourceRunState;
  /** Whether it stops before anything changes, to be applied or cancelled. */
  preview: boolean;
  scheduled: boolean;
  progress: SourceRunProgress;
  /** Zeros until everything has been read. */
  counts: SourceRunCounts;
  /** Absent unless the run failed. */
  failure?: SourceRunFailed | undefined;
  /** When it was started or became due. */
  createdAt: string;
  /** The member or session that started the run; for a scheduled run, the one that created the source. */
  createdBy: string;
  /** When reading began. Absent before. */
  startedAt?: string | undefined;
  /** When it was done, failed or cancelled. Absent before. */
  finishedAt?: string | undefined;
};

/** Result or forecast of a run. Articles and translations count one by one. */
export type SourceRunCounts = {
  added: number;
  /** Texts that differ from what the source delivered last. */
  changed: number;
  unchanged: number;
  /** Texts that are no longer in the source. They are unpublished, not deleted. */
  removed: number;
  refused: number;
  /** Changed texts that were also edited here. They wait for a choice. */
  conflicts: number;
};

/** How a run ended. */
export type SourceRunEnd = 'done' | 'failed' | 'cancelled';

/** Why a run failed, and the cause in detail. */
export type SourceRunFailed = {
  reason: SourceRunFailure;
  /** For example the origin that is not proved; for `private_address`, also the setting that allows it. */
  detail?: string | undefined;
};

/** Why a run failed. `origin_not_proved`: an origin of the start URLs is neither an allowed domain nor serves the token file; `private_address`: an address is not public, and the setting in `detail` would allow it; `not_authorized`: the service did not accept the API token, or there is none; `start_unreachable`: no start URL could be read; `robots_unreachable`: robots.txt could not be read, so crawling is not allowed; `moved`: the website redirects to the origin in `detail`, which is not proved; `no_pages`: nothing was found; `time_limit`: it took too long; `storage_full`: the workspace may not store more; `internal`: an error of the service. */
export type SourceRunFailure = 'origin_not_proved' | 'private_address' | 'not_authorized' | 'start_unreachable' | 'robots_unreachable' | 'moved' | 'no_pages' | 'time_limit' | 'storage_full' | 'internal';

/** A run of a source that ended. */
export type SourceRunFinishedData = {
  /** A run of a source: a TypeID with the prefix run. */
  run_id: string;
  /** A source of articles: a TypeID with the prefix src. */
  source_id: string;
  state: SourceRunEnd;
  /** Absent unless the run failed. */
  failure?: SourceRunFailure | undefined;
  added: number;
  changed: number;
  unchanged: number;
  removed: number;
  refused: number;
  conflicts: number;
  finished_at: string;
};

/** A run of a source was done, failed or cancelled. */
export type SourceRunFinishedEvent = {
  type: 'source.run_finished';
  /** When it happened. */
  timestamp: string;
  /** A workspace: a TypeID with the prefix ws. */
  tenant_id: string;
  data: SourceRunFinishedData;
};

/** A line in the log of a run. Unchanged texts have none. */
export type SourceRunItem = {
  /** Where it is in the source. Cut at the limit if it is longer. */
  place: string;
  outcome: SourceItemOutcome;
  /** Language of the text. Absent where nothing was read. */
  locale?: string | undefined;
  /** Title of the text. Absent where nothing was read. */
  title?: string | undefined;
  /** With `refused`. */
  reason?: SourceRefusalReason | undefined;
  /** More about the reason, such as the status of the website, or what to check in a text that was read. */
  detail?: string | undefined;
  /** The article. Absent until the run has applied it. */
  articleId?: string | undefined;
  /** A translation of an article: a TypeID with the prefix tr. */
  translationId?: string | undefined;
  applied: boolean;
};

export type SourceRunItemPage = {
  data: SourceRunItem[];
  /** Cursor for the next page. Absent on the last page. */
  nextCursor?: string | undefined;
};

export type SourceRunPage = {
  data: SourceRun[];
  /** Cursor for the next page. Absent on the last page. */
  nextCursor?: string | undefined;
};

/** Progress of the run in its current state. */
export type SourceRunProgress = {
  done: number;
  /** Total known so far. Grows while links are followed. */
  total: number;
};

/** State of a run: `queued`, then `reading` the source, then `applying` what has changed, then `done`. A preview waits as `ready` until it is applied or cancelled. `failed` runs have changed nothing; `cancelled` ones only what they had applied. */
export type SourceRunState = 'queued' | 'reading' | 'ready' | 'applying' | 'done' | 'failed' | 'cancelled';

/** A text of a run, before and after it. */
export type SourceRunText = {
  /** Where a text is in its source: the canonical URL of a page without its fragment, or the path in an upload, such as `manual.zip/setup.md` or `faq.csv#returning-an-order`. */
  place: string;
  /** Language of the text. */
  locale?: string | undefined;
  /** The text here before the run. Absent if there was none. */
  before?: SourceConflictText | undefined;
  /** The text that the run delivers. Absent if it removes the text. */
  after?: SourceConflictText | undefined;
  /** A knowledge article: a TypeID with the prefix art. */
  articleId?: string | undefined;
  /** A translation of an article: a TypeID with the prefix tr. */
  translationId?: string | undefined;
};

/** When runs start by themselves. Sources of files are read when you start a run. */
export type SourceSchedule = 'manual' | 'hourly' | 'daily' | 'weekly';

/** State of a source. `running`: a run is under way, or waits to be applied; `paused`: no run starts by schedule. */
export type SourceState = 'idle' | 'running' | 'paused';

/** Type of a source. `website`: pages of origins that you own; `files`: files that you upload; `zendesk`: a help center of Zendesk; `notion`: the pages that are shared with an integration of Notion. */
export type SourceType = 'website' | 'files' | 'zendesk' | 'notion';

/** Content of a file. It waits for the next run. */
export type SourceUpload = {
  /** Name of the file. Places begin with it, unless `packed` is set; uploading the same name again replaces it. */
  file: string;
  documents: SourceDocumentHead[];
  documentCount: number;
  refusals: SourceRefusal[];
  refusalCount: number;
};

/** Speech provider. `auto` uses the workspace's choice, else the first available of provider_c, provider_b and provider_a. */
export type SpeechProvider = 'provider_a' | 'provider_b' | 'provider_c' | 'mock' | 'auto';

/** The text to speak, and how. */
export type SpeechRequest = {
  /** Text to speak. Not blank. */
  text: string;
  /** Voice of the provider. Defaults to the workspace's voice. */
  voice_id?: string | undefined;
  /** Defaults to `auto`. */
  provider?: SpeechProvider | undefined;
};

/** Whether the article has changed since it was translated. */
export type StaleFilter = 'true' | 'false';

/** Progress while there is no text yet. */
export type StatusEvent = {
  type: 'status';
  /** Position in the stream, from zero, without gaps. */
  seq: number;
  phase: AnswerPhase;
};

/** A kind of stored data. */
export type StorageKind = 'conversations' | 'turns' | 'events' | 'consent' | 'audit' | 'knowledge' | 'images' | 'search';

/** A next step that the knowledge base can answer. */
export type Suggestion = {
  suggestion_id: string;
  title: string;
  /** The message to send when the visitor takes it. */
  message: string;
};

/** Questions that the visitor could ask next. */
export type SuggestionsEvent = {
  type: 'suggestions';
  /** Position in the stream, from zero, without gaps. */
  seq: number;
  /** The next steps, most fitting first. */
  items: Suggestion[];
};

/** A tag and how many articles have it. */
export type TagCount = {
  /** Tag of an article, in lower case: letters and digits of any script, spaces and any of `._-`. */
  tag: string;
  articles: number;
};

/** The tags of the articles of a workspace. */
export type TagList = {
  /** The tags, most frequent first. */
  data: TagCount[];
};

/** A workspace with its settings. */
export type Tenant = {
  /** A workspace: a TypeID with the prefix ws. */
  id: string;
  /** App id for the install script, prefixed `gp_`. */
  appId: string;
  /** Visible to visitors and members. Extra white space is removed. */
  name: string;
  /** Set on the command line. */
  enabled: boolean;
  /** Origins where the guide may be embedded. */
  allowedOrigins: string[];
  /** Language of the articles, as a canonical BCP 47 tag. */
  sourceLocale: string;
  features: TenantFeatures;
  showBranding: boolean;
  branding: GuideBranding;
  consentStrictness: ConsentStrictness;
  /** Regions with a stricter minimum, each listed once. */
  consentStrictnessByRegion: RegionStrictness[];
  /** Suggested questions to show before the first message, in order. */
  suggestions: string[];
  /** Where on the site the guide appears. The first rule that matches a path applies. */
  pathRules: PathRule[];
  /** Absent if nothing is set. */
  contact?: Contact | undefined;
  handover: HandoverSettings;
  /** What user tokens may say of customers. Absent if nothing is declared. */
  customerAttributes?: CustomerAttribute[] | undefined;
  helpCentre: HelpCentreSettings;
  voice: TenantVoice;
  guide: TenantGuide;
  retention: TenantRetention;
  /** Whether members need a second factor, such as a passkey, to see anything of the workspace. */
  requireSecondFactor: boolean;
  /** Number of the settings' revision, from 1. */
  version: number;
  createdAt: string;
  updatedAt: string;
};

/** Settings to change, at least one. Omitted fields stay unchanged. */
export type TenantChange = {
  /** Visible to visitors and members. Extra white space is removed. */
  name?: string | undefined;
  /** Origins where the guide may be embedded. Replaces the whole list. */
  allowedOrigins?: string[] | undefined;
  /** Language of the articles, a BCP 47 tag. */
  sourceLocale?: string | undefined;
  features?: TenantFeaturesChange | undefined;
  showBranding?: boolean | undefined;
  branding?: GuideBrandingChange | undefined;
  consentStrictness?: ConsentStrictness | undefined;
  /** Regions with a stricter minimum. Replaces the whole list. */
  consentStrictnessByRegion?: RegionStrictness[] | undefined;
  /** Suggested questions. Replaces the whole list. */
  suggestions?: string[] | undefined;
  /** Where on the site the guide appears, in order. Replaces the whole list. */
  pathRules?: PathRule[] | undefined;
  contact?: ContactChange | undefined;
  handover?: HandoverSettingsChange | undefined;
  /** What user tokens may say of customers. Replaces the whole list. */
  customerAttributes?: CustomerAttribute[] | undefined;
  helpCentre?: HelpCentreSettingsChange | undefined;
  voice?: TenantVoiceChange | undefined;
  guide?: TenantGuideChange | undefined;
  retention?: TenantRetentionChange | undefined;
  /** Only owners change it, with a password confirmed within ten minutes, and whoever turns it on has signed in with a second factor. */
  requireSecondFactor?: boolean | undefined;
};

/** A source of an answer. */
export type TenantCitation = {
  /** A knowledge article: a TypeID with the prefix art. */
  articleId: string;
  /** The translation that is cited; absent for the source article. */
  translationId?: string | undefined;
  /** The published revision that contains the quote. */
  revision: number;
  /** The title of the cited text, in its own language. */
  title: string;
  /** Public URL of the article. */
  url?: string | undefined;
  /** The cited words, verbatim from that revision. */
  quote: string;
  /** The language that the visitor asked for. */
  requestedLocale: string;
  /** The language that the cited text is in. */
  contentLocale: string;
  /** Why the text is not in the requested locale. Absent if it is, or if it is a source article in the base language. */
  fallbackReason?: FallbackReason | undefined;
  /** Whether the article had changed since it was translated. */
  stale: boolean;
};

/** A conversation without its turns. */
export type TenantConversation = {
  /** Conversation id, chosen by the client or the service. Percent-encoded in a path. */
  id: string;
  /** Pseudonym of a visitor in this workspace: a TypeID with the prefix vp. `/boot` does not take it. */
  visitorId: string;
  startedAt: string;
  lastAt: string;
  turns: number;
  /** A language tag in canonical BCP 47 form, such as de or pt-BR. */
  locale: string;
  firstMessage: string;
  /** Whether every question was answered (finish reason `stop` or `length`). */
  answered: boolean;
  rating?: FeedbackRating | undefined;
};

export type TenantConversationPage = {
  data: TenantConversation[];
  /** Cursor for the next page. Absent on the last page. */
  nextCursor?: string | undefined;
};

/** How far the embedding of published texts is, and its usage of the current month (UTC). */
export type TenantEmbeddingUsage = {
  /** Published articles; translations share the embeddings of their source. */
  texts: number;
  embeddedTexts: number;
  /** Of an outside model, this month. The model inside the service counts none. */
  usedTokens: number;
  /** Absent for the model inside the service. */
  monthlyTokensMax?: number | undefined;
};

/** Features of the guide. */
export type TenantFeatures = {
  pageActions: boolean;
  /** Whether the guide may read a screenshot of the page. */
  screenshot: boolean;
  feedback: boolean;
};

/** Changes to the features. Omitted fields stay unchanged. */
export type TenantFeaturesChange = {
  pageActions?: boolean | undefined;
  /** Whether the guide may read a screenshot of the page. */
  screenshot?: boolean | undefined;
  feedback?: boolean | undefined;
};

/** A rating of an answer, with its question. */
export type TenantFeedback = {
  /** One answer of the guide: a TypeID with the prefix msg. */
  messageId: string;
  /** Conversation id, chosen by the client or the service. Percent-encoded in a path. */
  conversationId: string;
  rating: FeedbackRating;
  /** The visitor's comment. */
  comment?: string | undefined;
  reasons?: FeedbackReason[] | undefined;
  at: string;
  question: string;
  answer: string;
  /** The language that the visitor asked for. */
  locale: string;
};

export type TenantFeedbackPage = {
  data: TenantFeedback[];
  /** Cursor for the next page. Absent on the last page. */
  nextCursor?: string | undefined;
};

/** Settings for answers written by a language model. */
export type TenantGuide = {
  /** Rules for the answers, in order. Absent if there are none. */
  rules?: GuidanceRule[] | undefined;
  /** Whether a language model may answer questions that no article covers. Otherwise, the guide says that it does not know. */
  generalAnswers: boolean;
  /** Maximum tokens per calendar month. If absent, the operator's limit applies; only with a model of its own it can exceed that. */
  monthlyTokensMax?: number | undefined;
  /** Approximate maximum tokens per answer. If absent, the operator's setting applies. */
  turnTokensMax?: number | undefined;
};

/** Changes to the guide. Omitted fields stay unchanged. */
export type TenantGuideChange = {
  /** Rules for the answers, in order. Replaces the whole list. Texts and conditions have at most 8000 characters together. */
  rules?: GuidanceRule[] | undefined;
  /** Whether a language model may answer questions that no article covers. Otherwise, the guide says that it does not know. */
  generalAnswers?: boolean | undefined;
  /** Maximum tokens per calendar month, or `null` for the operator's limit. */
  monthlyTokensMax?: number | null | undefined;
  /** Approximate maximum tokens per answer, or `null` for the operator's setting. */
  turnTokensMax?: number | null | undefined;
};

/** How long conversations and events are kept. Visitors who did not agree to storage keep their conversations for a day only. */
export type TenantRetention = {
  /** Days after which a conversation is deleted, counted from its first question. */
  conversationDays: number;
  /** Days after which an event is deleted. */
  eventDays: number;
  /** Whether the words of unanswered questions and of searches are kept without their visitor, masked, for 30 days, if the visitor has decided nothing yet. Never those of visitors who refused or send Global Privacy Control. */
  anonymousQuestions?: boolean | undefined;
};

/** Changes to retention. Omitted fields stay unchanged. Older data is deleted within an hour and cannot be restored. */
export type TenantRetentionChange = {
  /** Days after which a conversation is deleted, counted from its first question. */
  conversationDays?: number | undefined;
  /** Days after which an event is deleted. */
  eventDays?: number | undefined;
  /** Whether the words of unanswered questions and of searches are kept without their visitor, masked, for 30 days, if the visitor has decided nothing yet. Never those of visitors who refused or send Global Privacy Control. */
  anonymousQuestions?: boolean | undefined;
};

/** Preferred provider for speech, used before the others, which are fallbacks. `mock` has no fallback. */
export type TenantSpeechProvider = 'provider_a' | 'provider_b' | 'provider_c' | 'mock';

/** Stored data of one kind. */
export type TenantStorageKind = {
  kind: StorageKind;
  rows: number;
  /** Estimated size with indexes, in bytes. */
  bytes: number;
  /** When the oldest record was made. Absent if there is none. */
  oldestAt?: string | undefined;
};

/** Stored data of the workspace. */
export type TenantStorageUsage = {
  /** Estimated size of everything stored, in bytes. */
  usedBytes: number;
  /** Maximum, in bytes. Beyond it, articles cannot be changed, events are not stored, and new conversations are kept for a day. */
  bytesMax: number;
  measuredAt: string;
  kinds: TenantStorageKind[];
};

/** Preferred provider for tokens, used before the others, which are fallbacks. `mock` has no fallback. */
export type TenantTokenProvider = 'provider_a' | 'provider_b' | 'provider_b-batch' | 'mock';

/** Token usage of the current month. */
export type TenantTokenUsage = {
  period: string;
  /** Tokens used this month, including reservations. */
  usedTokens: number;
  monthlyTokensMax?: number | undefined;
  /** Start of the month in the workspace's time zone. */
  startsAt: string;
  /** End of the month in the workspace's time zone. */
  endsAt: string;
};

/** Preferred provider for recordings. The others are used if it fails. */
export type TenantTranscribeProvider = 'provider_a' | 'provider_b';

/** A conversation with its turns and notes. */
export type TenantTranscript = {
  conversation: TenantConversation;
  /** Turns, oldest first. Long conversations show only the latest ones. */
  turns: TenantTurn[];
  /** Notes of the team, oldest first. */
  notes: ConversationNote[];
};

/** A visitor's question and its answer. */
export type TenantTurn = {
  /** Index of the turn, as sent by the visitor. */
  turnIdx: number;
  /** One answer of the guide: a TypeID with the prefix msg. */
  messageId: string;
  message: string;
  /** The answer, or the part of it that was written before an interruption. */
  answer: string;
  state: TurnState;
  /** Why the answer ended. Absent while it is running or if it failed. */
  finishReason?: FinishReason | undefined;
  /** The language that the visitor asked for. */
  requestedLocale: string;
  citations: TenantCitation[];
  askedAt: string;
  /** When the answer ended. Absent while it is running. */
  finishedAt?: string | undefined;
  rating?: FeedbackRating | undefined;
  /** The visitor's comment. */
  comment?: string | undefined;
  reasons?: FeedbackReason[] | undefined;
};

/** Usage of the current month, and what is stored. */
export type TenantUsage = {
  /** Absent if voice is off. */
  voice: TenantVoiceUsage;
  /** Absent without a language model. */
  tokens: TenantTokenUsage;
  /** Absent without an embedding model. */
  embeddings?: TenantEmbeddingUsage | undefined;
  /** Absent until it was measured after a start. */
  storage?: TenantStorageUsage | undefined;
  /** The engine: `extractive` quotes articles, `llm` uses a language model. */
  engine: string;
};

/** Voice settings of a workspace. */
export type TenantVoice = {
  enabled: boolean;
  /** Maximum seconds of speech per calendar month. */
  monthlySecondsMax: number;
  /** IANA time zone for monthly caps, of both voice and tokens. */
  timeZone: string;
  /** Default voice. If absent, the provider's default is used. */
  voiceId?: string | undefined;
  /** If absent, the default order applies. */
  tokenProvider?: TenantTokenProvider | undefined;
  /** If absent, the default order applies. */
  transcribeProvider?: TenantTranscribeProvider | undefined;
  /** If absent, the default order applies. */
  speechProvider?: TenantSpeechProvider | undefined;
};

/** Changes to the voice settings. Omitted fields stay unchanged. */
export type TenantVoiceChange = {
  enabled?: boolean | undefined;
  /** Maximum seconds of speech per calendar month. */
  monthlySecondsMax?: number | undefined;
  /** IANA time zone for monthly caps, of both voice and tokens. */
  timeZone?: string | undefined;
  /** Default voice, or `null` for the provider's default. */
  voiceId?: string | null | undefined;
  /** Preferred provider for tokens, or `auto` for the default order. */
  tokenProvider?: VoiceTokenProvider | undefined;
  transcribeProvider?: TranscribeProvider | undefined;
  /** Preferred provider for speech, or `auto` for the default order. */
  speechProvider?: SpeechProvider | undefined;
};

/** Voice usage of the current month. */
export type TenantVoiceUsage = {
  period: string;
  /** Seconds of speech used this month, including reservations. */
  usedSeconds: number;
  /** Seconds reserved for sessions, recordings and speech in progress. */
  heldSeconds: number;
  monthlySecondsMax: number;
  /** Start of the month in the workspace's time zone. */
  startsAt: string;
  /** End of the month in the workspace's time zone. */
  endsAt: string;
};

/** A piece of the answer, in order. */
export type TextDeltaEvent = {
  type: 'text_delta';
  /** Position in the stream, from zero, without gaps. */
  seq: number;
  delta: string;
  /** Where the delta begins in the answer, in Unicode code points. */
  offset: number;
};

/** A place where a text contains the words. */
export type TextHit = {
  field: TextHitField;
  /** Where the words begin, in UTF-16 code units. */
  at: number;
  /** The text before the words, on the same line. */
  before: string;
  /** The words as the text has them. */
  match: string;
  /** The text after the words, on the same line. */
  after: string;
};

/** The part of a text that contains the words. */
export type TextHitField = 'title' | 'answer';

/** An article or a translation that contains the words. */
export type TextMatch = {
  /** A knowledge article: a TypeID with the prefix art. */
  articleId: string;
  /** Absent for the article itself. */
  translationId?: string | undefined;
  /** A language tag in canonical BCP 47 form, such as de or pt-BR. */
  locale: string;
  /** Title, on one line. Not empty. */
  title: string;
  /** Revision of the working copy that was searched. */
  revision: number;
  /** Whether a revision is live and the working copy does not differ from it. */
  live: boolean;
  /** The first places, in order. */
  hits: TextHit[];
};

export type TextMatchPage = {
  data: TextMatch[];
  /** Cursor for the next page. Absent on the last page. */
  nextCursor?: string | undefined;
};

/** Replaces the answer so far. With the reason retry, earlier citations, actions and suggestions no longer apply either. */
export type TextReplaceEvent = {
  type: 'text_replace';
  /** Position in the stream, from zero, without gaps. */
  seq: number;
  /** The whole answer so far. Replaces all previous deltas. */
  text: string;
  reason: ReplaceReason;
};

/** Whether an article is to be verified now. */
export type ToVerifyFilter = 'true' | 'false';

/** Tokens that a language model used for this turn. */
export type TokenUsage = {
  /** Tokens read by a language model; zero without one. */
  input_tokens: number;
  /** Tokens written by a language model; zero without one. */
  output_tokens: number;
};

/** Preferred provider for recordings, or `auto` for the default order. */
export type TranscribeProvider = 'provider_a' | 'provider_b' | 'auto';

/** Transcript of a recording. */
export type Transcript = {
  /** The transcript. Empty if there is no speech. */
  text: string;
  model: string;
};

/** A translation of an article: its working copy, review and live revision. */
export type Translation = {
  /** A translation of an article: a TypeID with the prefix tr. */
  id: string;
  /** A knowledge article: a TypeID with the prefix art. */
  articleId: string;
  /** A language tag in canonical BCP 47 form, such as de or pt-BR. */
  locale: string;
  status: TranslationStatus;
  /** Whether the article has changed since the working copy was translated. */
  stale: boolean;
  /** Revision of the working copy, the latest. Send it as `baseRevision`. */
  revision: number;
  /** Revision of the article that the working copy was translated from. */
  sourceRevision: number;
  /** Revision of the article to translate from: the published one, or the working copy if none is published. */
  currentSourceRevision: number;
  /** Title, on one line. Not empty. */
  title: string;
  /** The text that the guide answers from, as Markdown or plain text. Not empty. */
  answer: string;
  /** Search keywords besides title and answer. */
  searchAliases: string[];
  /** Beginning of the answer as plain text, generated by the service. */
  searchSummary: string;
  /** Absent while nothing is live. */
  live?: TranslationLive | undefined;
  /** Absent if there is none. */
  review?: TranslationReview | undefined;
  /** Absent if none is scheduled. Editing the text cancels it, as it voids the review. */
  scheduled?: ScheduledPublication | undefined;
  /** Id of a member, automation session or API key, `operator` (command line), `mail` (a reply by mail), `service` (by itself) or `unknown` (failed sign-in). */
  createdBy: string;
  createdAt: string;
  /** Id of a member, automation session or API key, `operator` (command line), `mail` (a reply by mail), `service` (by itself) or `unknown` (failed sign-in). */
  updatedBy: string;
  updatedAt: string;
};

/** The revision that the action applies to. */
export type TranslationBase = {
  /** The revision you last read. The request fails with a conflict if it is no longer the latest. */
  baseRevision: number;
};

/** Content of a translation. */
export type TranslationContent = {
  /** Title, on one line. Not empty. */
  title: string;
  /** The text that the guide answers from, as Markdown or plain text. Not empty. */
  answer: string;
  /** Search keywords besides title and answer. */
  searchAliases: string[];
};

/** A translation with its latest revisions. */
export type TranslationDetail = {
  /** A translation of an article: a TypeID with the prefix tr. */
  id: string;
  /** A knowledge article: a TypeID with the prefix art. */
  articleId: string;
  /** A language tag in canonical BCP 47 form, such as de or pt-BR. */
  locale: string;
  status: TranslationStatus;
  /** Whether the article has changed since the working copy was translated. */
  stale: boolean;
  /** Revision of the working copy, the latest. Send it as `baseRevision`. */
  revision: number;
  /** Revision of the article that the working copy was translated from. */
  sourceRevision: number;
  /** Revision of the article to translate from: the published one, or the working copy if none is published. */
  currentSourceRevision: number;
  /** Title, on one line. Not empty. */
  title: string;
  /** The text that the guide answers from, as Markdown or plain text. Not empty. */
  answer: string;
  /** Search keywords besides title and answer. */
  searchAliases: string[];
  /** Beginning of the answer as plain text, generated by the service. */
  searchSummary: string;
  /** Absent while nothing is live. */
  live?: TranslationLive | undefined;
  /** Absent if there is none. */
  review?: TranslationReview | undefined;
  /** Absent if none is scheduled. Editing the text cancels it, as it voids the review. */
  scheduled?: ScheduledPublication | undefined;
  /** Id of a member, automation session or API key, `operator` (command line), `mail` (a reply by mail), `service` (by itself) or `unknown` (failed sign-in). */
  createdBy: string;
  createdAt: string;
  /** Id of a member, automation session or API key, `operator` (command line), `mail` (a reply by mail), `service` (by itself) or `unknown` (failed sign-in). */
  updatedBy: string;
  updatedAt: string;
  /** Latest revisions, newest first, at most 100. */
  revisions: TranslationRevision[];
  revisionCount: number;
};

/** The complete text of a translation. It replaces the existing text. */
export type TranslationEdit = {
  /** The revision you last read. The request fails with a conflict if it is no longer the latest. */
  baseRevision: number;
  /** Revision of the article that was translated: `currentSourceRevision` as last read. The request fails if it is no longer current. Without it, the text counts as made for the current one. */
  sourceRevision?: number | undefined;
  /** Title, on one line. Not empty. */
  title: string;
  /** The text that the guide answers from, as Markdown or plain text. Not empty. */
  answer: string;
  /** Search keywords in this language. Defaults to none. */
  searchAliases?: string[] | undefined;
};

/** The live revision of a translation. Visitors see it while the article is published. */
export type TranslationLive = {
  revision: number;
  /** Revision of the article that was translated. */
  sourceRevision: number;
  /** Whether the article has changed since this was translated. */
  stale: boolean;
  publishedAt: string;
  /** Id of a member, automation session or API key, `operator` (command line), `mail` (a reply by mail), `service` (by itself) or `unknown` (failed sign-in). */
  publishedBy: string;
};

export type TranslationPage = {
  data: Translation[];
  /** Cursor for the next page. Absent on the last page. */
  nextCursor?: string | undefined;
};

/** A published translation. */
export type TranslationPublishedData = {
  /** A translation of an article: a TypeID with the prefix tr. */
  translation_id: string;
  /** A knowledge article: a TypeID with the prefix art. */
  article_id: string;
  /** Stable name of the article in imports and exports: letters of any script, digits and any of `._~/-`. */
  slug: string;
  /** A language tag in canonical BCP 47 form, such as de or pt-BR. */
  locale: string;
  revision: number;
  /** Title, on one line. Not empty. */
  title: string;
  /** Address of the text on the site, or of its page in the help centre; `null` if it has none. */
  url: string | null;
};

/** A text of a translation went live. Visitors get it while its article is published. */
export type TranslationPublishedEvent = {
  type: 'translation.published';
  /** When it happened. */
  timestamp: string;
  /** A workspace: a TypeID with the prefix ws. */
  tenant_id: string;
  data: TranslationPublishedData;
};

/** Review of a working copy. Editing the text voids it. */
export type TranslationReview = {
  decision: ReviewDecision;
  revision: number;
  /** Id of a member, automation session or API key, `operator` (command line), `mail` (a reply by mail), `service` (by itself) or `unknown` (failed sign-in). */
  reviewerId: string;
  reviewNote?: string | undefined;
  reviewedAt: string;
  selfReview: boolean;
};

/** A revision of a translation. */
export type TranslationRevision = {
  revision: number;
  event: TranslationStep;
  status: TranslationStatus;
  /** Revision of the article that was translated. */
  sourceRevision: number;
  content: TranslationContent;
  /** SHA-256 of the content, in hex. Equal if and only if the content is equal. */
  contentHash: string;
  /** Id of the member who created this revision, or `operator` for an import. */
  authorId: string;
  /** Id of the reviewer, if a review created this revision. */
  reviewerId?: string | undefined;
  reviewNote?: string | undefined;
  createdAt: string;
};

/** When to publish the approved revision of a translation. */
export type TranslationSchedule = {
  /** The revision you last read. The request fails with a conflict if it is no longer the latest. */
  baseRevision: number;
  /** When to publish: in the future, within five years. `null` cancels a scheduled publication. */
  publishAt: string | null;
};

/** A translation of an earlier text. */
export type TranslationStaleData = {
  /** A translation of an article: a TypeID with the prefix tr. */
  translation_id: string;
  /** A knowledge article: a TypeID with the prefix art. */
  article_id: string;
  /** Stable name of the article in imports and exports: letters of any script, digits and any of `._~/-`. */
  slug: string;
  /** A language tag in canonical BCP 47 form, such as de or pt-BR. */
  locale: string;
  revision: number;
};

/** The source text of a published translation changed. */
export type TranslationStaleEvent = {
  type: 'translation.stale';
  /** When it happened. */
  timestamp: string;
  /** A workspace: a TypeID with the prefix ws. */
  tenant_id: string;
  data: TranslationStaleData;
};

/** Status of the working copy. Whether a revision is live is independent of it. */
export type TranslationStatus = 'draft' | 'in_review' | 'changes_requested' | 'approved' | 'published' | 'archived';

/** Step that created a revision of a translation. */
export type TranslationStep = 'created' | 'edited' | 'submitted' | 'approved' | 'changes_requested' | 'published' | 'archived' | 'restored' | 'imported';

/** A review of a translation. */
export type TranslationVerdict = {
  /** The revision you last read. The request fails with a conflict if it is no longer the latest. */
  baseRevision: number;
  decision: ReviewDecision;
  /** Note to the author. Required when requesting changes. */
  reviewNote?: string | undefined;
};

/** State of the answer. */
export type TurnState = 'running' | 'complete' | 'interrupted' | 'failed';

/** Unanswered questions in one language. */
export type UnansweredLanguage = {
  /** A language tag in canonical BCP 47 form, such as de or pt-BR. */
  locale: string;
  count: number;
};

/** Unanswered questions on one page. */
export type UnansweredPage = {
  /** Without query and fragment. */
  path: string;
  count: number;
};

/** An unanswered question. Similar questions are grouped, ignoring case, spaces and punctuation. */
export type UnansweredQuestion = {
  /** As last asked, truncated to 300 characters. */
  question: string;
  count: number;
  last: string;
};

/** A text that matches the question but is not visible to visitors. */
export type UnpublishedMatch = {
  /** A knowledge article: a TypeID with the prefix art. */
  articleId: string;
  /** Stable name of the article in imports and exports: letters of any script, digits and any of `._~/-`. */
  slug: string;
  /** The translation. Absent for the article itself. */
  translationId?: string | undefined;
  /** A language tag in canonical BCP 47 form, such as de or pt-BR. */
  locale: string;
  /** Title, on one line. Not empty. */
  title: string;
  reason: UnpublishedReason;
};

/** Why visitors do not see the text: the article was never published or is unpublished, the live revision is older, or the translation is not live. */
export type UnpublishedReason = 'never_published' | 'unpublished' | 'newer_draft' | 'not_live';

/** Whether an article shows the image. */
export type UsedFilter = 'true' | 'false';

/** What the service makes of a user token. */
export type UserTokenCheck = {
  /** What `POST /boot` says of the token in `user_token`. */
  result: UserTokenResult;
  /** Why it is refused. Absent if it is accepted. */
  problem?: UserTokenProblem | undefined;
  /** Absent if the token is refused. */
  customer?: CheckedCustomer | undefined;
};

/** The user token to check. */
export type UserTokenCheckRequest = {
  /** The JWT, as the site passes it to the guide. */
  token: string;
};

/** Why a user token is refused. `no_key`: the workspace has no key. `unreadable_key`: the key set cannot be read now. `unknown_key`: the key set has no key with this `kid`. `malformed`: not a signed JWT. `algorithm`: no key of the workspace is for this `alg`. `signature`: signed with another key. `expired`: `exp` has passed. `times`: `exp` is missing or too far ahead, or the token is not valid yet. `audience`: `aud` is not the app id. `subject`: `sub` is missing or too long. */
export type UserTokenProblem = 'no_key' | 'unreadable_key' | 'unknown_key' | 'malformed' | 'algorithm' | 'signature' | 'expired' | 'times' | 'audience' | 'subject';

/** What became of the user token. `accepted`: the visitor is the customer, on every device; `visitor_id` then works with the token only and need not be stored. `expired`: `exp` has passed. `no_key`: the workspace has no key, or the keys of the site cannot be read now. `invalid`: signature, `aud`, `sub` or times are wrong. */
export type UserTokenResult = 'accepted' | 'expired' | 'invalid' | 'no_key';

/** When to verify an article again. */
export type VerifyAgain = {
  /** From when on to verify it: in the future, within five years. `null` for never. */
  verifyAfter: string | null;
};

/** The visible part of the page. */
export type Viewport = {
  /** A length in CSS pixels, not negative. */
  width?: number | undefined;
  /** A length in CSS pixels, not negative. */
  height?: number | undefined;
  /** Device pixels per CSS pixel. */
  dpr?: number | undefined;
};

/** A picture of what the visitor sees. Dropped with a notice when it is oversized or malformed. */
export type ViewportScreenshot = {
  /** The picture as raw base64, without a data: prefix. */
  data: string;
  /** The media type; only image/jpeg is kept. */
  mime: string;
  /** A length or position in CSS pixels. */
  width: number;
  /** A length or position in CSS pixels. */
  height: number;
};

/** A conversation in the list of its visitor. */
export type VisitorConversation = {
  /** Conversation id, chosen by the client or the service. Percent-encoded in a path. */
  conversation_id: string;
  /** The beginning of the first message. */
  title: string;
  /** When the visitor last asked, in Unix seconds. */
  last_at: number;
};

/** The conversations of this visitor. */
export type VisitorConversations = {
  /** Newest first. */
  data: VisitorConversation[];
};

/** Decision of the visitor or of the browser on the visitor's behalf. */
export type VisitorDecision = 'accepted' | 'denied' | 'rejected' | 'dismissed' | 'browser-denied' | 'gpc_auto_optout';

/** A question of this visitor to a person. */
export type VisitorHandover = {
  /** A handover: a TypeID with the prefix ho. */
  handover_id: string;
  state: HandoverState;
  /** What the visitor wrote to the team. */
  message: string;
  /** Conversation id, chosen by the client or the service. Percent-encoded in a path. */
  conversation_id?: string | undefined;
  /** When it was sent, in Unix seconds. */
  at: number;
  /** Replies, oldest first. */
  replies: VisitorReply[];
};

/** The visitor's questions to a person. */
export type VisitorHandovers = {
  /** Newest first. */
  data: VisitorHandover[];
};

/** A reply of the team. */
export type VisitorReply = {
  /** A reply to a handover: a TypeID with the prefix hor. */
  reply_id: string;
  /** Text of the reply, without formatting. */
  text: string;
  /** Time in seconds since 1970-01-01T00:00:00Z. */
  at: number;
};

/** Use of voice: a live session, a recording, or speech of the guide. */
export type VoiceKind = 'realtime' | 'transcribe' | 'speech';

/** Whether speech is transcribed live, after recording, or by the browser. */
export type VoiceMode = 'realtime' | 'batch' | 'mock';

/** How it ended. `unreported` means that the duration was never reported and the full reservation was charged. */
export type VoiceOutcome = 'finished' | 'interrupted' | 'failed' | 'unreported';

/** Connection details of a live voice session. */
export type VoiceToken = {
  /** Opaque token that the browser opens the session with. */
  token: string;
  provider: VoiceTokenIssuer;
  /** Until when a session can be opened, in seconds since 1970. Open sessions continue. */
  expires_at: number;
  mode: VoiceMode;
  transport: VoiceTransport;
  /** Seconds of the workspace's cap reserved for this session. */
  reserved_seconds: number;
  /** URL to open the session at. Absent for `upload` and `mock`. */
  url?: string | undefined;
};

/** Provider of the token. `mock` means the browser's own speech recognition. */
export type VoiceTokenIssuer = 'provider_a' | 'provider_b' | 'mock';

/** Provider of the token. `auto` uses the workspace's choice, else the first available of provider_a and provider_b. */
export type VoiceTokenProvider = 'provider_a' | 'provider_b' | 'provider_b-batch' | 'mock' | 'auto';

/** How audio reaches the provider. `upload` means POST /transcribe. */
export type VoiceTransport = 'webrtc' | 'websocket' | 'upload' | 'mock';

/** Result of a usage report. */
export type VoiceUsageReply = {
  /** False if there is no session of this visitor left to report with this token. */
  recorded: boolean;
  charged_seconds: number;
};

/** Duration of a live session. */
export type VoiceUsageReport = {
  token: string;
  elapsed_seconds: number;
};

/** A server that gets events. */
export type Webhook = {
  /** A webhook: a TypeID with the prefix whk. */
  id: string;
  name: string;
  /** Where events are sent: an https address of a public server, without user and fragment. */
  url: string;
  /** The types of events that it gets. */
  events: WebhookChosenType[];
  state: WebhookState;
  /** When it was paused. Absent unless it is. */
  pausedAt?: string | undefined;
  /** Events that wait to be sent. */
  waiting: number;
  /** When the secret was created. */
  secretSetAt: string;
  /** Until when the secret before the last rotation signs too. Absent unless one does. */
  oldSecretUntil?: string | undefined;
  createdAt: string;
  /** Id of a member, automation session or API key, `operator` (command line), `mail` (a reply by mail), `service` (by itself) or `unknown` (failed sign-in). */
  createdBy: string;
};

/** The newest attempt. */
export type WebhookAttempt = {
  at: string;
  /** Absent without a response. */
  status?: number | undefined;
  /** The beginning of the response. */
  response?: string | undefined;
  /** Why there was no response, or why it does not count. */
  error?: string | undefined;
  millis: number;
};

/** Fields to change. */
export type WebhookChange = {
  name?: string | undefined;
  /** Where events are sent: an https address of a public server, without user and fragment. */
  url?: string | undefined;
  /** The types of events that it gets. */
  events?: WebhookChosenType[] | undefined;
  state?: WebhookSwitch | undefined;
};

/** A type of events that a webhook can get. */
export type WebhookChosenType = 'question.unanswered' | 'answer.rated' | 'article.published' | 'article.unpublished' | 'translation.stale' | 'translation.published' | 'source.run_finished' | 'consent.erased' | 'handover.created' | 'handover.replied';

/** An event for a webhook. */
export type WebhookDelivery = {
  /** An event for a webhook: a TypeID with the prefix whd. */
  id: string;
  /** The `webhook-id` of the request: the same for each attempt and each webhook. */
  eventId: string;
  type: WebhookEventType;
  state: WebhookDeliveryState;
  /** The body of the request. */
  payload: string;
  createdAt: string;
  attempts: number;
  /** Absent once it is delivered, and unless the webhook is active. */
  nextAttemptAt?: string | undefined;
  /** Absent before the first attempt. */
  lastAttempt?: WebhookAttempt | undefined;
};

export type WebhookDeliveryPage = {
  data: WebhookDelivery[];
  /** Cursor for the next page. Absent on the last page. */
  nextCursor?: string | undefined;
};

/** Whether a receiver has accepted an event, with a status from 200 to 299. */
export type WebhookDeliveryState = 'waiting' | 'delivered';

/** The type of an event. */
export type WebhookEventType = 'question.unanswered' | 'answer.rated' | 'article.published' | 'article.unpublished' | 'translation.stale' | 'translation.published' | 'source.run_finished' | 'consent.erased' | 'handover.created' | 'handover.replied' | 'webhook.test';

/** The webhooks of a workspace. */
export type WebhookList = {
  data: Webhook[];
};

/** How a secret is replaced. */
export type WebhookRotation = {
  /** How long the old secret signs too, in seconds. */
  overlapSeconds: number;
};

/** Whether events are sent. `paused`: the receiver did not accept an event for three days, or answered with status 410. While it is not `active`, no new events are stored for it. */
export type WebhookState = 'active' | 'disabled' | 'paused';

/** Whether events are sent. */
export type WebhookSwitch = 'active' | 'disabled';

/** The webhook that is tested. */
export type WebhookTestData = {
  /** A webhook: a TypeID with the prefix whk. */
  webhook_id: string;
};

/** A member sent a test. Every webhook gets its own. */
export type WebhookTestEvent = {
  type: 'webhook.test';
  /** When it happened. */
  timestamp: string;
  /** A workspace: a TypeID with the prefix ws. */
  tenant_id: string;
  data: WebhookTestData;
};

/** A webhook with its new secret. */
export type WebhookWithSecret = {
  /** A webhook: a TypeID with the prefix whk. */
  id: string;
  name: string;
  /** Where events are sent: an https address of a public server, without user and fragment. */
  url: string;
  /** The types of events that it gets. */
  events: WebhookChosenType[];
  state: WebhookState;
  /** When it was paused. Absent unless it is. */
  pausedAt?: string | undefined;
  /** Events that wait to be sent. */
  waiting: number;
  /** When the secret was created. */
  secretSetAt: string;
  /** Until when the secret before the last rotation signs too. Absent unless one does. */
  oldSecretUntil?: string | undefined;
  createdAt: string;
  /** Id of a member, automation session or API key, `operator` (command line), `mail` (a reply by mail), `service` (by itself) or `unknown` (failed sign-in). */
  createdBy: string;
  /** The secret that verifies what is sent. It is shown only once. */
  secret: string;
};

/** Which pages of a website are read. */
export type WebsiteSettings = {
  /** Where to start: sitemaps and pages. Each origin must be proved, see `proof`. */
  startUrls: string[];
  /** Only pages that match one of these rules become articles, and only links to such pages are followed. Defaults to all. */
  include?: string[] | undefined;
  /** Pages that match one of these rules are not read. Defaults to none. */
  exclude?: string[] | undefined;
  /** Maximum number of pages of a run. Defaults to 10000. */
  pagesMax?: number | undefined;
};

/** Language model of the workspace, without its key. */
export type WorkspaceModel = {
  provider: ModelProvider;
  /** Address of the server up to its version, without user, query and fragment. */
  baseUrl: string;
  /** Name of the model that writes the answers. */
  model: string;
  /** Absent if the model itself rewrites follow-ups. */
  rewriteModel?: string | undefined;
  /** When the key was stored. Absent if the key can no longer be decrypted and has to be set again. */
  keySetAt?: string | undefined;
};

/** Language model of the workspace. Replaces the stored one. */
export type WorkspaceModelChange = {
  provider: ModelProvider;
  /** Address of the server up to its version, without user, query and fragment. */
  baseUrl: string;
  /** Name of the model that writes the answers. */
  model: string;
  /** If absent, the model itself rewrites follow-ups. */
  rewriteModel?: string | undefined;
  /** API key of the server; any word if it needs none. If absent, the stored key is kept, for the same address only. It is never returned. */
  key?: string | undefined;
};

/** Which help center of Zendesk is read. */
export type ZendeskSettings = {
  /** https address of the help center; its path is ignored. Without `apiToken`, only what everybody can read is listed, and the origin has to be an allowed domain of the workspace. */
  address: string;
  /** The user to whom the API token belongs. Without it, `apiToken` is an OAuth access token. */
  email?: string | undefined;
};

/** Query parameters of `sendMessage`. */
export type SendMessageQuery = {
  /** Vocabulary of the stream. `ai-sdk-ui-v1` is the UI message stream of the AI SDK, for its `useChat`; docs/ai-sdk.md lists its parts. It always begins at the start of the answer. */
  stream?: ChatStream | undefined;
};

/** Query parameters of `listHelpArticles`. */
export type ListHelpArticlesQuery = {
  /** Only articles of this collection. */
  collection?: string | undefined;
  /** Pagination cursor from `nextCursor`. */
  cursor?: string | undefined;
};

/** Query parameters of `searchHelpArticles`. */
export type SearchHelpArticlesQuery = {
  /** The words to search for. */
  q: string;
};

/** Query parameters of `getTranscribeToken`. */
export type GetTranscribeTokenQuery = {
  /** Provider of the token. Defaults to `auto`. */
  provider?: VoiceTokenProvider | undefined;
};

/** Query parameters of `exportAnalytics`. */
export type ExportAnalyticsQuery = {
  /** Start of the range, inclusive: ISO 8601 with a time zone, a date in UTC, or Unix seconds. */
  from?: string | undefined;
  /** End of the range, exclusive, in the same formats as `from`. */
  to?: string | undefined;
  /** Length of the periods. */
  by?: AnalyticsPeriodLength | undefined;
  /** IANA time zone for days and hours. Defaults to UTC. */
  zone?: string | undefined;
};

/** Query parameters of `exportEvents`. */
export type ExportEventsQuery = {
  /** Start of the range, inclusive: ISO 8601 with a time zone, a date in UTC, or Unix seconds. */
  from?: string | undefined;
  /** End of the range, exclusive, in the same formats as `from`. */
  to?: string | undefined;
  /** Only rows about this visitor. */
  visitor_id?: string | undefined;
  /** Only rows about this conversation. */
  conversation_id?: string | undefined;
  /** Only rows of this type. */
  type?: EventType | undefined;
  /** Only rows with this language as `requested_locale`, or else as `locale`. */
  locale?: string | undefined;
  /** Maximum number of rows. It may differ from page to page. */
  limit?: number | undefined;
  /** Pagination cursor from `next_cursor`. Valid only with the same filters. */
  cursor?: string | undefined;
};

/** Query parameters of `streamEvents`. */
export type StreamEventsQuery = {
  /** Start of the range, inclusive: ISO 8601 with a time zone, a date in UTC, or Unix seconds. */
  from?: string | undefined;
  /** End of the range, exclusive, in the same formats as `from`. */
  to?: string | undefined;
  /** Only rows about this visitor. */
  visitor_id?: string | undefined;
  /** Only rows about this conversation. */
  conversation_id?: string | undefined;
  /** Only rows of this type. */
  type?: EventType | undefined;
  /** Only rows with this language as `requested_locale`, or else as `locale`. */
  locale?: string | undefined;
};

/** Query parameters of `tabulateEvents`. */
export type TabulateEventsQuery = {
  /** Start of the range, inclusive: ISO 8601 with a time zone, a date in UTC, or Unix seconds. */
  from?: string | undefined;
  /** End of the range, exclusive, in the same formats as `from`. */
  to?: string | undefined;
  /** Only rows about this visitor. */
  visitor_id?: string | undefined;
  /** Only rows about this conversation. */
  conversation_id?: string | undefined;
  /** Only rows of this type. */
  type?: EventType | undefined;
  /** Only rows with this language as `requested_locale`, or else as `locale`. */
  locale?: string | undefined;
};

/** Query parameters of `exportConversations`. */
export type ExportConversationsQuery = {
  /** Start of the range, inclusive: ISO 8601 with a time zone, a date in UTC, or Unix seconds. */
  from?: string | undefined;
  /** End of the range, exclusive, in the same formats as `from`. */
  to?: string | undefined;
  /** Only rows about this visitor. */
  visitor_id?: string | undefined;
  /** Only rows about this conversation. */
  conversation_id?: string | undefined;
  /** Only conversations whose first question was in this language. */
  locale?: string | undefined;
  /** Maximum number of rows. It may differ from page to page. */
  limit?: number | undefined;
  /** Pagination cursor from `next_cursor`. Valid only with the same filters. */
  cursor?: string | undefined;
};

/** Query parameters of `streamConversations`. */
export type StreamConversationsQuery = {
  /** Start of the range, inclusive: ISO 8601 with a time zone, a date in UTC, or Unix seconds. */
  from?: string | undefined;
  /** End of the range, exclusive, in the same formats as `from`. */
  to?: string | undefined;
  /** Only rows about this visitor. */
  visitor_id?: string | undefined;
  /** Only rows about this conversation. */
  conversation_id?: string | undefined;
  /** Only conversations whose first question was in this language. */
  locale?: string | undefined;
};

/** Query parameters of `tabulateConversations`. */
export type TabulateConversationsQuery = {
  /** Start of the range, inclusive: ISO 8601 with a time zone, a date in UTC, or Unix seconds. */
  from?: string | undefined;
  /** End of the range, exclusive, in the same formats as `from`. */
  to?: string | undefined;
  /** Only rows about this visitor. */
  visitor_id?: string | undefined;
  /** Only rows about this conversation. */
  conversation_id?: string | undefined;
  /** Only conversations whose first question was in this language. */
  locale?: string | undefined;
};

/** Query parameters of `exportTranscripts`. */
export type ExportTranscriptsQuery = {
  /** Start of the range, inclusive: ISO 8601 with a time zone, a date in UTC, or Unix seconds. */
  from?: string | undefined;
  /** End of the range, exclusive, in the same formats as `from`. */
  to?: string | undefined;
  /** Only rows about this visitor. */
  visitor_id?: string | undefined;
  /** Only rows about this conversation. */
  conversation_id?: string | undefined;
  /** Only turns with this requested language. */
  locale?: string | undefined;
  /** Maximum number of rows. It may differ from page to page. */
  limit?: number | undefined;
  /** Pagination cursor from `next_cursor`. Valid only with the same filters. */
  cursor?: string | undefined;
};

/** Query parameters of `streamTranscripts`. */
export type StreamTranscriptsQuery = {
  /** Start of the range, inclusive: ISO 8601 with a time zone, a date in UTC, or Unix seconds. */
  from?: string | undefined;
  /** End of the range, exclusive, in the same formats as `from`. */
  to?: string | undefined;
  /** Only rows about this visitor. */
  visitor_id?: string | undefined;
  /** Only rows about this conversation. */
  conversation_id?: string | undefined;
  /** Only turns with this requested language. */
  locale?: string | undefined;
};

/** Query parameters of `tabulateTranscripts`. */
export type TabulateTranscriptsQuery = {
  /** Start of the range, inclusive: ISO 8601 with a time zone, a date in UTC, or Unix seconds. */
  from?: string | undefined;
  /** End of the range, exclusive, in the same formats as `from`. */
  to?: string | undefined;
  /** Only rows about this visitor. */
  visitor_id?: string | undefined;
  /** Only rows about this conversation. */
  conversation_id?: string | undefined;
  /** Only turns with this requested language. */
  locale?: string | undefined;
};

/** Query parameters of `deleteTranslation`. */
export type DeleteTranslationQuery = {
  /** The revision you last read. The request fails with a conflict if it is no longer the latest. */
  baseRevision: string;
};

/** Query parameters of `listReviewQueue`. */
export type ListReviewQueueQuery = {
  /** Maximum number of rows. */
  limit?: number | undefined;
  /** Pagination cursor from `nextCursor`. */
  cursor?: string | undefined;
  /** Only tasks of this kind. */
  kind?: ReviewTaskKind | undefined;
  /** Only translations in this locale. */
  locale?: string | undefined;
  /** Tasks to return, by reviewer. */
  for?: ReviewTaskOwner | undefined;
};

/** Query parameters of `listSessions`. */
export type ListSessionsQuery = {
  /** Maximum number of rows. */
  limit?: number | undefined;
  /** Pagination cursor from `nextCursor`. */
  cursor?: string | undefined;
};

/** Query parameters of `listAutomationSessions`. */
export type ListAutomationSessionsQuery = {
  /** Maximum number of rows. */
  limit?: number | undefined;
  /** Pagination cursor from `nextCursor`. */
  cursor?: string | undefined;
};

/** Query parameters of `deleteTenant`. */
export type DeleteTenantQuery = {
  /** The exact name of the workspace, as confirmation. */
  confirmName: string;
};

/** Query parameters of `listAudit`. */
export type ListAuditQuery = {
  /** Maximum number of rows. */
  limit?: number | undefined;
  /** Pagination cursor from `nextCursor`. */
  cursor?: string | undefined;
  /** Only actions of this member, or of `operator`. */
  actor?: string | undefined;
  /** Only this action. A trailing dot matches a prefix: `api_key.` matches every action on API keys. */
  action?: string | undefined;
  /** Only actions on the object with this id. */
  subject?: string | undefined;
  /** Only actions at or after this time. */
  from?: string | undefined;
  /** Only actions before this time. */
  to?: string | undefined;
};

/** Query parameters of `previewBoot`. */
export type PreviewBootQuery = {
  /** The visitor's preferred language. Defaults to none. */
  locale?: string | undefined;
  /** The visitor's region. Defaults to unknown. */
  region?: string | undefined;
  /** Whether the browser sends a privacy signal. Defaults to `false`. */
  gpc?: GpcGiven | undefined;
};

/** Query parameters of `listConsentDirectives`. */
export type ListConsentDirectivesQuery = {
  /** Only this region: ISO 3166-2, a country, or `ZZ` for unknown. */
  region?: string | undefined;
  /** Language of the texts. Defaults to the source locale. */
  locale?: string | undefined;
  /** Whether the browser sends a privacy signal. Defaults to `false`. */
  gpc?: GpcGiven | undefined;
  /** Replaces the saved `consentStrictness`. */
  strictness?: ConsentStrictness | undefined;
  /** Replaces the saved `consentStrictnessByRegion`: regions with their strictness, or `none`. */
  byRegion?: string | undefined;
};

/** Query parameters of `listWebhookDeliveries`. */
export type ListWebhookDeliveriesQuery = {
  /** Maximum number of rows. */
  limit?: number | undefined;
  /** Pagination cursor from `nextCursor`. */
  cursor?: string | undefined;
  /** Only deliveries in this state. */
  state?: WebhookDeliveryState | undefined;
};

/** Query parameters of `listMembers`. */
export type ListMembersQuery = {
  /** Maximum number of rows. */
  limit?: number | undefined;
  /** Pagination cursor from `nextCursor`. */
  cursor?: string | undefined;
};

/** Query parameters of `listInvitations`. */
export type ListInvitationsQuery = {
  /** Maximum number of rows. */
  limit?: number | undefined;
  /** Pagination cursor from `nextCursor`. */
  cursor?: string | undefined;
};

/** Query parameters of `listApiKeys`. */
export type ListApiKeysQuery = {
  /** Maximum number of rows. */
  limit?: number | undefined;
  /** Pagination cursor from `nextCursor`. */
  cursor?: string | undefined;
};

/** Query parameters of `listArticles`. */
export type ListArticlesQuery = {
  /** Maximum number of rows. */
  limit?: number | undefined;
  /** Pagination cursor from `nextCursor`. */
  cursor?: string | undefined;
  /** Only articles with these words in the title, slug or aliases. Case and accents are ignored. */
  q?: string | undefined;
  /** Only articles with this status. */
  status?: ArticleStatus | undefined;
  /** Only articles in this collection, or with `none` those in no collection. */
  collection?: string | undefined;
  /** Only articles with this tag. */
  tag?: string | undefined;
  /** Only articles that come from this source. */
  source?: string | undefined;
  /** Only articles with no live text in this locale, or only a stale one. */
  missing?: string | undefined;
  /** Only published articles with unpublished changes (`true`), or only the others (`false`). */
  changed?: ChangedFilter | undefined;
  /** Only articles with a translation in this locale. The other translation filters then apply to it. */
  locale?: string | undefined;
  /** Only articles with a translation in this status. */
  translationStatus?: TranslationStatus | undefined;
  /** Only articles with a stale translation (`true`) or an up-to-date one (`false`). */
  stale?: StaleFilter | undefined;
  /** Only articles with a scheduled publication (`true`), or only the others (`false`). */
  scheduled?: ScheduledFilter | undefined;
  /** Only articles that are to be verified now (`true`), or only the others (`false`). */
  toVerify?: ToVerifyFilter | undefined;
  /** Only articles for everyone, or only those for some customers (`restricted`). */
  audience?: AudienceFilter | undefined;
  /** Order of the articles. Defaults to `created_desc`. */
  sort?: ArticleSort | undefined;
};

/** Query parameters of `listArticleRevisions`. */
export type ListArticleRevisionsQuery = {
  /** Maximum number of rows. */
  limit?: number | undefined;
  /** Pagination cursor from `nextCursor`. */
  cursor?: string | undefined;
};

/** Query parameters of `searchKnowledge`. */
export type SearchKnowledgeQuery = {
  /** The words to search for. */
  q: string;
  /** The visitor's preferred locale, a BCP 47 tag. Defaults to the languages of `Accept-Language`. */
  locale?: string | undefined;
  /** Maximum number of articles. */
  limit?: number | undefined;
};

/** Query parameters of `findText`. */
export type FindTextQuery = {
  /** Maximum number of rows. */
  limit?: number | undefined;
  /** Pagination cursor from `nextCursor`. */
  cursor?: string | undefined;
  /** The words to find. */
  words: string;
  /** Whether capital and small letters differ. Defaults to `false`. */
  matchCase?: MatchCase | undefined;
  /** Searches the translations in this locale instead of the articles themselves. */
  locale?: string | undefined;
};

/** Query parameters of `listArticleIds`. */
export type ListArticleIdsQuery = {
  /** Only articles with these words in the title, slug or aliases. Case and accents are ignored. */
  q?: string | undefined;
  /** Only articles with this status. */
  status?: ArticleStatus | undefined;
  /** Only articles in this collection, or with `none` those in no collection. */
  collection?: string | undefined;
  /** Only articles with this tag. */
  tag?: string | undefined;
  /** Only articles that come from this source. */
  source?: string | undefined;
  /** Only articles with no live text in this locale, or only a stale one. */
  missing?: string | undefined;
  /** Only published articles with unpublished changes (`true`), or only the others (`false`). */
  changed?: ChangedFilter | undefined;
  /** Only articles with a translation in this locale. The other translation filters then apply to it. */
  locale?: string | undefined;
  /** Only articles with a translation in this status. */
  translationStatus?: TranslationStatus | undefined;
  /** Only articles with a stale translation (`true`) or an up-to-date one (`false`). */
  stale?: StaleFilter | undefined;
  /** Only articles with a scheduled publication (`true`), or only the others (`false`). */
  scheduled?: ScheduledFilter | undefined;
  /** Only articles that are to be verified now (`true`), or only the others (`false`). */
  toVerify?: ToVerifyFilter | undefined;
  /** Only articles for everyone, or only those for some customers (`restricted`). */
  audience?: AudienceFilter | undefined;
};

/** Query parameters of `listImages`. */
export type ListImagesQuery = {
  /** Maximum number of rows. */
  limit?: number | undefined;
  /** Pagination cursor from `nextCursor`. */
  cursor?: string | undefined;
  /** Only images that articles show, or only those that none shows. */
  used?: UsedFilter | undefined;
};

/** Query parameters of `uploadImage`. */
export type UploadImageQuery = {
  /** Name of the file. Defaults to none. */
  name?: string | undefined;
};

/** Query parameters of `listAnswerTests`. */
export type ListAnswerTestsQuery = {
  /** Maximum number of rows. */
  limit?: number | undefined;
  /** Pagination cursor from `nextCursor`. */
  cursor?: string | undefined;
  /** Only tests in this state. */
  state?: AnswerTestState | undefined;
};

/** Query parameters of `runAnswerTests`. */
export type RunAnswerTestsQuery = {
  /** Runs all without it. */
  testId?: string | undefined;
};

/** Query parameters of `listSources`. */
export type ListSourcesQuery = {
  /** Maximum number of rows. */
  limit?: number | undefined;
  /** Pagination cursor from `nextCursor`. */
  cursor?: string | undefined;
};

/** Query parameters of `uploadSourceFile`. */
export type UploadSourceFileQuery = {
  /** Name of the file. Its extension determines the type. */
  name: string;
  /** For a zip that only carries files and folders: places are their paths, each at the top is an upload of its own. `more` adds to the folders of the zip before. */
  packed?: SourcePacking | undefined;
};

/** Query parameters of `listSourceRuns`. */
export type ListSourceRunsQuery = {
  /** Maximum number of rows. */
  limit?: number | undefined;
  /** Pagination cursor from `nextCursor`. */
  cursor?: string | undefined;
};

/** Query parameters of `listSourceRunItems`. */
export type ListSourceRunItemsQuery = {
  /** Maximum number of rows. */
  limit?: number | undefined;
  /** Pagination cursor from `nextCursor`. */
  cursor?: string | undefined;
  /** Only rows with this outcome. */
  outcome?: SourceItemOutcome | undefined;
  /** Only rows with this reason. */
  reason?: SourceRefusalReason | undefined;
};

/** Query parameters of `readSourceRunText`. */
export type ReadSourceRunTextQuery = {
  /** Where a text is in its source: the canonical URL of a page without its fragment, or the path in an upload, such as `manual.zip/setup.md` or `faq.csv#returning-an-order`. */
  place: string;
};

/** Query parameters of `listSourceConflicts`. */
export type ListSourceConflictsQuery = {
  /** Pagination cursor from `nextCursor`. */
  cursor?: string | undefined;
  /** Maximum number of rows. */
  limit?: number | undefined;
};

/** Query parameters of `listTenantConversations`. */
export type ListTenantConversationsQuery = {
  /** Maximum number of rows. */
  limit?: number | undefined;
  /** Pagination cursor from `nextCursor`. */
  cursor?: string | undefined;
  /** Only conversations that began at or after this time. */
  from?: string | undefined;
  /** Only conversations that began before this time. */
  to?: string | undefined;
  /** Only the conversations of this visitor. */
  visitorId?: string | undefined;
  /** Only conversations whose first question was in this language. */
  locale?: string | undefined;
  /** Only answered (`true`) or unanswered (`false`) conversations. */
  answered?: AnsweredFilter | undefined;
  /** Only conversations with an answer that has this rating. */
  rating?: FeedbackRating | undefined;
  /** Only conversations with these words in a question, answer or comment. Case and accents are ignored. */
  q?: string | undefined;
  /** Only conversations with this question, grouped as in analytics: case, spaces and punctuation are ignored and only the first 300 characters count. */
  question?: string | undefined;
};

/** Query parameters of `listFeedback`. */
export type ListFeedbackQuery = {
  /** Maximum number of rows. */
  limit?: number | undefined;
  /** Pagination cursor from `nextCursor`. */
  cursor?: string | undefined;
  /** Only ratings with this value. */
  rating?: FeedbackRating | undefined;
  /** Only ratings with a comment, or only those without. */
  commented?: CommentedFilter | undefined;
  /** Only ratings given at or after this time. */
  from?: string | undefined;
  /** Only ratings given before this time. */
  to?: string | undefined;
};

/** Query parameters of `readAnalytics`. */
export type ReadAnalyticsQuery = {
  /** Start of the range, inclusive. Defaults to the start of the day 27 days before `to`. */
  from?: string | undefined;
  /** End of the range, exclusive. Defaults to now. */
  to?: string | undefined;
  /** Length of the periods. */
  by?: AnalyticsPeriodLength | undefined;
  /** IANA time zone for days and hours. Defaults to UTC. */
  zone?: string | undefined;
};

/** Query parameters of `readTopics`. */
export type ReadTopicsQuery = {
  /** Start of the range, inclusive. Defaults to the start of the day 27 days before `to`. */
  from?: string | undefined;
  /** End of the range, exclusive. Defaults to now. */
  to?: string | undefined;
  /** Length of the periods. */
  by?: AnalyticsPeriodLength | undefined;
  /** IANA time zone for days and hours. Defaults to UTC. */
  zone?: string | undefined;
};

/** Query parameters of `listHandovers`. */
export type ListHandoversQuery = {
  /** Maximum number of rows. */
  limit?: number | undefined;
  /** Pagination cursor from `nextCursor`. */
  cursor?: string | undefined;
  /** Only handovers in this state. */
  state?: HandoverState | undefined;
  /** Handovers to return, by assignee. */
  for?: HandoverOwner | undefined;
};

/** Query parameters of `listInbox`. */
export type ListInboxQuery = {
  /** Maximum number of rows. */
  limit?: number | undefined;
  /** Pagination cursor from `nextCursor`. */
  cursor?: string | undefined;
  /** Only groups in this state. */
  state?: InboxState | undefined;
  /** Only groups with a question of this kind. */
  kind?: InboxKind | undefined;
  /** Groups to return, by assignee. */
  for?: InboxOwner | undefined;
  /** Order of the groups. */
  order?: InboxOrder | undefined;
};

/**
 * What each operation takes and returns, by operation id. One without `reply` does not answer in JSON. Beside its own
 * `errors`, each may return those of `CommonErrorCode`.
 */
export type Operations = {
  /** Boot the guide */
  bootGuide: { credential: 'none'; body: BootRequest; reply: BootReply; errors: 'boot/origin_mismatch' | 'boot/origin_not_allowed' | 'boot/unavailable' | 'boot/workspace_disabled' };
  /** Send a message */
  sendMessage: { credential: 'visitor'; query?: SendMessageQuery; headers: { 'accept-language'?: string; 'idempotency-key'?: string; 'last-event-id'?: string }; body: ChatRequest; errors: 'chat/idempotency_mismatch' | 'chat/too_many_streams' | 'chat/unauthorized' | 'chat/url_mismatch' | 'guide/paused' | 'jwt_expired' };
  /** List the visitor's conversations */
  listOwnConversations: { credential: 'visitor'; reply: VisitorConversations; errors: 'jwt_expired' | 'visitor/unauthorized' };
  /** Retrieve a conversation */
  getConversation: { credential: 'visitor'; params: { conversation_id: string | number }; reply: Conversation; errors: 'conversation/not_found' | 'jwt_expired' | 'visitor/unauthorized' };
  /** Rate an answer */
  rateMessage: { credential: 'visitor'; body: FeedbackRequest; reply: FeedbackReply; errors: 'jwt_expired' | 'message/not_found' | 'visitor/unauthorized' };
  /** Record a consent decision */
  recordConsent: { credential: 'visitor'; body: ConsentRequest; reply: ConsentReply };
  /** Erase the visitor's data */
  eraseVisitor: { credential: 'visitor'; reply: ErasureReply; errors: 'jwt_expired' | 'visitor/unauthorized' };
  /** List published articles */
  listHelpArticles: { credential: 'visitor'; query?: ListHelpArticlesQuery; headers: { 'accept-language'?: string }; reply: HelpPage; errors: 'guide/paused' | 'jwt_expired' | 'visitor/unauthorized' };
  /** Search published articles */
  searchHelpArticles: { credential: 'visitor'; query: SearchHelpArticlesQuery; headers: { 'accept-language'?: string }; reply: HelpSearch; errors: 'guide/paused' | 'jwt_expired' | 'visitor/unauthorized' };
  /** Retrieve a published article */
  readHelpArticle: { credential: 'visitor'; params: { article_id: string | number }; headers: { 'accept-language'?: string }; reply: HelpArticleText; errors: 'article/not_found' | 'guide/paused' | 'jwt_expired' | 'visitor/unauthorized' };
  /** Create a voice token */
  getTranscribeToken: { credential: 'visitor'; query?: GetTranscribeTokenQuery; reply: VoiceToken; errors: 'guide/paused' | 'jwt_expired' | 'voice/disabled' | 'voice/provider_failed' | 'voice/unauthorized' };
  /** Transcribe a recording */
  transcribeAudio: { credential: 'visitor'; body: FormData; reply: Transcript; errors: 'guide/paused' | 'jwt_expired' | 'voice/audio_too_large' | 'voice/disabled' | 'voice/not_configured' | 'voice/provider_failed' | 'voice/unauthorized' | 'voice/unsupported_audio' };
  /** Speak a text */
  speakText: { credential: 'visitor'; body: SpeechRequest; errors: 'guide/paused' | 'jwt_expired' | 'voice/disabled' | 'voice/provider_failed' | 'voice/unauthorized' };
  /** Report voice usage */
  reportVoiceUsage: { credential: 'visitor'; body: VoiceUsageReport; reply: VoiceUsageReply; errors: 'jwt_expired' | 'voice/unauthorized' };
  /** Export analytics */
  exportAnalytics: { credential: 'api-key'; query?: ExportAnalyticsQuery; reply: Analytics; errors: 'export/address_not_allowed' | 'export/insufficient_scope' | 'export/key_expired' | 'export/unauthorized' };
  /** Export events */
  exportEvents: { credential: 'api-key'; query?: ExportEventsQuery; reply: ExportedEventPage; errors: 'export/address_not_allowed' | 'export/cursor_mismatch' | 'export/insufficient_scope' | 'export/key_expired' | 'export/unauthorized' };
  /** Export events as JSON Lines */
  streamEvents: { credential: 'api-key'; query?: StreamEventsQuery; errors: 'export/address_not_allowed' | 'export/insufficient_scope' | 'export/key_expired' | 'export/unauthorized' };
  /** Export events as CSV */
  tabulateEvents: { credential: 'api-key'; query?: TabulateEventsQuery; errors: 'export/address_not_allowed' | 'export/insufficient_scope' | 'export/key_expired' | 'export/unauthorized' };
  /** Export conversations */
  exportConversations: { credential: 'api-key'; query?: ExportConversationsQuery; reply: ExportedConversationPage; errors: 'export/address_not_allowed' | 'export/cursor_mismatch' | 'export/insufficient_scope' | 'export/key_expired' | 'export/unauthorized' };
  /** Export conversations as JSON Lines */
  streamConversations: { credential: 'api-key'; query?: StreamConversationsQuery; errors: 'export/address_not_allowed' | 'export/insufficient_scope' | 'export/key_expired' | 'export/unauthorized' };
  /** Export conversations as CSV */
  tabulateConversations: { credential: 'api-key'; query?: TabulateConversationsQuery; errors: 'export/address_not_allowed' | 'export/insufficient_scope' | 'export/key_expired' | 'export/unauthorized' };
  /** Export transcripts */
  exportTranscripts: { credential: 'api-key'; query?: ExportTranscriptsQuery; reply: ExportedTranscriptPage; errors: 'export/address_not_allowed' | 'export/cursor_mismatch' | 'export/insufficient_scope' | 'export/key_expired' | 'export/unauthorized' };
  /** Export transcripts as JSON Lines */
  streamTranscripts: { credential: 'api-key'; query?: StreamTranscriptsQuery; errors: 'export/address_not_allowed' | 'export/insufficient_scope' | 'export/key_expired' | 'export/unauthorized' };
  /** Export transcripts as CSV */
  tabulateTranscripts: { credential: 'api-key'; query?: TabulateTranscriptsQuery; errors: 'export/address_not_allowed' | 'export/insufficient_scope' | 'export/key_expired' | 'export/unauthorized' };
  /** List translations */
  listTranslations: { credential: 'session'; params: { tenantId: string | number; articleId: string | number }; reply: TranslationPage; errors: 'article/not_found' | 'session/address_not_allowed' | 'session/area_required' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' };
  /** Create a translation */
  createTranslation: { credential: 'session'; params: { tenantId: string | number; articleId: string | number }; headers: { 'idempotency-key'?: string }; body: NewTranslation; reply: Translation; errors: 'article/not_found' | 'request/idempotency_mismatch' | 'request/in_progress' | 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' | 'tenant/role_required' | 'tenant/storage_full' | 'translation/conflict' | 'translation/locale_taken' | 'translation/source_locale' | 'translation/too_many_locales' };
  /** Retrieve a translation */
  readTranslation: { credential: 'session'; params: { tenantId: string | number; articleId: string | number; translationId: string | number }; reply: TranslationDetail; errors: 'article/not_found' | 'session/address_not_allowed' | 'session/area_required' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' | 'translation/not_found' };
  /** Update a translation */
  editTranslation: { credential: 'session'; params: { tenantId: string | number; articleId: string | number; translationId: string | number }; body: TranslationEdit; reply: Translation; errors: 'article/not_found' | 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' | 'tenant/role_required' | 'tenant/storage_full' | 'translation/conflict' | 'translation/not_allowed' | 'translation/not_found' | 'translation/source_changed' };
  /** Delete a translation */
  deleteTranslation: { credential: 'session'; params: { tenantId: string | number; articleId: string | number; translationId: string | number }; query: DeleteTranslationQuery; reply: OkReply; errors: 'article/not_found' | 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' | 'tenant/role_required' | 'translation/conflict' | 'translation/not_found' | 'translation/was_published' };
  /** Submit a translation for review */
  submitTranslation: { credential: 'session'; params: { tenantId: string | number; articleId: string | number; translationId: string | number }; body: TranslationBase; reply: Translation; errors: 'article/not_found' | 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' | 'tenant/role_required' | 'translation/conflict' | 'translation/not_allowed' | 'translation/not_found' | 'translation/stale' };
  /** Review a translation */
  reviewTranslation: { credential: 'session'; params: { tenantId: string | number; articleId: string | number; translationId: string | number }; body: TranslationVerdict; reply: Translation; errors: 'article/not_found' | 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' | 'tenant/role_required' | 'translation/conflict' | 'translation/not_allowed' | 'translation/not_found' | 'translation/own_text' | 'translation/stale' };
  /** Publish a translation */
  publishTranslation: { credential: 'session'; params: { tenantId: string | number; articleId: string | number; translationId: string | number }; body: TranslationBase; reply: Translation; errors: 'article/not_found' | 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' | 'tenant/role_required' | 'translation/conflict' | 'translation/not_allowed' | 'translation/not_found' | 'translation/stale' };
  /** Schedule the publication of a translation */
  scheduleTranslation: { credential: 'session'; params: { tenantId: string | number; articleId: string | number; translationId: string | number }; body: TranslationSchedule; reply: Translation; errors: 'article/not_found' | 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' | 'tenant/role_required' | 'translation/conflict' | 'translation/not_allowed' | 'translation/not_found' | 'translation/stale' };
  /** Archive a translation */
  archiveTranslation: { credential: 'session'; params: { tenantId: string | number; articleId: string | number; translationId: string | number }; body: TranslationBase; reply: Translation; errors: 'article/not_found' | 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' | 'tenant/role_required' | 'translation/conflict' | 'translation/not_found' };
  /** Restore a translation */
  restoreTranslation: { credential: 'session'; params: { tenantId: string | number; articleId: string | number; translationId: string | number }; body: TranslationBase; reply: Translation; errors: 'article/not_found' | 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' | 'tenant/role_required' | 'translation/conflict' | 'translation/not_allowed' | 'translation/not_found' | 'translation/source_locale' };
  /** List the review queue */
  listReviewQueue: { credential: 'session'; params: { tenantId: string | number }; query?: ListReviewQueueQuery; reply: ReviewQueuePage; errors: 'session/address_not_allowed' | 'session/area_required' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' };
  /** Retrieve translation coverage */
  readCoverage: { credential: 'session'; params: { tenantId: string | number }; reply: KnowledgeCoverage; errors: 'session/address_not_allowed' | 'session/area_required' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' };
  /** Sign in */
  signIn: { credential: 'none'; body: SignInRequest; reply: SessionState; errors: 'session/cross_site' | 'session/provider_required' | 'session/second_factor_asked' | 'session/wrong_credentials' };
  /** Retrieve the current session */
  readSession: { credential: 'session'; reply: SessionState; errors: 'session/address_not_allowed' | 'session/unauthorized' };
  /** Sign out */
  signOut: { credential: 'session'; reply: OkReply; errors: 'session/address_not_allowed' | 'session/cross_site' | 'session/unauthorized' };
  /** Confirm the password */
  confirmPassword: { credential: 'session'; body: PasswordConfirmation; reply: SessionState; errors: 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/second_factor_needed' | 'session/step_ended' | 'session/unauthorized' | 'session/wrong_credentials' | 'session/wrong_factor' };
  /** List sessions */
  listSessions: { credential: 'session'; query?: ListSessionsQuery; reply: SessionPage; errors: 'session/address_not_allowed' | 'session/area_required' | 'session/unauthorized' };
  /** Revoke a session */
  revokeSession: { credential: 'session'; params: { sessionId: string | number }; reply: OkReply; errors: 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/not_found' | 'session/unauthorized' };
  /** Change the password */
  changePassword: { credential: 'session'; body: PasswordChangeRequest; reply: OkReply; errors: 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/password_needed' | 'session/unauthorized' | 'session/wrong_credentials' };
  /** Check a setup link */
  readSetupLink: { credential: 'none'; headers: { 'x-guidepost-link': string }; reply: SetupLink; errors: 'setup/not_found' };
  /** Set up the service */
  setUp: { credential: 'none'; body: SetUpRequest; reply: SessionState; errors: 'session/cross_site' | 'setup/not_found' };
  /** List ways to sign in */
  readSignInOptions: { credential: 'none'; reply: SignInOptions };
  /** Start to sign in with a provider */
  startProviderSignIn: { credential: 'none'; body: ProviderSignInStart; reply: ProviderSignInRedirect; errors: 'session/cross_site' | 'session/no_provider' | 'session/provider_failed' };
  /** Finish to sign in with a provider */
  finishProviderSignIn: { credential: 'none'; body: ProviderSignInReturn; reply: SessionState; errors: 'session/attempt_expired' | 'session/cross_site' | 'session/email_not_allowed' | 'session/no_account' | 'session/other_identity' | 'session/provider_failed' | 'session/provider_refused' | 'session/provider_required' };
  /** Retrieve the identity provider */
  readIdentityProvider: { credential: 'session'; params: { tenantId: string | number }; reply: SignInSettings; errors: 'session/address_not_allowed' | 'session/area_required' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' | 'tenant/role_required' };
  /** Set the identity provider */
  setIdentityProvider: { credential: 'session'; params: { tenantId: string | number }; body: IdentityProviderChange; reply: SignInSettings; errors: 'identity_provider/no_proved_domain' | 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/password_needed' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' | 'tenant/role_required' };
  /** Remove the identity provider */
  removeIdentityProvider: { credential: 'session'; params: { tenantId: string | number }; reply: OkReply; errors: 'identity_provider/not_found' | 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/password_needed' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' | 'tenant/role_required' };
  /** Try an identity provider */
  tryIdentityProvider: { credential: 'session'; params: { tenantId: string | number }; body: IdentityProviderToTry; reply: IdentityProviderTrial; errors: 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' | 'tenant/role_required' };
  /** Prove a domain */
  proveSignInDomain: { credential: 'session'; params: { tenantId: string | number }; body: DomainToProve; reply: SignInSettings; errors: 'identity_provider/domain_not_found' | 'identity_provider/record_not_found' | 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' | 'tenant/role_required' };
  /** List second factors */
  readSecondFactors: { credential: 'session'; reply: SecondFactors; errors: 'session/address_not_allowed' | 'session/area_required' | 'session/unauthorized' };
  /** Start to add a passkey */
  startPasskey: { credential: 'session'; reply: PasskeyCreation; errors: 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/password_needed' | 'session/unauthorized' };
  /** Add a passkey */
  addPasskey: { credential: 'session'; body: NewPasskey; reply: PasskeyAdded; errors: 'passkey/taken' | 'passkey/too_many' | 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/step_ended' | 'session/unauthorized' | 'session/wrong_factor' };
  /** Rename a passkey */
  renamePasskey: { credential: 'session'; params: { passkeyId: string | number }; body: PasskeyChange; reply: Passkey; errors: 'passkey/not_found' | 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/unauthorized' };
  /** Remove a passkey */
  removePasskey: { credential: 'session'; params: { passkeyId: string | number }; reply: OkReply; errors: 'passkey/not_found' | 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/last_factor' | 'session/password_needed' | 'session/unauthorized' };
  /** Start to set up an authenticator app */
  startAuthenticatorApp: { credential: 'session'; reply: AuthenticatorAppSecret; errors: 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/password_needed' | 'session/unauthorized' };
  /** Set up an authenticator app */
  addAuthenticatorApp: { credential: 'session'; body: AuthenticatorAppCode; reply: AuthenticatorAppAdded; errors: 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/step_ended' | 'session/unauthorized' | 'session/wrong_factor' };
  /** Remove the authenticator app */
  removeAuthenticatorApp: { credential: 'session'; reply: OkReply; errors: 'authenticator_app/not_found' | 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/last_factor' | 'session/password_needed' | 'session/unauthorized' };
  /** Renew the recovery codes */
  renewRecoveryCodes: { credential: 'session'; reply: RecoveryCodes; errors: 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/password_needed' | 'session/second_factor_needed' | 'session/unauthorized' };
  /** Start to sign in with a passkey */
  startPasskeySignIn: { credential: 'none'; reply: PasskeyRequest; errors: 'session/cross_site' };
  /** Sign in with a passkey */
  signInWithPasskey: { credential: 'none'; body: PasskeySignature; reply: SessionState; errors: 'session/cross_site' | 'session/step_ended' | 'session/wrong_factor' };
  /** Retrieve what is asked after the password */
  readSecondStep: { credential: 'none'; reply: SecondStep; errors: 'session/step_ended' };
  /** Complete a sign-in */
  completeSignIn: { credential: 'none'; body: SecondFactorProof; reply: SessionState; errors: 'session/cross_site' | 'session/step_ended' | 'session/wrong_factor' };
  /** Request a link for a new password */
  requestPasswordReset: { credential: 'none'; body: PasswordResetRequest; reply: OkReply; errors: 'mail/not_configured' | 'session/cross_site' };
  /** Check a link for a new password */
  readPasswordResetLink: { credential: 'none'; headers: { 'x-guidepost-link': string }; reply: PasswordResetLink; errors: 'password_reset/not_found' };
  /** Set a new password with a link */
  resetPassword: { credential: 'none'; body: PasswordReset; reply: OkReply; errors: 'password_reset/not_found' | 'session/cross_site' };
  /** Request a change of the email address */
  requestEmailChange: { credential: 'session'; body: EmailChangeRequest; reply: OkReply; errors: 'mail/not_configured' | 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/password_needed' | 'session/unauthorized' };
  /** Change the email address */
  changeEmail: { credential: 'session'; body: EmailChangeConfirmation; reply: ChangedEmail; errors: 'email_change/not_available' | 'email_change/not_found' | 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/unauthorized' };
  /** Create an automation session */
  createAutomationSession: { credential: 'session'; params: { tenantId: string | number }; headers: { 'idempotency-key'?: string }; body: NewAutomationSession; reply: AutomationSessionCreated; errors: 'request/already_done' | 'request/idempotency_mismatch' | 'request/in_progress' | 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/password_needed' | 'session/provider_required' | 'session/second_factor_needed' | 'session/too_many_automations' | 'session/unauthorized' | 'tenant/not_found' | 'tenant/role_required' };
  /** List automation sessions */
  listAutomationSessions: { credential: 'session'; params: { tenantId: string | number }; query?: ListAutomationSessionsQuery; reply: AutomationSessionPage; errors: 'session/address_not_allowed' | 'session/area_required' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' };
  /** Retrieve the address of the help centre */
  readHelpDomain: { credential: 'session'; params: { tenantId: string | number }; reply: HelpAddress; errors: 'session/address_not_allowed' | 'session/area_required' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' };
  /** Set the domain of the help centre */
  setHelpDomain: { credential: 'session'; params: { tenantId: string | number }; body: HelpDomainChange; reply: HelpAddress; errors: 'help_domain/not_available' | 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' | 'tenant/role_required' };
  /** Remove the domain of the help centre */
  removeHelpDomain: { credential: 'session'; params: { tenantId: string | number }; reply: HelpAddress; errors: 'help_domain/not_found' | 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' | 'tenant/role_required' };
  /** Prove the domain of the help centre */
  proveHelpDomain: { credential: 'session'; params: { tenantId: string | number }; body: HelpDomainChange; reply: HelpAddress; errors: 'help_domain/not_available' | 'help_domain/not_found' | 'help_domain/not_proved' | 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' | 'tenant/role_required' };
  /** Retrieve a workspace */
  readTenant: { credential: 'session'; params: { tenantId: string | number }; reply: Tenant; errors: 'session/address_not_allowed' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' };
  /** Update a workspace */
  changeTenant: { credential: 'session'; params: { tenantId: string | number }; body: TenantChange; reply: Tenant; errors: 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/password_needed' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' | 'tenant/role_required' };
  /** Delete a workspace */
  deleteTenant: { credential: 'session'; params: { tenantId: string | number }; query: DeleteTenantQuery; reply: OkReply; errors: 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/password_needed' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/name_mismatch' | 'tenant/not_found' | 'tenant/role_required' };
  /** Retrieve usage */
  readUsage: { credential: 'session'; params: { tenantId: string | number }; reply: TenantUsage; errors: 'session/address_not_allowed' | 'session/area_required' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' };
  /** List audit log entries */
  listAudit: { credential: 'session'; params: { tenantId: string | number }; query?: ListAuditQuery; reply: AuditPage; errors: 'session/address_not_allowed' | 'session/area_required' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' | 'tenant/role_required' };
  /** Retrieve the language model */
  readModel: { credential: 'session'; params: { tenantId: string | number }; reply: ModelInUse; errors: 'session/address_not_allowed' | 'session/area_required' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' };
  /** Set the language model */
  setModel: { credential: 'session'; params: { tenantId: string | number }; body: WorkspaceModelChange; reply: ModelInUse; errors: 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' | 'tenant/role_required' };
  /** Remove the language model */
  removeModel: { credential: 'session'; params: { tenantId: string | number }; reply: ModelInUse; errors: 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' | 'tenant/role_required' };
  /** Test the language model */
  testModel: { credential: 'session'; params: { tenantId: string | number }; body: ModelTestRequest; reply: ModelTest; errors: 'guide/paused' | 'model/none' | 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' | 'tenant/role_required' };
  /** Check the installation */
  readInstallation: { credential: 'session'; params: { tenantId: string | number }; reply: Installation; errors: 'session/address_not_allowed' | 'session/area_required' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' };
  /** Try a page of the website */
  checkSite: { credential: 'session'; params: { tenantId: string | number }; body: SiteCheckRequest; reply: SiteCheck; errors: 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' | 'tenant/role_required' };
  /** Preview a boot */
  previewBoot: { credential: 'session'; params: { tenantId: string | number }; query?: PreviewBootQuery; reply: BootPreview; errors: 'session/address_not_allowed' | 'session/area_required' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' };
  /** Preview consent by region */
  listConsentDirectives: { credential: 'session'; params: { tenantId: string | number }; query?: ListConsentDirectivesQuery; reply: ConsentDirectives; errors: 'session/address_not_allowed' | 'session/area_required' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' };
  /** Export a workspace */
  exportTenant: { credential: 'session'; params: { tenantId: string | number }; errors: 'session/address_not_allowed' | 'session/area_required' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' | 'tenant/role_required' };
  /** List webhooks */
  listWebhooks: { credential: 'session'; params: { tenantId: string | number }; reply: WebhookList; errors: 'session/address_not_allowed' | 'session/area_required' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' | 'tenant/role_required' };
  /** Create a webhook */
  createWebhook: { credential: 'session'; params: { tenantId: string | number }; headers: { 'idempotency-key'?: string }; body: NewWebhook; reply: WebhookWithSecret; errors: 'request/already_done' | 'request/idempotency_mismatch' | 'request/in_progress' | 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/password_needed' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' | 'tenant/role_required' | 'webhook/too_many' };
  /** Change a webhook */
  changeWebhook: { credential: 'session'; params: { tenantId: string | number; webhookId: string | number }; body: WebhookChange; reply: Webhook; errors: 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/password_needed' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' | 'tenant/role_required' | 'webhook/not_found' };
  /** Delete a webhook */
  deleteWebhook: { credential: 'session'; params: { tenantId: string | number; webhookId: string | number }; reply: OkReply; errors: 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' | 'tenant/role_required' | 'webhook/not_found' };
  /** Rotate the secret of a webhook */
  rotateWebhookSecret: { credential: 'session'; params: { tenantId: string | number; webhookId: string | number }; headers: { 'idempotency-key'?: string }; body: WebhookRotation; reply: WebhookWithSecret; errors: 'request/already_done' | 'request/idempotency_mismatch' | 'request/in_progress' | 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/password_needed' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' | 'tenant/role_required' | 'webhook/not_found' };
  /** Send a test event */
  testWebhook: { credential: 'session'; params: { tenantId: string | number; webhookId: string | number }; reply: WebhookDelivery; errors: 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' | 'tenant/role_required' | 'webhook/inactive' | 'webhook/not_found' };
  /** List deliveries */
  listWebhookDeliveries: { credential: 'session'; params: { tenantId: string | number; webhookId: string | number }; query?: ListWebhookDeliveriesQuery; reply: WebhookDeliveryPage; errors: 'session/address_not_allowed' | 'session/area_required' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' | 'tenant/role_required' | 'webhook/not_found' };
  /** Send an event again */
  resendWebhookDelivery: { credential: 'session'; params: { tenantId: string | number; webhookId: string | number; deliveryId: string | number }; reply: WebhookDelivery; errors: 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' | 'tenant/role_required' | 'webhook/delivery_not_found' | 'webhook/inactive' | 'webhook/not_found' };
  /** List members */
  listMembers: { credential: 'session'; params: { tenantId: string | number }; query?: ListMembersQuery; reply: MemberPage; errors: 'session/address_not_allowed' | 'session/area_required' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' };
  /** Change a member's role */
  changeMemberRole: { credential: 'session'; params: { tenantId: string | number; memberId: string | number }; body: MemberChange; reply: Member; errors: 'member/last_owner' | 'member/not_found' | 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/password_needed' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' | 'tenant/role_required' };
  /** Remove a member */
  removeMember: { credential: 'session'; params: { tenantId: string | number; memberId: string | number }; reply: OkReply; errors: 'member/last_owner' | 'member/not_found' | 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/password_needed' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' | 'tenant/role_required' };
  /** Create an invitation */
  createInvitation: { credential: 'session'; params: { tenantId: string | number }; headers: { 'idempotency-key'?: string }; body: NewInvitation; reply: InvitationCreated; errors: 'invitation/already_member' | 'request/already_done' | 'request/idempotency_mismatch' | 'request/in_progress' | 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/password_needed' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' | 'tenant/role_required' };
  /** List invitations */
  listInvitations: { credential: 'session'; params: { tenantId: string | number }; query?: ListInvitationsQuery; reply: InvitationPage; errors: 'session/address_not_allowed' | 'session/area_required' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' | 'tenant/role_required' };
  /** Withdraw an invitation */
  withdrawInvitation: { credential: 'session'; params: { tenantId: string | number; invitationId: string | number }; reply: OkReply; errors: 'invitation/not_found' | 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' | 'tenant/role_required' };
  /** Retrieve an invitation */
  readInvitation: { credential: 'none'; body: InvitationReading; reply: InvitationView; errors: 'invitation/not_found' | 'session/cross_site' };
  /** Check an invitation link */
  readInvitationLink: { credential: 'none'; headers: { 'x-guidepost-link': string }; reply: InvitationLink; errors: 'invitation/not_found' };
  /** Accept an invitation */
  acceptInvitation: { credential: 'none'; body: InvitationAcceptance; reply: SessionState; errors: 'invitation/not_found' | 'session/cross_site' | 'session/provider_required' | 'session/second_factor_asked' };
  /** Retrieve whether you get the weekly mail */
  readDigest: { credential: 'session'; params: { tenantId: string | number }; reply: Digest; errors: 'session/address_not_allowed' | 'session/area_required' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' };
  /** Turn the weekly mail on or off */
  changeDigest: { credential: 'session'; params: { tenantId: string | number }; body: DigestChange; reply: Digest; errors: 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' };
  /** Create an API key */
  createApiKey: { credential: 'session'; params: { tenantId: string | number }; headers: { 'idempotency-key'?: string }; body: NewApiKey; reply: ApiKeyCreated; errors: 'request/already_done' | 'request/idempotency_mismatch' | 'request/in_progress' | 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/password_needed' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' | 'tenant/role_required' };
  /** List API keys */
  listApiKeys: { credential: 'session'; params: { tenantId: string | number }; query?: ListApiKeysQuery; reply: ApiKeyPage; errors: 'session/address_not_allowed' | 'session/area_required' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' | 'tenant/role_required' };
  /** Rotate an API key */
  rotateApiKey: { credential: 'session'; params: { tenantId: string | number; keyId: string | number }; headers: { 'idempotency-key'?: string }; body: ApiKeyRotation; reply: ApiKeyCreated; errors: 'api_key/inactive' | 'api_key/not_found' | 'request/already_done' | 'request/idempotency_mismatch' | 'request/in_progress' | 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/password_needed' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' | 'tenant/role_required' };
  /** Revoke an API key */
  revokeApiKey: { credential: 'session'; params: { tenantId: string | number; keyId: string | number }; reply: OkReply; errors: 'api_key/not_found' | 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' | 'tenant/role_required' };
  /** List keys of known customers */
  listCustomerKeys: { credential: 'session'; params: { tenantId: string | number }; reply: CustomerKeyList; errors: 'session/address_not_allowed' | 'session/area_required' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' | 'tenant/role_required' };
  /** Create a key of known customers */
  createCustomerKey: { credential: 'session'; params: { tenantId: string | number }; headers: { 'idempotency-key'?: string }; body: NewCustomerKey; reply: CustomerKeyCreated; errors: 'customer/too_many_keys' | 'request/already_done' | 'request/idempotency_mismatch' | 'request/in_progress' | 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/password_needed' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' | 'tenant/role_required' };
  /** Delete a key of known customers */
  deleteCustomerKey: { credential: 'session'; params: { tenantId: string | number; keyId: string | number }; reply: OkReply; errors: 'customer/key_not_found' | 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' | 'tenant/role_required' };
  /** Check a user token */
  checkUserToken: { credential: 'session'; params: { tenantId: string | number }; body: UserTokenCheckRequest; reply: UserTokenCheck; errors: 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' | 'tenant/role_required' };
  /** Find the visitor of a customer */
  findCustomer: { credential: 'session'; params: { tenantId: string | number }; body: CustomerRequest; reply: CustomerVisitor; errors: 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' | 'tenant/role_required' };
  /** Erase a customer */
  eraseCustomer: { credential: 'session'; params: { tenantId: string | number }; body: CustomerRequest; reply: ErasureReply; errors: 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' | 'tenant/role_required' };
  /** List articles */
  listArticles: { credential: 'session'; params: { tenantId: string | number }; query?: ListArticlesQuery; reply: ArticlePage; errors: 'session/address_not_allowed' | 'session/area_required' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' };
  /** Create an article */
  createArticle: { credential: 'session'; params: { tenantId: string | number }; headers: { 'idempotency-key'?: string }; body: NewArticle; reply: Article; errors: 'article/slug_taken' | 'request/idempotency_mismatch' | 'request/in_progress' | 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' | 'tenant/role_required' | 'tenant/storage_full' };
  /** Retrieve an article */
  readArticle: { credential: 'session'; params: { tenantId: string | number; articleId: string | number }; reply: Article; errors: 'article/not_found' | 'session/address_not_allowed' | 'session/area_required' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' };
  /** Update an article */
  editArticle: { credential: 'session'; params: { tenantId: string | number; articleId: string | number }; body: ArticleEdit; reply: Article; errors: 'article/conflict' | 'article/not_found' | 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' | 'tenant/role_required' | 'tenant/storage_full' };
  /** Delete an article */
  deleteArticle: { credential: 'session'; params: { tenantId: string | number; articleId: string | number }; reply: OkReply; errors: 'article/not_found' | 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' | 'tenant/role_required' };
  /** Publish an article */
  publishArticle: { credential: 'session'; params: { tenantId: string | number; articleId: string | number }; body: ArticleBase; reply: Article; errors: 'article/conflict' | 'article/not_allowed' | 'article/not_found' | 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' | 'tenant/role_required' };
  /** Unpublish an article */
  unpublishArticle: { credential: 'session'; params: { tenantId: string | number; articleId: string | number }; body: ArticleBase; reply: Article; errors: 'article/conflict' | 'article/not_allowed' | 'article/not_found' | 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' | 'tenant/role_required' };
  /** Schedule the publication of an article */
  scheduleArticle: { credential: 'session'; params: { tenantId: string | number; articleId: string | number }; body: ArticleSchedule; reply: Article; errors: 'article/conflict' | 'article/not_allowed' | 'article/not_found' | 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' | 'tenant/role_required' };
  /** Set when to verify an article again */
  verifyArticle: { credential: 'session'; params: { tenantId: string | number; articleId: string | number }; body: VerifyAgain; reply: Article; errors: 'article/not_found' | 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' | 'tenant/role_required' };
  /** List the revisions of an article */
  listArticleRevisions: { credential: 'session'; params: { tenantId: string | number; articleId: string | number }; query?: ListArticleRevisionsQuery; reply: ArticleRevisionPage; errors: 'article/not_found' | 'session/address_not_allowed' | 'session/area_required' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' };
  /** Retrieve a revision of an article */
  readArticleRevision: { credential: 'session'; params: { tenantId: string | number; articleId: string | number; revision: string | number }; reply: ArticleRevision; errors: 'article/not_found' | 'session/address_not_allowed' | 'session/area_required' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' };
  /** List suggested aliases of an article */
  listAliasSuggestions: { credential: 'session'; params: { tenantId: string | number; articleId: string | number }; reply: AliasSuggestionList; errors: 'article/not_found' | 'session/address_not_allowed' | 'session/area_required' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' };
  /** Dismiss a suggested alias */
  dismissAliasSuggestion: { credential: 'session'; params: { tenantId: string | number; articleId: string | number }; body: DismissedAlias; reply: OkReply; errors: 'article/not_found' | 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' | 'tenant/role_required' };
  /** Search articles as a visitor */
  searchKnowledge: { credential: 'session'; params: { tenantId: string | number }; query: SearchKnowledgeQuery; headers: { 'accept-language'?: string }; reply: KnowledgeSearch; errors: 'session/address_not_allowed' | 'session/area_required' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' };
  /** Find words in texts */
  findText: { credential: 'session'; params: { tenantId: string | number }; query: FindTextQuery; reply: TextMatchPage; errors: 'session/address_not_allowed' | 'session/area_required' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' };
  /** List collections */
  listCollections: { credential: 'session'; params: { tenantId: string | number }; reply: CollectionList; errors: 'session/address_not_allowed' | 'session/area_required' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' };
  /** Create a collection */
  createCollection: { credential: 'session'; params: { tenantId: string | number }; headers: { 'idempotency-key'?: string }; body: CollectionInput; reply: Collection; errors: 'collection/name_taken' | 'collection/too_many' | 'request/idempotency_mismatch' | 'request/in_progress' | 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' | 'tenant/role_required' };
  /** Rename a collection */
  renameCollection: { credential: 'session'; params: { tenantId: string | number; collectionId: string | number }; body: CollectionInput; reply: Collection; errors: 'collection/name_taken' | 'collection/not_found' | 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' | 'tenant/role_required' };
  /** Delete a collection */
  deleteCollection: { credential: 'session'; params: { tenantId: string | number; collectionId: string | number }; reply: OkReply; errors: 'collection/not_found' | 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' | 'tenant/role_required' };
  /** List tags */
  listTags: { credential: 'session'; params: { tenantId: string | number }; reply: TagList; errors: 'session/address_not_allowed' | 'session/area_required' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' };
  /** List the ids of matching articles */
  listArticleIds: { credential: 'session'; params: { tenantId: string | number }; query?: ListArticleIdsQuery; reply: ArticleIdList; errors: 'session/address_not_allowed' | 'session/area_required' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' };
  /** Change several articles */
  changeArticles: { credential: 'session'; params: { tenantId: string | number }; body: BulkAction; reply: BulkReply; errors: 'collection/not_found' | 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' | 'tenant/role_required' };
  /** Export articles */
  exportArticles: { credential: 'session'; params: { tenantId: string | number }; body: ArticleSelection; errors: 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' };
  /** List images */
  listImages: { credential: 'session'; params: { tenantId: string | number }; query?: ListImagesQuery; reply: ImagePage; errors: 'session/address_not_allowed' | 'session/area_required' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' };
  /** Upload an image */
  uploadImage: { credential: 'session'; params: { tenantId: string | number }; query?: UploadImageQuery; headers: { 'idempotency-key'?: string }; body: FormData; reply: Image; errors: 'image/too_large' | 'image/too_many' | 'image/unsupported' | 'request/idempotency_mismatch' | 'request/in_progress' | 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' | 'tenant/role_required' | 'tenant/storage_full' };
  /** Delete an image */
  deleteImage: { credential: 'session'; params: { tenantId: string | number; imageId: string | number }; reply: OkReply; errors: 'image/in_use' | 'image/not_found' | 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' | 'tenant/role_required' };
  /** List answer tests */
  listAnswerTests: { credential: 'session'; params: { tenantId: string | number }; query?: ListAnswerTestsQuery; reply: AnswerTestPage; errors: 'session/address_not_allowed' | 'session/area_required' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' };
  /** Add or change answer tests */
  putAnswerTests: { credential: 'session'; params: { tenantId: string | number }; body: AnswerTestsInput; reply: AnswerTestPage; errors: 'answer_test/not_found' | 'answer_test/too_many' | 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' | 'tenant/role_required' };
  /** Delete an answer test */
  deleteAnswerTest: { credential: 'session'; params: { tenantId: string | number; testId: string | number }; reply: OkReply; errors: 'answer_test/not_found' | 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' | 'tenant/role_required' };
  /** Run answer tests */
  runAnswerTests: { credential: 'session'; params: { tenantId: string | number }; query?: RunAnswerTestsQuery; reply: OkReply; errors: 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' | 'tenant/role_required' };
  /** Suggest answer tests */
  suggestAnswerTests: { credential: 'session'; params: { tenantId: string | number }; reply: AnswerTestSuggestions; errors: 'session/address_not_allowed' | 'session/area_required' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' };
  /** Check what a change would break */
  checkAnswerTests: { credential: 'session'; params: { tenantId: string | number }; body: AnswerTestCheck; reply: AnswerTestPage; errors: 'article/not_found' | 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' | 'translation/not_found' };
  /** Answer an agent by the Model Context Protocol (MCP) */
  sendMcpMessage: { credential: 'api-key'; body: McpMessage; reply: McpReply; errors: 'export/address_not_allowed' | 'export/insufficient_scope' | 'export/key_expired' | 'export/unauthorized' };
  /** List sources */
  listSources: { credential: 'session'; params: { tenantId: string | number }; query?: ListSourcesQuery; reply: SourcePage; errors: 'session/address_not_allowed' | 'session/area_required' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' };
  /** Create a source */
  createSource: { credential: 'session'; params: { tenantId: string | number }; headers: { 'idempotency-key'?: string }; body: NewSource; reply: Source; errors: 'request/idempotency_mismatch' | 'request/in_progress' | 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'source/publish_not_allowed' | 'source/too_many' | 'tenant/not_found' | 'tenant/role_required' };
  /** Retrieve a source */
  readSource: { credential: 'session'; params: { tenantId: string | number; sourceId: string | number }; reply: Source; errors: 'session/address_not_allowed' | 'session/area_required' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'source/not_found' | 'tenant/not_found' };
  /** Update a source */
  changeSource: { credential: 'session'; params: { tenantId: string | number; sourceId: string | number }; body: SourceChange; reply: Source; errors: 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'source/not_found' | 'source/publish_not_allowed' | 'tenant/not_found' | 'tenant/role_required' };
  /** Delete a source */
  deleteSource: { credential: 'session'; params: { tenantId: string | number; sourceId: string | number }; reply: OkReply; errors: 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'source/not_found' | 'tenant/not_found' | 'tenant/role_required' };
  /** Upload a file to a source */
  uploadSourceFile: { credential: 'session'; params: { tenantId: string | number; sourceId: string | number }; query: UploadSourceFileQuery; headers: { 'idempotency-key'?: string }; body: FormData; reply: SourceUpload; errors: 'request/idempotency_mismatch' | 'request/in_progress' | 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'source/busy' | 'source/file_too_large' | 'source/not_found' | 'source/too_much_uploaded' | 'source/wrong_type' | 'tenant/not_found' | 'tenant/role_required' | 'tenant/storage_full' };
  /** List the runs of a source */
  listSourceRuns: { credential: 'session'; params: { tenantId: string | number; sourceId: string | number }; query?: ListSourceRunsQuery; reply: SourceRunPage; errors: 'session/address_not_allowed' | 'session/area_required' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'source/not_found' | 'tenant/not_found' };
  /** Start a run of a source */
  startSourceRun: { credential: 'session'; params: { tenantId: string | number; sourceId: string | number }; headers: { 'idempotency-key'?: string }; body: NewSourceRun; reply: SourceRun; errors: 'request/idempotency_mismatch' | 'request/in_progress' | 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'source/busy' | 'source/not_found' | 'source/nothing_uploaded' | 'tenant/not_found' | 'tenant/role_required' | 'tenant/storage_full' };
  /** Retrieve a run of a source */
  readSourceRun: { credential: 'session'; params: { tenantId: string | number; sourceId: string | number; runId: string | number }; reply: SourceRun; errors: 'session/address_not_allowed' | 'session/area_required' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'source/run_not_found' | 'tenant/not_found' };
  /** Cancel a run of a source */
  cancelSourceRun: { credential: 'session'; params: { tenantId: string | number; sourceId: string | number; runId: string | number }; reply: SourceRun; errors: 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'source/not_allowed' | 'source/run_not_found' | 'tenant/not_found' | 'tenant/role_required' };
  /** Apply a previewed run */
  applySourceRun: { credential: 'session'; params: { tenantId: string | number; sourceId: string | number; runId: string | number }; reply: SourceRun; errors: 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'source/not_allowed' | 'source/run_not_found' | 'tenant/not_found' | 'tenant/role_required' | 'tenant/storage_full' };
  /** List the log of a run */
  listSourceRunItems: { credential: 'session'; params: { tenantId: string | number; sourceId: string | number; runId: string | number }; query?: ListSourceRunItemsQuery; reply: SourceRunItemPage; errors: 'session/address_not_allowed' | 'session/area_required' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'source/run_not_found' | 'tenant/not_found' };
  /** Count what a run left out, by reason */
  listSourceRunReasons: { credential: 'session'; params: { tenantId: string | number; sourceId: string | number; runId: string | number }; reply: SourceReasonCounts; errors: 'session/address_not_allowed' | 'session/area_required' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'source/run_not_found' | 'tenant/not_found' };
  /** Retrieve a text of a run */
  readSourceRunText: { credential: 'session'; params: { tenantId: string | number; sourceId: string | number; runId: string | number }; query: ReadSourceRunTextQuery; reply: SourceRunText; errors: 'session/address_not_allowed' | 'session/area_required' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'source/run_not_found' | 'source/text_not_found' | 'tenant/not_found' };
  /** List the conflicts of a source */
  listSourceConflicts: { credential: 'session'; params: { tenantId: string | number; sourceId: string | number }; query?: ListSourceConflictsQuery; reply: SourceConflictPage; errors: 'session/address_not_allowed' | 'session/area_required' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'source/not_found' | 'tenant/not_found' };
  /** Resolve conflicts of a source */
  resolveSourceConflicts: { credential: 'session'; params: { tenantId: string | number; sourceId: string | number }; body: SourceConflictResolution; reply: SourceConflictsResolved; errors: 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'source/busy' | 'source/not_found' | 'tenant/not_found' | 'tenant/role_required' | 'tenant/storage_full' };
  /** List conversations */
  listTenantConversations: { credential: 'session'; params: { tenantId: string | number }; query?: ListTenantConversationsQuery; reply: TenantConversationPage; errors: 'session/address_not_allowed' | 'session/area_required' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' };
  /** Retrieve a conversation */
  readTenantConversation: { credential: 'session'; params: { tenantId: string | number; conversationId: string | number }; reply: TenantTranscript; errors: 'conversation/not_found' | 'session/address_not_allowed' | 'session/area_required' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' };
  /** List ratings */
  listFeedback: { credential: 'session'; params: { tenantId: string | number }; query?: ListFeedbackQuery; reply: TenantFeedbackPage; errors: 'session/address_not_allowed' | 'session/area_required' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' };
  /** Retrieve analytics */
  readAnalytics: { credential: 'session'; params: { tenantId: string | number }; query?: ReadAnalyticsQuery; reply: Analytics; errors: 'session/address_not_allowed' | 'session/area_required' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' };
  /** Retrieve topics */
  readTopics: { credential: 'session'; params: { tenantId: string | number }; query?: ReadTopicsQuery; reply: QuestionTopics; errors: 'session/address_not_allowed' | 'session/area_required' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' };
  /** Add a note to a conversation */
  addConversationNote: { credential: 'session'; params: { tenantId: string | number; conversationId: string | number }; headers: { 'idempotency-key'?: string }; body: NewConversationNote; reply: ConversationNote; errors: 'conversation/not_found' | 'conversation/too_many_notes' | 'request/idempotency_mismatch' | 'request/in_progress' | 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' };
  /** Delete a note */
  deleteConversationNote: { credential: 'session'; params: { tenantId: string | number; conversationId: string | number; noteId: string | number }; reply: OkReply; errors: 'conversation/note_not_found' | 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' | 'tenant/role_required' };
  /** Preview an answer */
  previewAnswer: { credential: 'session'; params: { tenantId: string | number }; body: PreviewQuestion; reply: Preview; errors: 'chat/answer_broke_off' | 'guide/paused' | 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' };
  /** Ask a person */
  createHandover: { credential: 'visitor'; headers: { 'idempotency-key'?: string }; body: NewHandover; reply: VisitorHandover; errors: 'chat/url_mismatch' | 'conversation/not_found' | 'guide/paused' | 'handover/automated' | 'handover/off' | 'jwt_expired' | 'message/not_found' | 'request/idempotency_mismatch' | 'visitor/unauthorized' };
  /** List the visitor's questions to a person */
  listOwnHandovers: { credential: 'visitor'; reply: VisitorHandovers; errors: 'jwt_expired' | 'visitor/unauthorized' };
  /** List handovers */
  listHandovers: { credential: 'session'; params: { tenantId: string | number }; query?: ListHandoversQuery; reply: HandoverPage; errors: 'session/address_not_allowed' | 'session/area_required' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' };
  /** Retrieve a handover */
  readHandover: { credential: 'session'; params: { tenantId: string | number; handoverId: string | number }; reply: Handover; errors: 'handover/not_found' | 'session/address_not_allowed' | 'session/area_required' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' };
  /** Change a handover */
  changeHandover: { credential: 'session'; params: { tenantId: string | number; handoverId: string | number }; body: HandoverChange; reply: Handover; errors: 'handover/not_found' | 'member/not_found' | 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' };
  /** Reply to a handover */
  replyToHandover: { credential: 'session'; params: { tenantId: string | number; handoverId: string | number }; headers: { 'idempotency-key'?: string }; body: NewHandoverReply; reply: HandoverReply; errors: 'handover/not_found' | 'handover/too_many_replies' | 'request/idempotency_mismatch' | 'request/in_progress' | 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' };
  /** Add a note to a handover */
  addHandoverNote: { credential: 'session'; params: { tenantId: string | number; handoverId: string | number }; headers: { 'idempotency-key'?: string }; body: NewHandoverNote; reply: ConversationNote; errors: 'handover/not_found' | 'handover/too_many_notes' | 'request/idempotency_mismatch' | 'request/in_progress' | 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' };
  /** Delete a note on a handover */
  deleteHandoverNote: { credential: 'session'; params: { tenantId: string | number; handoverId: string | number; noteId: string | number }; reply: OkReply; errors: 'handover/note_not_found' | 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' | 'tenant/role_required' };
  /** List the inbox */
  listInbox: { credential: 'session'; params: { tenantId: string | number }; query?: ListInboxQuery; reply: InboxPage; errors: 'session/address_not_allowed' | 'session/area_required' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' };
  /** List unanswered questions without a visitor */
  listAnonymousQuestions: { credential: 'session'; params: { tenantId: string | number }; reply: AnonymousQuestions; errors: 'session/address_not_allowed' | 'session/area_required' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' };
  /** Retrieve a group of questions */
  readInboxGroup: { credential: 'session'; params: { tenantId: string | number; groupId: string | number }; reply: InboxGroup; errors: 'inbox/not_found' | 'session/address_not_allowed' | 'session/area_required' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' };
  /** Change a group of questions */
  changeInboxGroup: { credential: 'session'; params: { tenantId: string | number; groupId: string | number }; body: InboxChange; reply: InboxGroup; errors: 'article/not_found' | 'inbox/not_found' | 'member/not_found' | 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' | 'tenant/role_required' };
  /** Ask the questions of a group again */
  askAgain: { credential: 'session'; params: { tenantId: string | number; groupId: string | number }; reply: InboxAskAgain; errors: 'chat/answer_broke_off' | 'guide/paused' | 'inbox/not_found' | 'session/address_not_allowed' | 'session/area_required' | 'session/cross_site' | 'session/provider_required' | 'session/second_factor_needed' | 'session/unauthorized' | 'tenant/not_found' | 'tenant/role_required' };
};

/** How to call one operation. `id` exists in the types alone. */
export type Operation<Id extends keyof Operations = keyof Operations> = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** True when sending the same request again cannot do its work twice. */
  readonly retryable: boolean;
  readonly id?: Id;
};

/** A stable, machine-readable error code. */
export type ErrorCode =
  | 'request/invalid'
  | 'request/not_found'
  | 'request/method_not_allowed'
  | 'request/too_large'
  | 'request/idempotency_mismatch'
  | 'request/in_progress'
  | 'request/already_done'
  | 'request/unsupported_media_type'
  | 'rate_limit/exceeded'
  | 'internal'
  | 'server/shutting_down'
  | 'server/overloaded'
  | 'storage/unavailable'
  | 'guide/paused'
  | 'boot/unavailable'
  | 'boot/origin_not_allowed'
  | 'boot/origin_mismatch'
  | 'boot/workspace_disabled'
  | 'chat/unauthorized'
  | 'visitor/unauthorized'
  | 'jwt_expired'
  | 'chat/url_mismatch'
  | 'chat/answer_broke_off'
  | 'chat/too_many_streams'
  | 'chat/idempotency_mismatch'
  | 'customer/key_not_found'
  | 'customer/too_many_keys'
  | 'conversation/not_found'
  | 'conversation/note_not_found'
  | 'conversation/too_many_notes'
  | 'message/not_found'
  | 'handover/off'
  | 'handover/automated'
  | 'handover/not_found'
  | 'handover/note_not_found'
  | 'handover/too_many_notes'
  | 'handover/too_many_replies'
  | 'inbox/not_found'
  | 'voice/unauthorized'
  | 'voice/disabled'
  | 'voice/audio_too_large'
  | 'voice/unsupported_audio'
  | 'voice/provider_failed'
  | 'voice/not_configured'
  | 'session/unauthorized'
  | 'session/wrong_credentials'
  | 'session/cross_site'
  | 'session/password_needed'
  | 'session/address_not_allowed'
  | 'session/area_required'
  | 'session/too_many_automations'
  | 'session/second_factor_needed'
  | 'session/second_factor_asked'
  | 'session/wrong_factor'
  | 'session/step_ended'
  | 'session/last_factor'
  | 'passkey/not_found'
  | 'passkey/taken'
  | 'passkey/too_many'
  | 'authenticator_app/not_found'
  | 'session/not_found'
  | 'session/no_provider'
  | 'session/provider_failed'
  | 'session/provider_refused'
  | 'session/provider_required'
  | 'session/attempt_expired'
  | 'session/email_not_allowed'
  | 'session/no_account'
  | 'session/other_identity'
  | 'identity_provider/not_found'
  | 'identity_provider/no_proved_domain'
  | 'identity_provider/domain_not_found'
  | 'identity_provider/record_not_found'
  | 'help_domain/not_found'
  | 'help_domain/not_available'
  | 'help_domain/not_proved'
  | 'password_reset/not_found'
  | 'email_change/not_found'
  | 'email_change/not_available'
  | 'mail/not_configured'
  | 'setup/not_found'
  | 'invitation/not_found'
  | 'invitation/already_member'
  | 'tenant/not_found'
  | 'tenant/role_required'
  | 'tenant/name_mismatch'
  | 'tenant/storage_full'
  | 'member/not_found'
  | 'member/last_owner'
  | 'api_key/not_found'
  | 'api_key/inactive'
  | 'export/unauthorized'
  | 'export/key_expired'
  | 'export/address_not_allowed'
  | 'export/insufficient_scope'
  | 'export/cursor_mismatch'
  | 'article/not_found'
  | 'article/slug_taken'
  | 'article/conflict'
  | 'article/not_allowed'
  | 'image/not_found'
  | 'image/in_use'
  | 'image/too_large'
  | 'image/unsupported'
  | 'image/too_many'
  | 'collection/not_found'
  | 'collection/name_taken'
  | 'collection/too_many'
  | 'answer_test/not_found'
  | 'answer_test/too_many'
  | 'webhook/not_found'
  | 'webhook/delivery_not_found'
  | 'webhook/too_many'
  | 'webhook/inactive'
  | 'model/none'
  | 'source/not_found'
  | 'source/run_not_found'
  | 'source/text_not_found'
  | 'source/too_many'
  | 'source/wrong_type'
  | 'source/busy'
  | 'source/nothing_uploaded'
  | 'source/too_much_uploaded'
  | 'source/file_too_large'
  | 'source/publish_not_allowed'
  | 'source/not_allowed'
  | 'translation/not_found'
  | 'translation/conflict'
  | 'translation/locale_taken'
  | 'translation/too_many_locales'
  | 'translation/source_locale'
  | 'translation/not_allowed'
  | 'translation/was_published'
  | 'translation/own_text'
  | 'translation/source_changed'
  | 'translation/stale';

/** Error codes that any operation may return. */
export type CommonErrorCode =
  | 'request/invalid'
  | 'request/too_large'
  | 'request/unsupported_media_type'
  | 'rate_limit/exceeded'
  | 'internal'
  | 'server/shutting_down'
  | 'server/overloaded'
  | 'storage/unavailable';
