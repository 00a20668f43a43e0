// Written by `make generate` from the contract. Do not edit.

/** What assistive technology is told about a target. */
export type AccessibilityHints = {
  /** The accessible name of the element. */
  label?: string | undefined;
  /** The accessible description of the element. */
  description?: string | undefined;
  /** States such as expanded, checked or disabled, as one string. */
  state?: string | undefined;
};

/** A proposal for the page. The page and the visitor decide; the guide never acts. */
export type ActionEvent = {
  /** Which kind of event it is; the same as the event of its frame. */
  type: 'action';
  /** The position of this event in its stream, from zero, without gaps. */
  seq: number;
  /** Names this proposal; report its outcome with the next turn. */
  action_id: string;
  /** What is proposed. Nothing else can be. */
  kind: ActionKind;
  /** What the action is about; absent for navigate. */
  target?: ActionTarget | undefined;
  /** Where navigate leads, always on the same origin. */
  url?: string | undefined;
  /** What to write on the button that accepts the proposal. */
  label: string;
  /** Why the guide proposes this action. */
  reason: string;
  /** True when the visitor has to agree before anything happens. */
  requires_confirmation: boolean;
  /** After this moment the proposal is void. */
  expires_at: number;
};

/** Proposed actions and what pages reported of them. An outcome counts when it is reported. */
export type ActionFigures = {
  /** Actions that the guide proposed. */
  proposed: number;
  /** Outcomes that say the visitor let it happen: done, missing and failed together. */
  confirmed: number;
  /** Outcomes that say the visitor declined. */
  declined: number;
  /** Outcomes that say the action was carried out. */
  done: number;
  /** Outcomes that say the target was no longer on the page. */
  missing: number;
  /** Outcomes that say the action was tried in vain. */
  failed: number;
};

/** The closed vocabulary of what the guide may propose. */
export type ActionKind = 'highlight' | 'scroll_to' | 'focus' | 'navigate';

/** What became of an action that was proposed in an earlier turn. */
export type ActionOutcome = {
  /** The proposal, as the stream named it. */
  action_id: string;
  /** What became of it on the page. */
  outcome: OutcomeKind;
};

/** The part of the page that an action is about. */
export type ActionTarget = {
  /** The target, as this very turn named it. */
  gp_id: string;
  /** The name of the target, for the visitor to read. */
  label: string;
  /** Where the target stands in the page. */
  document_bbox?: BoundingBox | undefined;
  /** How sure the page was of this target, from 0 to 1. */
  confidence: number;
};

/** Tells the visitor that the guide is a machine; present in every region. */
export type AiDisclosure = {
  /** True: the disclosure must be shown before the first message. */
  required: boolean;
  /** The disclosure, to be shown as it is. */
  text: string;
  /** The language that the text is in. */
  locale: string;
  /** Names this wording of the disclosure. */
  version: string;
  /** When the disclosure has to be shown. */
  show: DisclosureMoment;
};

/** What happened in a workspace, in figures. */
export type Analytics = {
  /** The first moment that is counted. */
  from: string;
  /** The end of what is counted; this moment itself is not. */
  to: string;
  /** A time zone by its IANA name; days and hours are cut in it. */
  zone: string;
  /** What the periods are. */
  by: AnalyticsPeriodLength;
  /** What is counted of the whole range. */
  totals: AnalyticsFigures;
  /** The equally long time before, to compare with. */
  previous: AnalyticsFigures;
  /** Every day or hour of the range, oldest first, those without events too. */
  periods: AnalyticsPeriod[];
  /** What was cited most, the most cited first; at most 100. */
  articles: CitedArticle[];
  /** Citations in another language than asked for, by reason. */
  fallbacks: FallbackCount[];
  /** Consent decisions by region and mode, the most frequent first. */
  consents: ConsentCount[];
  /** What the guide could not answer, the most frequent first; at most 100. Only conversations that may be kept. */
  unanswered: UnansweredQuestion[];
  /** Rate limits that were hit, the most frequent first. */
  hits: LimitHits[];
};

/** What is counted of a stretch of time. */
export type AnalyticsFigures = {
  /** Pages on which the guide started. */
  boots: number;
  /** Different visitors among the rows that name one: exact up to 65,536, within about 1 % above. */
  visitors: number;
  /** Conversations whose first turn was finished. */
  conversations: number;
  /** Turns whose answer was finished. */
  turns: number;
  /** Finished turns that ended with an answer: reason stop or length. */
  answered: number;
  /** Finished turns that ended without one, for want of knowledge or as a refusal. */
  unanswered: number;
  /** Sources that answers cited. */
  citations: number;
  /** Proposed actions and what became of them. */
  actions: ActionFigures;
  /** What visitors thought of answers. */
  feedback: FeedbackFigures;
  /** Seconds of voice that were used. */
  voice: number;
  /** Rows about requests beyond a rate limit: one for each limit, visitor and minute. */
  limited: number;
  /** Absent where no answer had a first text. */
  latency?: LatencyFigures | undefined;
};

/** A day or an hour of the time zone, cut where the range begins and ends. */
export type AnalyticsPeriod = {
  /** When it begins; it ends where the next one begins, the last one at `to`. */
  start: string;
  /** Pages on which the guide started. */
  boots: number;
  /** Different visitors among the rows that name one: exact up to 65,536, within about 1 % above. */
  visitors: number;
  /** Conversations whose first turn was finished. */
  conversations: number;
  /** Turns whose answer was finished. */
  turns: number;
  /** Finished turns that ended with an answer: reason stop or length. */
  answered: number;
  /** Finished turns that ended without one, for want of knowledge or as a refusal. */
  unanswered: number;
  /** Sources that answers cited. */
  citations: number;
  /** Proposed actions and what became of them. */
  actions: ActionFigures;
  /** What visitors thought of answers. */
  feedback: FeedbackFigures;
  /** Seconds of voice that were used. */
  voice: number;
  /** Rows about requests beyond a rate limit: one for each limit, visitor and minute. */
  limited: number;
  /** Absent where no answer had a first text. */
  latency?: LatencyFigures | undefined;
};

/** How long a period is, on the clocks of the time zone. */
export type AnalyticsPeriodLength = 'day' | 'hour';

/** What the service is doing while there is no text yet. */
export type AnswerPhase = 'retrieving' | 'generating';

/** Whether every question of a conversation got an answer. */
export type AnsweredFilter = 'true' | 'false';

/** An API key as far as it is kept: without its secret. */
export type ApiKey = {
  /** An API key of the workspace: a TypeID with the prefix key. */
  id: string;
  /** What its maker calls the key; empty where nobody named it. */
  name: string;
  /** What the key may read: one scope or both. */
  scopes: ApiKeyScope[];
  /** The last four characters of the key, to know it by. */
  lastFour: string;
  /** The id of the member who did it, or `operator` for what came from the command line. */
  createdBy: string;
  /** When the key was created. */
  createdAt: string;
  /** When the key was used last, to the minute; absent while nobody has used it. */
  lastUsedAt?: string | undefined;
  /** When the key was revoked; absent while it works. */
  revokedAt?: string | undefined;
};

/** A new API key with its secret, which is shown this once. */
export type ApiKeyCreated = {
  /** An API key of the workspace: a TypeID with the prefix key. */
  id: string;
  /** What its maker calls the key; empty where nobody named it. */
  name: string;
  /** What the key may read: one scope or both. */
  scopes: ApiKeyScope[];
  /** The last four characters of the key, to know it by. */
  lastFour: string;
  /** The id of the member who did it, or `operator` for what came from the command line. */
  createdBy: string;
  /** When the key was created. */
  createdAt: string;
  /** When the key was used last, to the minute; absent while nobody has used it. */
  lastUsedAt?: string | undefined;
  /** When the key was revoked; absent while it works. */
  revokedAt?: string | undefined;
  /** The whole key. It is shown here and never again. */
  key: string;
};

/** A page of a list: API keys of the workspace, newest first, the revoked ones too. */
export type ApiKeyPage = {
  /** The rows of this page: API keys of the workspace, newest first, the revoked ones too. */
  data: ApiKey[];
  /** Send it as `cursor` for the next page; absent on the last one. */
  nextCursor?: string | undefined;
};

/** What an API key may read (interface document, section 2.3). */
export type ApiKeyScope = 'analytics:read' | 'events:read';

/** The last line. An archive without it is not whole. */
export type ArchiveEnd = {
  /** What the line is about. */
  type: 'end';
  /** How many lines came before this one. */
  lines: number;
};

/** A line of the archive of a workspace. */
export type ArchiveLine = ArchivedWorkspace | ArchivedMember | ArchivedPolicy | ArchivedSubject | ArchivedConsent | ArchivedDecision | ArchivedArticle | ArchivedArticleRevision | ArchivedTranslation | ArchivedTranslationRevision | ArchivedConversation | ArchivedTurn | ArchivedFeedback | ArchivedEvent | ArchivedAudit | ArchiveEnd;

/** An article; its revisions and its translations follow. */
export type ArchivedArticle = {
  /** What the line is about. */
  type: 'article';
  /** A knowledge article: a TypeID with the prefix art. */
  id: string;
  /** The name of the article in imports and exports, the same for as long as it lives: letters of any script, digits and any of `._~/-`. */
  slug: string;
  /** The language that the article itself is written in. */
  locale: string;
  status: ArticleStatus;
  /** The newest revision; all of them follow, from the first. */
  revision: number;
  /** What visitors are served; absent where nothing is. */
  live?: ArchivedArticleLive | undefined;
  /** When this was created, in UTC. */
  createdAt: string;
  /** The id of the member who did it, or `operator` for what came from the command line. */
  createdBy: string;
  /** When it was changed last. */
  updatedAt: string;
  /** The id of the member who did it, or `operator` for what came from the command line. */
  updatedBy: string;
};

/** The revision of an article that visitors are served. */
export type ArchivedArticleLive = {
  /** Counts the revisions of one article or translation, from 1. */
  revision: number;
  /** When the revision went live. */
  publishedAt: string;
  /** The id of the member who did it, or `operator` for what came from the command line. */
  publishedBy: string;
};

/** A revision of the article above it, oldest first. */
export type ArchivedArticleRevision = {
  /** What the line is about. */
  type: 'article_revision';
  /** A knowledge article: a TypeID with the prefix art. */
  articleId: string;
  /** Counts the revisions of one article or translation, from 1. */
  revision: number;
  event: ArticleStep;
  /** The language of the article at that time. */
  locale: string;
  /** The title; one line of text, not empty. */
  title: string;
  /** The text that the guide answers from; Markdown or plain, not empty. */
  answer: string;
  /** Other words to be found by, besides title and answer. */
  aliases: string[];
  /** The address that visitors can read this at; absent where there is none. */
  url?: string | undefined;
  /** SHA-256 of title, answer and aliases, in hex. */
  contentHash: string;
  /** The beginning of the answer as plain text; made by the service. */
  searchSummary: string;
  /** Who made the revision. */
  authorId: string;
  /** When the revision was made. */
  createdAt: string;
};

/** Who did what, oldest first. */
export type ArchivedAudit = {
  /** What the line is about. */
  type: 'audit';
  /** The row of the audit: a TypeID with the prefix aud. */
  id: string;
  /** When this was done, in UTC. */
  at: string;
  /** The id of the member who did it, or `operator` for what came from the command line. */
  actor: string;
  /** What was done, as a stable word. */
  action: string;
  /** The id of what it was done to. */
  subject: string;
  /** What changed, as a JSON object. */
  details: string;
};

/** A link of the chain of consent evidence, in the order of the chain. */
export type ArchivedConsent = {
  /** What the line is about. */
  type: 'consent_record';
  /** The place in the chain, from 1 and without gaps. */
  position: number;
  /** The record: a TypeID with the prefix con. */
  id: string;
  /** The name that the evidence has for a visitor: a TypeID with the prefix sub. */
  subjectId: string;
  /** The evidence in canonical JSON, the very text that the hash covers. */
  content: string;
  /** The hash of the record before this one; zeros for the first. */
  previousHash: string;
  /** SHA-256 over the previous hash and the content, in hex. */
  hash: string;
};

/** A conversation; its turns follow, at least one. One that has to be deleted by a certain time is left out. */
export type ArchivedConversation = {
  /** What the line is about. */
  type: 'conversation';
  /** A conversation, named by the client or by the service; 1 to 128 letters, digits or any of `_.:-`. */
  id: string;
  /** A visitor of one workspace: a TypeID with the prefix vis. */
  visitorId: string;
  /** When the first question was asked. */
  startedAt: string;
  /** The index that the next turn is expected to have. */
  nextTurnIdx: number;
  /** How many turns the conversation has had. */
  turnCount: number;
  /** Whether it takes no more turns. */
  ended: boolean;
};

/** What counts now for a visitor. */
export type ArchivedDecision = {
  /** What the line is about. */
  type: 'consent_decision';
  /** A visitor of one workspace: a TypeID with the prefix vis. */
  visitorId: string;
  /** What the visitor decided last. */
  decision: string;
  /** The consent mode that the decision answered. */
  mode: string;
  /** The version of a consent policy. */
  policyVersion: string;
  /** The region that the visitor was in. */
  regionCode: string;
  /** When the visitor decided. */
  decidedAt: string;
  /** Whether a privacy signal came with it. */
  gpc?: boolean | undefined;
  /** Where the client said to be. */
  claimedRegion?: string | undefined;
};

/** An event that analytics count, oldest first. */
export type ArchivedEvent = {
  /** What the line is about. */
  type: 'event';
  /** The event row: a TypeID with the prefix evt. */
  id: string;
  /** When this happened, in UTC. */
  at: string;
  /** What happened, as a stable word. */
  kind: EventType;
  /** Whom it is about; absent where it tells about nobody. */
  visitorId?: string | undefined;
  /** The conversation that it happened in. */
  conversationId?: string | undefined;
  /** A flat JSON object; which fields it has depends on the kind. */
  data: string;
};

/** The rating of an answer; follows its turn. */
export type ArchivedFeedback = {
  /** What the line is about. */
  type: 'feedback';
  /** The rating: a TypeID with the prefix fb. */
  id: string;
  /** One answer of the guide: a TypeID with the prefix msg. */
  messageId: string;
  /** Whether the answer helped. */
  rating: FeedbackRating;
  /** What the visitor added to it. */
  comment?: string | undefined;
  /** When the answer was rated. */
  at: string;
};

/** Somebody who belongs to the workspace, oldest first. */
export type ArchivedMember = {
  /** What the line is about. */
  type: 'member';
  /** A member of one workspace: a TypeID with the prefix mem. */
  id: string;
  /** The address that the member signs in with, in lower case. The password stays behind. */
  email: string;
  /** What the member may do. */
  role: MemberRole;
  /** When the member joined. */
  createdAt: string;
};

/** A consent policy that directives and evidence refer to. */
export type ArchivedPolicy = {
  /** What the line is about. */
  type: 'consent_policy';
  /** The version of a consent policy. */
  version: string;
  /** The policy in canonical JSON: rule table, settings, purposes. */
  document: string;
  /** When the policy was published first. */
  createdAt: string;
};

/** The review of the working copy of a translation. */
export type ArchivedReview = {
  decision: ReviewDecision;
  /** What the reviewer saw. */
  revision: number;
  /** Who made the revision that was reviewed. */
  authorId: string;
  /** The id of the member who reviewed it. */
  reviewerId: string;
  /** What the reviewer has to say to the author. */
  reviewNote?: string | undefined;
  /** When it was reviewed. */
  reviewedAt: string;
};

/** Who is meant by a name in the consent evidence. */
export type ArchivedSubject = {
  /** What the line is about. */
  type: 'consent_subject';
  /** A visitor of one workspace: a TypeID with the prefix vis. */
  visitorId: string;
  /** The name that the evidence has for a visitor: a TypeID with the prefix sub. */
  subjectId: string;
};

/** A translation of the article above it; its revisions follow. */
export type ArchivedTranslation = {
  /** What the line is about. */
  type: 'translation';
  /** A translation of an article: a TypeID with the prefix tr. */
  id: string;
  /** A knowledge article: a TypeID with the prefix art. */
  articleId: string;
  /** A language tag in canonical BCP 47 form, such as de or pt-BR. */
  locale: string;
  status: TranslationStatus;
  /** The newest revision; all of them follow, from the first. */
  revision: number;
  /** The revision of the article that the text was made for. */
  sourceRevision: number;
  /** The content hash of the article that the text was made for. */
  sourceHash: string;
  /** What is live; absent where nothing is. */
  live?: ArchivedTranslationLive | undefined;
  /** The review of the working copy; absent while there is none. */
  review?: ArchivedReview | undefined;
  /** When this was created, in UTC. */
  createdAt: string;
  /** The id of the member who did it, or `operator` for what came from the command line. */
  createdBy: string;
  /** When it was changed last. */
  updatedAt: string;
  /** The id of the member who did it, or `operator` for what came from the command line. */
  updatedBy: string;
};

/** The revision of a translation that visitors are served while its article is published. */
export type ArchivedTranslationLive = {
  /** Counts the revisions of one article or translation, from 1. */
  revision: number;
  /** The revision of the article that the text was made for. */
  sourceRevision: number;
  /** The content hash of the article that the text was made for. */
  sourceHash: string;
  /** When the revision went live. */
  publishedAt: string;
  /** The id of the member who did it, or `operator` for what came from the command line. */
  publishedBy: string;
};

/** A revision of the translation above it, oldest first. */
export type ArchivedTranslationRevision = {
  /** What the line is about. */
  type: 'translation_revision';
  /** A translation of an article: a TypeID with the prefix tr. */
  translationId: string;
  /** Counts the revisions of one article or translation, from 1. */
  revision: number;
  event: TranslationStep;
  /** The status that the translation had from then on. */
  status: TranslationStatus;
  /** The revision of the article that the text was made for. */
  sourceRevision: number;
  /** The content hash of the article that the text was made for. */
  sourceHash: string;
  /** The title; one line of text, not empty. */
  title: string;
  /** The text that the guide answers from; Markdown or plain, not empty. */
  answer: string;
  /** Other words to be found by, besides title and answer. */
  aliases: string[];
  /** The address that visitors can read this at; absent where there is none. */
  url?: string | undefined;
  /** SHA-256 of title, answer and aliases, in hex. */
  contentHash: string;
  /** The beginning of the answer as plain text; made by the service. */
  searchSummary: string;
  /** Who made the revision. */
  authorId: string;
  /** Who reviewed the text, where a review made this revision. */
  reviewerId?: string | undefined;
  /** What the reviewer has to say to the author. */
  reviewNote?: string | undefined;
  /** When the revision was made. */
  createdAt: string;
};

/** A question and its answer; follows its conversation, oldest first. */
export type ArchivedTurn = {
  /** What the line is about. */
  type: 'turn';
  /** One answer of the guide: a TypeID with the prefix msg. */
  messageId: string;
  /** A conversation, named by the client or by the service; 1 to 128 letters, digits or any of `_.:-`. */
  conversationId: string;
  /** The index that the visitor sent with it. */
  turnIdx: number;
  /** How far the answer got. */
  state: TurnState;
  /** Why the answer ended; absent where it did not. */
  finishReason?: FinishReason | undefined;
  /** The language that the visitor asked for. */
  requestedLocale: string;
  /** The Idempotency-Key that the question came with. */
  idempotencyKey?: string | undefined;
  /** Tells whether a repeated request is the same one. */
  payloadHash?: string | undefined;
  /** When the question was asked. */
  askedAt: string;
  /** When the answer ended; absent while it runs. */
  finishedAt?: string | undefined;
  /** What the visitor asked. */
  question: string;
  /** What the guide answered. */
  answer: string;
  /** The events that were streamed, in order. */
  frames: string[];
};

/** The first line: the workspace and its settings. */
export type ArchivedWorkspace = {
  /** What the line is about. */
  type: 'workspace';
  /** The version of this format; a newer one than an installation knows is refused. */
  format: number;
  /** A workspace, "tenant" in addresses: a TypeID with the prefix ws. */
  id: string;
  /** The app id for the install script, prefixed gp_. */
  appId: string;
  /** What visitors and members see; white space is tidied. */
  name: string;
  /** Whether visitors are served at all; set on the command line. */
  enabled: boolean;
  /** The origins that the guide may be embedded in. */
  allowedOrigins: string[];
  /** The language that articles are written in, in canonical BCP 47 form. */
  sourceLocale: string;
  features: TenantFeatures;
  /** Whether the guide shows the service's mark. */
  showBranding: boolean;
  branding?: GuideBranding | undefined;
  consentStrictness: ConsentStrictness;
  /** Regions in which the workspace is stricter than that, each named once. */
  consentStrictnessByRegion?: RegionStrictness[] | undefined;
  /** Questions to offer before the first message, in this order. */
  suggestions: string[];
  voice: TenantVoice;
  guide?: TenantGuide | undefined;
  /** Counts every change of the settings, from 1. */
  version: number;
  /** When the workspace was created. */
  createdAt: string;
  /** When the settings were changed last. */
  updatedAt: string;
};

/** An article: its working copy, and how the rest of it stands. */
export type Article = {
  /** A knowledge article: a TypeID with the prefix art. */
  id: string;
  /** The name of the article in imports and exports, the same for as long as it lives: letters of any script, digits and any of `._~/-`. */
  slug: string;
  /** The language that the article itself is written in. */
  locale: string;
  /** The title; one line of text, not empty. */
  title: string;
  status: ArticleStatus;
  /** The newest revision: the working copy. Send it as `baseRevision`. */
  revision: number;
  /** When the newest revision was made. */
  updatedAt: string;
  /** The id of the member who did it, or `operator` for what came from the command line. */
  updatedBy: string;
  /** The translations of the article, by locale. */
  translations: ArticleVariant[];
  /** The text that the guide answers from; Markdown or plain, not empty. */
  answer: string;
  /** Other words to be found by, besides title and answer. */
  aliases: string[];
  /** The address that visitors can read this at; absent where there is none. */
  url?: string | undefined;
  /** The beginning of the answer as plain text; made by the service. */
  searchSummary: string;
  /** What visitors are served; absent while nothing is published. */
  live?: ArticleLive | undefined;
  /** When the article was created or first imported. */
  createdAt: string;
  /** The id of the member who did it, or `operator` for what came from the command line. */
  createdBy: string;
};

/** The revision of an article that a step is meant for. */
export type ArticleBase = {
  /** The revision that you have seen; when it is no longer the newest, nothing is done. */
  baseRevision: number;
};

/** The whole content of an article; it replaces what was there. */
export type ArticleEdit = {
  /** The revision that you have seen; when it is no longer the newest, nothing is done. */
  baseRevision: number;
  /** The title; one line of text, not empty. */
  title: string;
  /** The text that the guide answers from; Markdown or plain, not empty. */
  answer: string;
  /** Other words to be found by; none when absent. */
  aliases?: string[] | undefined;
  /** The http or https address that visitors can read this at; none when absent. */
  url?: string | undefined;
};

/** What of an article visitors are served. */
export type ArticleLive = {
  /** Counts the revisions of one article or translation, from 1. */
  revision: number;
  /** When this revision went live. */
  publishedAt: string;
  /** The id of the member who did it, or `operator` for what came from the command line. */
  publishedBy: string;
  /** True when the working copy differs from what is live. */
  changed: boolean;
};

/** A page of a list: articles without their texts, newest first. */
export type ArticlePage = {
  /** The rows of this page: articles without their texts, newest first. */
  data: ArticleSummary[];
  /** Send it as `cursor` for the next page; absent on the last one. */
  nextCursor?: string | undefined;
};

/** An article as it was at one time. */
export type ArticleRevision = {
  /** Counts the revisions of one article or translation, from 1. */
  revision: number;
  event: ArticleStep;
  /** The title; one line of text, not empty. */
  title: string;
  /** The text that the guide answers from; Markdown or plain, not empty. */
  answer: string;
  /** Other words to be found by, besides title and answer. */
  aliases: string[];
  /** The address that visitors can read this at; absent where there is none. */
  url?: string | undefined;
  /** The member who made it, or `operator` for what came from the command line. */
  authorId: string;
  /** When this revision was made; it never changes afterwards. */
  createdAt: string;
};

/** A page of a list: revisions of an article, newest first. */
export type ArticleRevisionPage = {
  /** The rows of this page: revisions of an article, newest first. */
  data: ArticleRevision[];
  /** Send it as `cursor` for the next page; absent on the last one. */
  nextCursor?: string | undefined;
};

/** Draft: never published; published: something is live; unpublished: it was taken down. */
export type ArticleStatus = 'draft' | 'published' | 'unpublished';

/** What made a revision of an article. */
export type ArticleStep = 'created' | 'edited' | 'published' | 'unpublished' | 'imported';

/** An article without its text. */
export type ArticleSummary = {
  /** A knowledge article: a TypeID with the prefix art. */
  id: string;
  /** The name of the article in imports and exports, the same for as long as it lives: letters of any script, digits and any of `._~/-`. */
  slug: string;
  /** The language that the article itself is written in. */
  locale: string;
  /** The title; one line of text, not empty. */
  title: string;
  status: ArticleStatus;
  /** The newest revision: the working copy. Send it as `baseRevision`. */
  revision: number;
  /** When the newest revision was made. */
  updatedAt: string;
  /** The id of the member who did it, or `operator` for what came from the command line. */
  updatedBy: string;
  /** The translations of the article, by locale. */
  translations: ArticleVariant[];
  /** The revision that visitors are served, if there is one. */
  liveRevision?: number | undefined;
  /** True when something is live and the working copy differs from it. */
  changed: boolean;
};

/** How a translation of an article stands, at a glance. */
export type ArticleVariant = {
  /** A translation of an article: a TypeID with the prefix tr. */
  translationId: string;
  /** A language tag in canonical BCP 47 form, such as de or pt-BR. */
  locale: string;
  status: TranslationStatus;
  /** True when the working copy was made for other content of the article than it has now. */
  stale: boolean;
  /** True when an approved revision is live; visitors get it while the article is published. */
  live: boolean;
  /** True when the live revision was made for other content of the article; absent when none is. */
  liveStale?: boolean | undefined;
};

/** A page of a list: what was done in the workspace, newest first. */
export type AuditPage = {
  /** The rows of this page: what was done in the workspace, newest first. */
  data: AuditRow[];
  /** Send it as `cursor` for the next page; absent on the last one. */
  nextCursor?: string | undefined;
};

/** Who did what in a workspace, and when. */
export type AuditRow = {
  /** The row of the audit: a TypeID with the prefix aud. */
  id: string;
  /** When it was done, in UTC. */
  at: string;
  /** The id of the member who did it, or `operator` for what came from the command line. */
  actor: string;
  /** What was done, such as workspace.changed. */
  action: string;
  /** The id of what it was done to. */
  subject: string;
  /** What changed, as a JSON object in canonical form (RFC 8785); which fields it has depends on the action. */
  details: string;
};

/** Where and in which language the visitor is (interface document, section 2.5). */
export type BootRegion = {
  /** ISO 3166-1 alpha-2 code of a country, or ZZ when it is unknown. */
  country_code: string;
  /** ISO 3166-2 code of a region, else its country, else ZZ. */
  region_code: string;
  /** The languages that the visitor asked for, as the browser sent them. */
  accept_language: string;
};

/** Configuration, consent directive and a fresh visitor token. */
export type BootReply = {
  /** The visitor token for the Authorization header; null for bots, which are not served. */
  jwt: string | null;
  /** When the token expires; boot again before that. Zero when there is no token. */
  jwt_expires_at: number;
  /** To be kept where features.persist_visitor allows, and sent with the next boot. */
  visitor_id: string;
  config: GuideConfig;
  consent_directive: ConsentDirective;
  region: BootRegion;
  features: GuideFeatures;
  /** Whether the guide shows the mark of the service. */
  show_branding: boolean;
};

/** Which app, on which page, for which visitor (interface document, section 4.1). */
export type BootRequest = {
  /** The app id from the install script, prefixed gp_ (interface document, section 2.2). */
  app_id: string;
  /** The origin of the page; must equal the Origin header and be an allowed domain of the app. */
  origin: string;
  /** The path of the page; used to record the boot. Query and fragment are not kept. */
  path: string;
  /** An earlier visitor id to continue; one that this workspace did not give is replaced. */
  visitor_id?: string | undefined;
  /** The Global Privacy Control signal of the browser. False never cancels the header. */
  gpc?: boolean | undefined;
  /** Used to recognise bots when no User-Agent header is sent; not stored. */
  user_agent_hint?: string | undefined;
};

/** A rectangle in CSS pixels, from its top left corner. */
export type BoundingBox = {
  /** A length or position in CSS pixels. */
  x: number;
  /** A length or position in CSS pixels. */
  y: number;
  /** A length in CSS pixels, never negative. */
  width: number;
  /** A length in CSS pixels, never negative. */
  height: number;
};

/** A limit of the service, by the name that it is published under. */
export type BucketName = 'boot/rate-limited' | 'chat/visitor-burst' | 'chat/tenant-burst' | 'chat/visitor-hour' | 'chat/ip-rate-limited' | 'consent/visitor-burst' | 'consent/ip-rate-limited' | 'visitor/visitor-burst' | 'visitor/ip-rate-limited' | 'voice/token-burst' | 'voice/transcribe-burst' | 'voice/speech-burst' | 'voice/usage-burst' | 'voice/ip-rate-limited' | 'session/ip-rate-limited' | 'session/account-burst' | 'session/sign-in' | 'session/account-sign-in' | 'export/key-burst' | 'export/ip-rate-limited' | 'tenant/member-reads' | 'tenant/member-mutations' | 'tenant/member-previews' | 'voice/cap';

/** Structured page context. It grants no control over the browser. */
export type CaptureContext = {
  /** The title and the address of the page. */
  page?: CapturePage | undefined;
  /** The visible part of the page. */
  viewport?: Viewport | undefined;
  /** The size of the whole page. */
  document?: DocumentSize | undefined;
  /** How far the page is scrolled. */
  scroll?: ScrollPosition | undefined;
  /** What the visitor has selected on the page, when any. */
  selected_text?: string | undefined;
  /** The element that has the focus. */
  focused_target?: CaptureTarget | undefined;
  /** Candidates for actions, best first; the first 50 are kept. */
  targets?: CaptureTarget[] | undefined;
};

/** Which page the visitor is on. */
export type CapturePage = {
  /** The title of the page, as its tab shows it. */
  title?: string | undefined;
  /** The address of the page. */
  url?: string | undefined;
};

/** A candidate for an action, backed by an element of the page. */
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
  /** Where it stands in the whole page. */
  document_bbox?: BoundingBox | undefined;
  /** How sure the page is of this candidate, from 0 to 1. */
  confidence?: number | undefined;
  /** What assistive technology is told about it. */
  accessibility?: AccessibilityHints | undefined;
  /** True when the visitor can see it without scrolling. */
  in_viewport?: boolean | undefined;
};

/** Whether the working copy of an article differs from what is live. */
export type ChangedFilter = 'true' | 'false';

/** One event of the stream that POST /chat answers with. */
export type ChatEvent = MessageStartEvent | StatusEvent | TextDeltaEvent | TextReplaceEvent | CitationEvent | ActionEvent | SuggestionsEvent | NoticeEvent | MessageEndEvent | ErrorEvent;

/** One conversation turn (interface document, section 4.2). */
export type ChatRequest = {
  /** What the visitor asks; not empty. */
  message: string;
  /** A sanitised, compact digest of the page; the first 32000 characters are read. */
  dom_digest: string;
  /** A conversation, named by the client or by the service; 1 to 128 letters, digits or any of `_.:-`. */
  conversation_id: string;
  /** The zero-based index of the turn. Sending one again is no error. */
  turn_idx: number;
  /** The full address of the page; its origin must be the one of the visitor token. */
  url: string;
  /** The visible part of the page; a common desktop size when omitted. */
  viewport?: Viewport | undefined;
  /** The size of the page; the size of the viewport when omitted. */
  document?: DocumentSize | undefined;
  /** How far the page is scrolled down, in CSS pixels; zero when omitted. */
  scroll_pos?: number | undefined;
  /** Structured page context; untrusted, cut and cleaned. */
  capture_context?: CaptureContext | undefined;
  /** Dropped with a notice when it is oversized or malformed. */
  viewport_screenshot?: ViewportScreenshot | undefined;
  /** What became of the actions that earlier turns proposed. */
  action_results?: ActionOutcome[] | undefined;
};

/** A source of the answer: which revision, which words, which part of the answer. */
export type CitationEvent = {
  /** Which kind of event it is; the same as the event of its frame. */
  type: 'citation';
  /** The position of this event in its stream, from zero, without gaps. */
  seq: number;
  /** Names this citation within its message. */
  citation_id: string;
  /** The number to show for this citation, from one. */
  index: number;
  /** A knowledge article: a TypeID with the prefix art. */
  article_id: string;
  /** The translation that is cited; absent for the source article. */
  translation_id?: string | undefined;
  /** The published revision that the quote stands in. */
  revision: number;
  /** The title of the cited text, in its own language. */
  title: string;
  /** Where the article can be read, when its owner gave an address. */
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
  /** Why content_locale differs; absent when it does not. */
  fallback_reason?: FallbackReason | undefined;
  /** True when the source article changed after this translation was made. */
  stale: boolean;
};

/** How often the text of an article in one language was cited. */
export type CitedArticle = {
  /** The article, which may have been deleted since. */
  article: string;
  /** The language of the text that was cited. */
  locale: string;
  /** How often it was cited. */
  citations: number;
};

/** Whether the visitor added words to a rating. */
export type CommentedFilter = 'true' | 'false';

/** The wording of the consent prompt in the language of the visitor. */
export type ConsentCopy = {
  /** Names this wording; send it as copy_version with the decision. */
  version: string;
  /** The language that the copy is in. */
  locale: string;
  /** The heading of the consent prompt. */
  title: string;
  /** What the visitor is asked to agree to. */
  text: string;
  /** The label of the button that accepts. */
  accept: string;
  /** The label of the button that denies. */
  deny: string;
  /** What to show when a Global Privacy Control signal was honoured. */
  gpc_notice: string;
};

/** Consent decisions of one kind. Refusals leave no event row, so that none is counted. */
export type ConsentCount = {
  /** ISO 3166-2 code of a region, else its country, else ZZ. */
  region: string;
  /** The consent mode that the decision answered: opt_in, opt_out or notice. */
  mode: string;
  /** What the visitor, or the browser, decided. */
  decision: VisitorDecision;
  /** How many such decisions were counted. */
  count: number;
};

/** How consent works for this visitor (interface document, section 2.4). */
export type ConsentDirective = {
  /** How consent works for this visitor. */
  mode: ConsentMode;
  /** Names the immutable policy that this directive follows. */
  policy_version: string;
  /** Why the mode and purposes are what they are. */
  reason: ConsentReason;
  /** ISO 3166-2 code of a region, else its country, else ZZ. */
  region_code: string;
  ai_disclosure: AiDisclosure;
  /** True when the visitor should be asked for a decision now. */
  ask: boolean;
  /** What the service may do for this visitor at the moment. */
  purposes: ConsentPurposes;
  gpc: GpcState;
  /** When an earlier decision stops counting. */
  expires_at?: number | undefined;
};

/** How consent works for visitors, region by region. */
export type ConsentDirectives = {
  /** The version of the region table. */
  tableVersion: string;
  /** Names the policy that these settings make; decisions are kept with it. */
  policyVersion: string;
  /** What every visitor of this language is told, in every region. */
  disclosure: AiDisclosure;
  /** The prompt where the visitor is asked. */
  copy: DirectiveCopy;
  /** The regions that the table or the settings name, and ZZ for visitors whom nobody can place. */
  data: RegionDirective[];
};

/** Ask before anything optional; go on until the visitor objects; or only tell. */
export type ConsentMode = 'opt_in' | 'opt_out' | 'notice';

/** Each purpose of the service, granted or denied at this moment. */
export type ConsentPurposes = {
  /** Answering what the visitor asks; always granted. */
  essential: PurposeState;
  /** Events that describe the use of the guide. */
  analytics: PurposeState;
  /** A visitor id that is kept on the device. */
  persistence: PurposeState;
  /** Keeping conversations for longer than a day. */
  retention: PurposeState;
  /** Reading a picture of the page. */
  screenshot: PurposeState;
  /** Using the microphone and speech. */
  voice: PurposeState;
};

/** What decided the mode: a signal, an earlier decision, the region, the workspace, a new policy. */
export type ConsentReason = 'gpc' | 'prior_decision' | 'region_rule' | 'region_unknown' | 'workspace_stricter' | 'policy_changed';

/** Whether the decision was stored. */
export type ConsentReply = {
  /** True for every well-formed request. */
  ok: boolean;
  /** True when a valid visitor token let the decision be stored durably. */
  recorded: boolean;
};

/** One consent decision (interface document, section 4.3). */
export type ConsentRequest = {
  /** The visitor who decided; must be the one of the token to be recorded. */
  visitor_id: string;
  /** The page of the decision; its origin must match the visitor token. Its query is not kept. */
  url: string;
  /** The version of the consent copy that was seen. */
  copy_version: string;
  /** When the visitor decided, by the clock of the device, in milliseconds. */
  at: number;
  decision: VisitorDecision;
  /** The consent mode at decision time. */
  mode?: string | undefined;
  /** The Global Privacy Control signal of the browser; true is an opt-out at once. */
  gpc?: boolean | undefined;
  /** The policy version of the directive that was shown. */
  policy_version?: string | undefined;
  /** The region that the client believes to be in. */
  region?: RegionOverride | undefined;
  override_source?: OverrideSource | undefined;
};

/** The active consent settings of the workspace. */
export type ConsentSettings = {
  /** The floor that the workspace sets; region means that the region table alone decides. */
  strictness: ConsentStrictness;
  copy: ConsentCopy;
};

/** How strict a workspace is at least, from the rule of the region alone to always asking first. */
export type ConsentStrictness = 'region' | 'notice' | 'opt_out' | 'opt_in';

/** A conversation of this visitor, so that the next page can go on with it. */
export type Conversation = {
  /** A conversation, named by the client or by the service; 1 to 128 letters, digits or any of `_.:-`. */
  conversation_id: string;
  /** When the first turn was asked. */
  started_at: number;
  /** The index to send with the next turn. */
  next_turn_idx: number;
  /** The turns, oldest first. */
  turns: ConversationTurn[];
};

/** A line of the CSV of conversations; what is absent is an empty cell. */
export type ConversationColumns = {
  /** A conversation, named by the client or by the service; 1 to 128 letters, digits or any of `_.:-`. */
  id: string;
  /** When it began, or when its visitor allowed it to be kept if that was later; rows are ordered and filtered by it. */
  at: string;
  /** A visitor of one workspace: a TypeID with the prefix vis. */
  visitor_id: string;
  /** When its first question was asked. */
  started_at: string;
  /** When its newest question was asked. */
  last_at: string;
  /** How many questions were asked in it. */
  turns: number;
  /** The language that its first question was asked in. */
  locale: string;
  /** What the visitor asked first. */
  first_message: string;
  /** True when every question got an answer: reason stop or length. */
  answered: boolean;
  /** The newest rating of one of its answers; absent while there is none. */
  rating?: FeedbackRating | undefined;
};

/** A question of the visitor and its answer. */
export type ConversationTurn = {
  /** The index of the turn. */
  turn_idx: number;
  /** One answer of the guide: a TypeID with the prefix msg. */
  message_id: string;
  /** What the visitor asked in this turn. */
  message: string;
  /** What the guide answered; what there was of it when it was interrupted. */
  answer: string;
  /** How far the answer got. */
  state: TurnState;
  /** Why the answer ended; absent while it runs. */
  finish_reason?: FinishReason | undefined;
  /** The language that the visitor asked for. */
  requested_locale: string;
  /** The sources of the answer. */
  citations: CitationEvent[];
  /** When the visitor asked, in Unix seconds. */
  asked_at: number;
};

/** The wording of the consent prompt in one language. */
export type DirectiveCopy = {
  /** Names this wording of the prompt. */
  version: string;
  /** The language that the copy is in. */
  locale: string;
  /** The heading of the consent prompt. */
  title: string;
  /** What the visitor is asked to agree to. */
  text: string;
  /** The label of the button that accepts. */
  accept: string;
  /** The label of the button that denies. */
  deny: string;
  /** What is shown when a Global Privacy Control signal was honoured. */
  gpcNotice: string;
};

/** The latest moment at which the disclosure has to be shown. */
export type DisclosureMoment = 'before_first_message';

/** The whole page in CSS pixels (interface document, section 2.6). */
export type DocumentSize = {
  /** A length in CSS pixels, never negative. */
  width: number;
  /** A length in CSS pixels, never negative. */
  height: number;
};

/** What was erased. Consent evidence is kept without its visitor. */
export type ErasureReply = {
  /** True: everything that belongs to this visitor is gone. */
  ok: boolean;
  /** How many conversations were erased. */
  conversations: number;
  /** How many event rows were erased. */
  events: number;
  /** How many ratings were erased. */
  feedback: number;
};

/** The one shape of every refusal: a stable code, a sentence and the id of the request. */
export type ErrorBody = {
  /** The stable code of the refusal; each operation lists the codes it can answer with. */
  error: string;
  /** A sentence for people; it may change, so never compare with it. */
  message: string;
  /** Names this request in the logs of the service; also sent as x-request-id. */
  request_id: string;
  /** With status 429: the limit that was hit (interface document, section 8). */
  bucket?: BucketName | undefined;
  /** Whole seconds to wait before trying again; the same value as the Retry-After header. */
  retryAfterSec?: number | undefined;
  /** With `request/invalid`: every problem that was found in the request. */
  issues?: RequestProblem[] | undefined;
  /** With a conflict: the newest revision, to be read and used as the next `baseRevision`. */
  currentRevision?: number | undefined;
  /** With `translation/stale`: the revision of the article to translate from. */
  currentSourceRevision?: number | undefined;
  /** With a step that is not possible: the status that rules it out. */
  currentStatus?: string | undefined;
  /** With a conflict: the id of the member who made the newest revision, or `operator`. */
  changedBy?: string | undefined;
  /** With a conflict: when the newest revision was made. */
  changedAt?: string | undefined;
};

/** The last event of an answer that could not be completed. */
export type ErrorEvent = {
  /** Which kind of event it is; the same as the event of its frame. */
  type: 'error';
  /** The position of this event in its stream, from zero, without gaps. */
  seq: number;
  /** A stable code, as in the refusals of the service. */
  code: string;
  /** A sentence for people; it may change. */
  message: string;
  /** True when sending the same turn again can help. */
  retryable: boolean;
  /** How long to wait before that. */
  retry_after_sec?: number | undefined;
  /** Names this request in the logs of the service. */
  request_id: string;
  /** True when part of the answer was already sent. */
  partial: boolean;
};

/** A line of the CSV of events; what is absent is an empty cell. */
export type EventColumns = {
  /** The event row: a TypeID with the prefix evt. */
  id: string;
  /** When it happened, in UTC with milliseconds; rows are ordered and filtered by it, then by id. */
  at: string;
  /** The kind of the row, which says what its data has. */
  type: EventType;
  /** Whom the row is about; absent where consent does not allow to tell. */
  visitor_id?: string | undefined;
  /** The conversation it happened in; absent where there is none, and where it may not be told. */
  conversation_id?: string | undefined;
  /** The fields of the row as the JSON text of an object. */
  data: string;
};

/** What kind of thing an event row is about. */
export type EventType = 'boot' | 'consent' | 'turn' | 'citation' | 'action' | 'action_outcome' | 'feedback' | 'voice' | 'rate_limited';

/** An action that a finished answer proposed. */
export type ExportedAction = {
  /** The event row: a TypeID with the prefix evt. */
  id: string;
  /** When it happened, in UTC with milliseconds; rows are ordered and filtered by it, then by id. */
  at: string;
  /** The kind of this row, which says what its data has. */
  type: 'action';
  /** Whom the row is about; absent where consent does not allow to tell. */
  visitor_id?: string | undefined;
  /** The conversation it happened in; absent where there is none, and where it may not be told. */
  conversation_id?: string | undefined;
  /** What there is to know of it, as flat fields. */
  data: ExportedActionData;
};

/** The fields of a row of the type action. */
export type ExportedActionData = {
  /** The answer it belongs to; only in rows that name their visitor. */
  message_id?: string | undefined;
  /** The proposal, by its name within its message. */
  action_id: string;
  /** What was proposed to the page. */
  kind: ActionKind;
  /** True when the visitor had to agree first. */
  requires_confirmation: boolean;
};

/** What a page reported of an action; the row comes when it is reported. */
export type ExportedActionOutcome = {
  /** The event row: a TypeID with the prefix evt. */
  id: string;
  /** When it happened, in UTC with milliseconds; rows are ordered and filtered by it, then by id. */
  at: string;
  /** The kind of this row, which says what its data has. */
  type: 'action_outcome';
  /** Whom the row is about; absent where consent does not allow to tell. */
  visitor_id?: string | undefined;
  /** The conversation it happened in; absent where there is none, and where it may not be told. */
  conversation_id?: string | undefined;
  /** What there is to know of it, as flat fields. */
  data: ExportedActionOutcomeData;
};

/** The fields of a row of the type action_outcome. */
export type ExportedActionOutcomeData = {
  /** The proposal, by its name within its message. */
  action_id: string;
  /** What became of it on the page. */
  outcome: OutcomeKind;
};

/** A page on which the guide started; bots leave no row. */
export type ExportedBoot = {
  /** The event row: a TypeID with the prefix evt. */
  id: string;
  /** When it happened, in UTC with milliseconds; rows are ordered and filtered by it, then by id. */
  at: string;
  /** The kind of this row, which says what its data has. */
  type: 'boot';
  /** Whom the row is about; absent where consent does not allow to tell. */
  visitor_id?: string | undefined;
  /** The conversation it happened in; absent where there is none, and where it may not be told. */
  conversation_id?: string | undefined;
  /** What there is to know of it, as flat fields. */
  data: ExportedBootData;
};

/** The fields of a row of the type boot. */
export type ExportedBootData = {
  /** The path of the page, without query and fragment. */
  path: string;
  /** ISO 3166-2 code of a region, else its country, else ZZ. */
  region_code: string;
  /** The consent mode that the visitor was in. */
  mode: ConsentMode;
  /** The language of the texts that were shown. */
  locale: string;
  /** True when the visitor had been here before. */
  returning: boolean;
};

/** A source of a finished answer. */
export type ExportedCitationEvent = {
  /** The event row: a TypeID with the prefix evt. */
  id: string;
  /** When it happened, in UTC with milliseconds; rows are ordered and filtered by it, then by id. */
  at: string;
  /** The kind of this row, which says what its data has. */
  type: 'citation';
  /** Whom the row is about; absent where consent does not allow to tell. */
  visitor_id?: string | undefined;
  /** The conversation it happened in; absent where there is none, and where it may not be told. */
  conversation_id?: string | undefined;
  /** What there is to know of it, as flat fields. */
  data: ExportedCitationEventData;
};

/** The fields of a row of the type citation. */
export type ExportedCitationEventData = {
  /** The answer it belongs to; only in rows that name their visitor. */
  message_id?: string | undefined;
  /** A knowledge article: a TypeID with the prefix art. */
  article_id: string;
  /** The published revision that was cited. */
  revision: number;
  /** The language that the visitor asked for. */
  requested_locale: string;
  /** The language that the cited text is in. */
  content_locale: string;
  /** Why the languages differ: base_language or source_article; null when they do not. */
  fallback_reason: string | null;
  /** True when the article had changed after this translation was made. */
  stale: boolean;
};

/** A consent decision of a visitor who may be counted. Refusals leave no event row. */
export type ExportedConsent = {
  /** The event row: a TypeID with the prefix evt. */
  id: string;
  /** When it happened, in UTC with milliseconds; rows are ordered and filtered by it, then by id. */
  at: string;
  /** The kind of this row, which says what its data has. */
  type: 'consent';
  /** Whom the row is about; absent where consent does not allow to tell. */
  visitor_id?: string | undefined;
  /** The conversation it happened in; absent where there is none, and where it may not be told. */
  conversation_id?: string | undefined;
  /** What there is to know of it, as flat fields. */
  data: ExportedConsentData;
};

/** The fields of a row of the type consent. */
export type ExportedConsentData = {
  /** What the visitor, or the browser, decided. */
  decision: VisitorDecision;
  /** The consent mode that it answered. */
  mode: ConsentMode;
  /** Why that mode applied. */
  reason: ConsentReason;
  /** ISO 3166-2 code of a region, else its country, else ZZ. */
  region_code: string;
};

/** A conversation that may be kept, as it was when the row was read. */
export type ExportedConversation = {
  /** A conversation, named by the client or by the service; 1 to 128 letters, digits or any of `_.:-`. */
  id: string;
  /** When it began, or when its visitor allowed it to be kept if that was later; rows are ordered and filtered by it. */
  at: string;
  /** A visitor of one workspace: a TypeID with the prefix vis. */
  visitor_id: string;
  /** When its first question was asked. */
  started_at: string;
  /** When its newest question was asked. */
  last_at: string;
  /** How many questions were asked in it. */
  turns: number;
  /** The language that its first question was asked in. */
  locale: string;
  /** What the visitor asked first. */
  first_message: string;
  /** True when every question got an answer: reason stop or length. */
  answered: boolean;
  /** The newest rating of one of its answers; absent while there is none. */
  rating?: FeedbackRating | undefined;
};

/** A page of conversations, oldest first. */
export type ExportedConversationPage = {
  /** The conversations of this page, in the order of their `at`. */
  data: ExportedConversation[];
  /** The place behind the last row, also on the last page; null where the page has no rows. */
  next_cursor: string | null;
  /** True when there are more rows at this moment. */
  has_more: boolean;
};

/** An event row of the workspace, told apart by its type. */
export type ExportedEvent = ExportedBoot | ExportedConsent | ExportedTurnEvent | ExportedCitationEvent | ExportedAction | ExportedActionOutcome | ExportedFeedback | ExportedVoiceUse | ExportedLimitHit;

/** A page of events, oldest first. */
export type ExportedEventPage = {
  /** The events of this page, in the order of their `at`. */
  data: ExportedEvent[];
  /** The place behind the last row, also on the last page; null where the page has no rows. */
  next_cursor: string | null;
  /** True when there are more rows at this moment. */
  has_more: boolean;
};

/** A rating of an answer; one that is changed later leaves one more row. */
export type ExportedFeedback = {
  /** The event row: a TypeID with the prefix evt. */
  id: string;
  /** When it happened, in UTC with milliseconds; rows are ordered and filtered by it, then by id. */
  at: string;
  /** The kind of this row, which says what its data has. */
  type: 'feedback';
  /** Whom the row is about; absent where consent does not allow to tell. */
  visitor_id?: string | undefined;
  /** The conversation it happened in; absent where there is none, and where it may not be told. */
  conversation_id?: string | undefined;
  /** What there is to know of it, as flat fields. */
  data: ExportedFeedbackData;
};

/** The fields of a row of the type feedback. */
export type ExportedFeedbackData = {
  /** The answer it belongs to; only in rows that name their visitor. */
  message_id?: string | undefined;
  /** Whether the answer helped. */
  rating: FeedbackRating;
};

/** Refused requests: one row for each limit, visitor and minute, which never names anybody. */
export type ExportedLimitHit = {
  /** The event row: a TypeID with the prefix evt. */
  id: string;
  /** When it happened, in UTC with milliseconds; rows are ordered and filtered by it, then by id. */
  at: string;
  /** The kind of this row, which says what its data has. */
  type: 'rate_limited';
  /** Whom the row is about; absent where consent does not allow to tell. */
  visitor_id?: string | undefined;
  /** The conversation it happened in; absent where there is none, and where it may not be told. */
  conversation_id?: string | undefined;
  /** What there is to know of it, as flat fields. */
  data: ExportedLimitHitData;
};

/** The fields of a row of the type rate_limited. */
export type ExportedLimitHitData = {
  /** The limit that was hit, by its published name. */
  bucket: string;
};

/** A source of an answer, with the words that were cited. */
export type ExportedSource = {
  /** A knowledge article: a TypeID with the prefix art. */
  article_id: string;
  /** The translation that was cited; absent for the source article. */
  translation_id?: string | undefined;
  /** The published revision that the quote stands in. */
  revision: number;
  /** The title of the cited text, in its own language. */
  title: string;
  /** Where the article can be read, when its owner gave an address. */
  url?: string | undefined;
  /** The cited words, verbatim from that revision. */
  quote: string;
  /** The language that the visitor asked for. */
  requested_locale: string;
  /** The language that the cited text is in. */
  content_locale: string;
  /** Why content_locale differs; absent when it does not. */
  fallback_reason?: FallbackReason | undefined;
  /** True when the article had changed after this translation was made. */
  stale: boolean;
};

/** A question and its finished answer: one turn, one row. */
export type ExportedTranscript = {
  /** The answer: a TypeID with the prefix msg. It names the row. */
  message_id: string;
  /** When the answer ended, or when its visitor allowed it to be kept if that was later; rows are ordered and filtered by it. */
  at: string;
  /** A conversation, named by the client or by the service; 1 to 128 letters, digits or any of `_.:-`. */
  conversation_id: string;
  /** A visitor of one workspace: a TypeID with the prefix vis. */
  visitor_id: string;
  /** The index of the turn in its conversation, as the visitor sent it. */
  turn_idx: number;
  /** When the visitor asked. */
  asked_at: string;
  /** When the answer ended. */
  finished_at: string;
  /** The language that the visitor asked for. */
  locale: string;
  /** What the visitor asked in this turn. */
  message: string;
  /** What the guide answered; what there was of it when it broke off. */
  answer: string;
  /** How the answer ended: complete, interrupted or failed. */
  state: TurnState;
  /** Why a complete answer ended; absent when it failed. */
  finish_reason?: FinishReason | undefined;
  /** The sources of the answer, in their order. */
  citations: ExportedSource[];
  /** How the visitor rated the answer by the time the row was read; absent when not at all. */
  rating?: FeedbackRating | undefined;
  /** What the visitor added to the rating. */
  comment?: string | undefined;
};

/** A page of transcripts, oldest first. */
export type ExportedTranscriptPage = {
  /** The transcripts of this page, in the order of their `at`. */
  data: ExportedTranscript[];
  /** The place behind the last row, also on the last page; null where the page has no rows. */
  next_cursor: string | null;
  /** True when there are more rows at this moment. */
  has_more: boolean;
};

/** An answer that was finished. */
export type ExportedTurnEvent = {
  /** The event row: a TypeID with the prefix evt. */
  id: string;
  /** When it happened, in UTC with milliseconds; rows are ordered and filtered by it, then by id. */
  at: string;
  /** The kind of this row, which says what its data has. */
  type: 'turn';
  /** Whom the row is about; absent where consent does not allow to tell. */
  visitor_id?: string | undefined;
  /** The conversation it happened in; absent where there is none, and where it may not be told. */
  conversation_id?: string | undefined;
  /** What there is to know of it, as flat fields. */
  data: ExportedTurnEventData;
};

/** The fields of a row of the type turn. */
export type ExportedTurnEventData = {
  /** The answer it belongs to; only in rows that name their visitor. */
  message_id?: string | undefined;
  /** The index of the turn in its conversation. */
  turn_idx: number;
  /** True when the conversation began with it. */
  first: boolean;
  /** Why the answer ended. */
  finish_reason: FinishReason;
  /** True when the reason is stop or length. */
  answered: boolean;
  /** How well the sources fit the question, from 0 to 1. */
  answer_confidence: number;
  /** The language that the visitor asked for. */
  requested_locale: string;
  /** The language of the first source; null without a source. */
  content_locale: string | null;
  /** How many sources the answer cites. */
  citations: number;
  /** How many actions the answer proposes. */
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
  /** When it happened, in UTC with milliseconds; rows are ordered and filtered by it, then by id. */
  at: string;
  /** The kind of this row, which says what its data has. */
  type: 'voice';
  /** Whom the row is about; absent where consent does not allow to tell. */
  visitor_id?: string | undefined;
  /** The conversation it happened in; absent where there is none, and where it may not be told. */
  conversation_id?: string | undefined;
  /** What there is to know of it, as flat fields. */
  data: ExportedVoiceUseData;
};

/** The fields of a row of the type voice. */
export type ExportedVoiceUseData = {
  kind: VoiceKind;
  /** Who listened or spoke. */
  provider: string;
  /** Seconds of audio that were charged; 0 for what failed. */
  seconds: number;
  outcome: VoiceOutcome;
};

/** Citations in another language than the one asked for. */
export type FallbackCount = {
  /** Why a cited text was not in the language that was asked for. */
  reason: string;
  /** How many citations fell back for this reason. */
  count: number;
};

/** Why the content is in another locale than the requested one; absent when it is the same. */
export type FallbackReason = 'base_language' | 'source_article';

/** Ratings as they were given, a changed one once more. */
export type FeedbackFigures = {
  /** Ratings that say an answer helped. */
  up: number;
  /** Ratings that say it did not. */
  down: number;
};

/** Whether an answer helped: up when it did. */
export type FeedbackRating = 'up' | 'down';

/** The rating is stored. */
export type FeedbackReply = {
  /** True: the rating is stored. */
  ok: boolean;
};

/** A rating of one answer; a later one replaces it. */
export type FeedbackRequest = {
  /** The answer that is rated; must be one of this visitor. */
  message_id: string;
  /** Whether the answer helped. */
  rating: FeedbackRating;
  /** What the visitor adds to it. */
  comment?: string | undefined;
};

/** Why the answer ended; no_knowledge means that nothing published fits the question. */
export type FinishReason = 'stop' | 'length' | 'refusal' | 'no_knowledge' | 'cancelled';

/** Whether the browser of the visitor sends a Global Privacy Control signal. */
export type GpcGiven = 'true' | 'false';

/** What became of the Global Privacy Control signal of this visitor. */
export type GpcState = {
  /** True when the browser sent a Global Privacy Control signal. */
  received: boolean;
  /** True when that signal was processed as an opt-out; show it to the visitor. */
  honored: boolean;
};

/** How the guide looks on the pages of a workspace. */
export type GuideBranding = {
  /** What the panel is headed with; absent: words of the service in the language of the visitor. */
  title?: string | undefined;
  /** The colour of the launcher and of buttons, as #rrggbb; absent: the service's own. */
  color?: string | undefined;
  /** At which side of the page the launcher is. */
  launcher: LauncherSide;
};

/** What to change about the looks; the rest stays. */
export type GuideBrandingChange = {
  /** What the panel is headed with; null for the words of the service. */
  title?: string | null | undefined;
  /** The colour of the launcher and of buttons, as #rrggbb; null for the service's own. */
  color?: string | null | undefined;
  launcher?: LauncherSide | undefined;
};

/** The resolved configuration of the workspace. */
export type GuideConfig = {
  /** The workspace that is being served. */
  workspace_id: string;
  /** The name of the workspace, to be shown to visitors. */
  name: string;
  /** The language that the source articles are written in. */
  source_locale: string;
  /** Every language that has published knowledge, source included. */
  locales: string[];
  /** The language that this visitor will mostly be answered in. */
  content_locale: string;
  /** Questions to offer before the first message. */
  suggestions: string[];
  /** The longest message that /chat takes, in characters. */
  message_chars_max: number;
  consent: ConsentSettings;
  branding: GuideBranding;
};

/** Runtime feature flags for this visitor. */
export type GuideFeatures = {
  /** The guide answers messages of this visitor. */
  chat: boolean;
  /** The guide may propose actions on the page. */
  page_actions: boolean;
  /** A viewport screenshot is welcome from this visitor. */
  screenshot: boolean;
  /** Answers can be rated up or down. */
  feedback: boolean;
  /** Speech endpoints are available. */
  voice: boolean;
  /** The visitor id may be stored on the device at this moment. */
  persist_visitor: boolean;
};

/** Where the guide was seen, and where it was refused. */
export type Installation = {
  /** The allowed origins, in the order of the settings. */
  origins: InstalledOrigin[];
  /** Origins that asked in vain, newest first. Anybody can send such a request, so look before you allow one. Forgotten when the server restarts, or when the origin is allowed. */
  refused: RefusedOrigin[];
};

/** An allowed origin, and whether the guide was seen on it. */
export type InstalledOrigin = {
  /** An allowed origin as the settings have it, patterns included. */
  origin: string;
  /** The origin that the guide booted on last; below a pattern, the newest one of those. */
  seenOrigin?: string | undefined;
  /** When the guide booted there last, within a minute; absent: it was never seen there. */
  lastSeenAt?: string | undefined;
};

/** An open invitation to the workspace, without its link. */
export type Invitation = {
  /** An invitation to the workspace: a TypeID with the prefix inv. */
  id: string;
  /** The address that is invited, in lower case. */
  email: string;
  role: MemberRole;
  /** The id of the member who did it, or `operator` for what came from the command line. */
  invitedBy: string;
  /** When the invitation was made. */
  createdAt: string;
  /** When its link stops working. */
  expiresAt: string;
};

/** Whose link somebody accepts, with a password. */
export type InvitationAcceptance = {
  /** What follows #token= in the link of the invitation. */
  token: string;
  /** The password of the account; where there is none yet, the one to choose for it. */
  password: string;
};

/** A new invitation with its link, which is shown this once. */
export type InvitationCreated = {
  /** An invitation to the workspace: a TypeID with the prefix inv. */
  id: string;
  /** The address that is invited, in lower case. */
  email: string;
  role: MemberRole;
  /** The id of the member who did it, or `operator` for what came from the command line. */
  invitedBy: string;
  /** When the invitation was made. */
  createdAt: string;
  /** When its link stops working. */
  expiresAt: string;
  /** The address to hand to the invited person; it works once. It is shown here and never again. */
  link: string;
};

/** An invitation link that still works. */
export type InvitationLink = {
  /** The name of the workspace. */
  workspaceName: string;
  /** The invited email address, in lower case. */
  email: string;
  role: MemberRole;
  /** When the link stops working. */
  expiresAt: string;
};

/** A page of a list: open invitations of the workspace, newest first. */
export type InvitationPage = {
  /** The rows of this page: open invitations of the workspace, newest first. */
  data: Invitation[];
  /** Send it as `cursor` for the next page; absent on the last one. */
  nextCursor?: string | undefined;
};

/** Whose link somebody has followed. */
export type InvitationReading = {
  /** What follows #token= in the link of the invitation. */
  token: string;
};

/** What an invitation is for, as its holder sees it. */
export type InvitationView = {
  /** The name of the workspace. */
  workspaceName: string;
  /** The invited email address, in lower case. */
  email: string;
  role: MemberRole;
  /** When the link stops working. */
  expiresAt: string;
  /** True: accept with the password of the account. False: accept with a new password. */
  hasAccount: boolean;
};

/** Which languages the knowledge of a workspace is there in. */
export type KnowledgeCoverage = {
  /** How many articles there are. */
  articles: number;
  /** How many of them are published. */
  published: number;
  /** Every language that something is written in: the most frequent first. */
  locales: LocaleCoverage[];
};

/** An article in the variant that this visitor would be served. */
export type KnowledgeHit = {
  /** A knowledge article: a TypeID with the prefix art. */
  articleId: string;
  /** The name of the article in imports and exports, the same for as long as it lives: letters of any script, digits and any of `._~/-`. */
  slug: string;
  /** The translation that is shown; absent for the article itself. */
  translationId?: string | undefined;
  /** The title; one line of text, not empty. */
  title: string;
  /** What of the answer meets the question best, as plain text. */
  snippet: string;
  /** The address that visitors can read this at; absent where there is none. */
  url?: string | undefined;
  /** How well it meets the question, from 0 to 1. */
  score: number;
  /** The locale that was asked for; `und` where none was. */
  requestedLocale: string;
  /** The locale of the text that is shown. */
  contentLocale: string;
  /** Why the text is in another locale than the requested one; absent when it is not. */
  fallbackReason?: FallbackReason | undefined;
};

/** What a visitor who asks this would be served. */
export type KnowledgeSearch = {
  /** What was found, best first. */
  data: KnowledgeHit[];
  /** Whether the guide would answer from the first of these. */
  found: boolean;
  /** How likely the first of these answers the question, from 0 to 1. */
  confidence: number;
};

/** Milliseconds from the question to the first text: exact up to 100, within 1 % above. */
export type LatencyFigures = {
  /** Half of the answers began within this many milliseconds. */
  p50: number;
  /** Nine of ten answers began within this many milliseconds. */
  p90: number;
  /** 99 of 100 answers began within this many milliseconds. */
  p99: number;
};

/** Where a line of text begins or where it ends: left or right, and mirrored in right-to-left text. */
export type LauncherSide = 'start' | 'end';

/** How often a rate limit was hit. */
export type LimitHits = {
  /** The limit, by the name that it is published under. */
  bucket: string;
  /** How many rows there are about it. */
  count: number;
};

/** How far the articles of a workspace are in one language. */
export type LocaleCoverage = {
  /** A language tag in canonical BCP 47 form, such as de or pt-BR. */
  locale: string;
  /** Articles that visitors get in this language, up to date. */
  live: number;
  /** Articles that visitors get in this language as it was before the article changed. */
  stale: number;
  /** Working copies that are drafts, whatever is live beside them. */
  draft: number;
  /** Working copies that wait for a reviewer. */
  inReview: number;
  /** Working copies that wait for changes. */
  changesRequested: number;
  /** Working copies that wait to be published. */
  approved: number;
  /** Translations that were archived. */
  archived: number;
  /** Published articles without anything in this language, or with something archived. */
  missing: number;
};

/** Somebody who belongs to the workspace. */
export type Member = {
  /** A member of one workspace: a TypeID with the prefix mem. */
  id: string;
  /** The email address of a person; upper and lower case are the same. */
  email: string;
  role: MemberRole;
  /** When the member joined the workspace. */
  createdAt: string;
  /** Whether this is the member who asks. */
  self: boolean;
};

/** The role that a member is to have. */
export type MemberChange = {
  role: MemberRole;
};

/** A page of a list: members of the workspace, oldest first. */
export type MemberPage = {
  /** The rows of this page: members of the workspace, oldest first. */
  data: Member[];
  /** Send it as `cursor` for the next page; absent on the last one. */
  nextCursor?: string | undefined;
};

/** What somebody may do in a workspace: a member reads, an admin changes, an owner owns it too. */
export type MemberRole = 'owner' | 'admin' | 'member';

/** The last event of an answer that is complete and stored. */
export type MessageEndEvent = {
  /** Which kind of event it is; the same as the event of its frame. */
  type: 'message_end';
  /** The position of this event in its stream, from zero, without gaps. */
  seq: number;
  finish_reason: FinishReason;
  /** How well the sources fit the question, from 0 to 1. */
  answer_confidence: number;
  usage: TokenUsage;
  /** The length of the whole answer in Unicode code points. */
  text_length: number;
  /** How many citations this message has. */
  citation_count: number;
  /** The index to send with the next turn. */
  next_turn_idx: number;
};

/** The first event: which conversation, turn and message this stream is. */
export type MessageStartEvent = {
  /** Which kind of event it is; the same as the event of its frame. */
  type: 'message_start';
  /** The position of this event in its stream, from zero, without gaps. */
  seq: number;
  /** The name and version of this event vocabulary. */
  protocol: 'guidepost.chat.1';
  /** The conversation that this turn belongs to; send it with the next turn. */
  conversation_id: string;
  /** True when the service put another id in place of the one that was sent. */
  conversation_rotated: boolean;
  /** The id that was sent, when it was rotated. */
  previous_conversation_id?: string | undefined;
  /** The index of this turn in the effective conversation. */
  turn_idx: number;
  /** One answer of the guide: a TypeID with the prefix msg. */
  message_id: string;
  /** The language that the visitor asked for, from Accept-Language. */
  requested_locale: string;
  /** A machine-readable mark: the text of this message is made by a machine. */
  ai_generated: boolean;
};

/** What an API key is for and what it may read. */
export type NewApiKey = {
  /** What the key is for, in the words of its maker. */
  name: string;
  /** What the key may read: one scope or both. */
  scopes: ApiKeyScope[];
};

/** An article to create as a draft. */
export type NewArticle = {
  /** The title; one line of text, not empty. */
  title: string;
  /** The text that the guide answers from; Markdown or plain, not empty. */
  answer: string;
  /** Other words to be found by; none when absent. */
  aliases?: string[] | undefined;
  /** The http or https address that visitors can read this at; none when absent. */
  url?: string | undefined;
  /** The name of the article in imports and exports; made of the title when absent. */
  slug?: string | undefined;
  /** The language that it is written in, a BCP 47 tag; the workspace's source locale when absent. */
  locale?: string | undefined;
};

/** Whom to invite, and as what. */
export type NewInvitation = {
  /** The address of the person to invite; upper and lower case are the same. */
  email: string;
  role: MemberRole;
};

/** A translation to create as a draft. */
export type NewTranslation = {
  /** The language of the translation: a BCP 47 tag without extensions, other than the article's own. It is kept in canonical form. */
  locale: string;
  /** The title; one line of text, not empty. */
  title: string;
  /** The text that the guide answers from; Markdown or plain, not empty. */
  answer: string;
  /** Words of this language to be found by, besides title and answer; none when absent. */
  searchAliases?: string[] | undefined;
  /** The revision of the article that was translated; when it is no longer current, nothing is done. */
  baseRevision?: number | undefined;
};

/** What the service did with what it was sent. */
export type NoticeCode = 'screenshot_dropped' | 'targets_dropped' | 'capture_cut' | 'action_dropped' | 'llm_unavailable' | 'llm_budget_spent';

/** Something the client may want to know; the turn goes on. */
export type NoticeEvent = {
  /** Which kind of event it is; the same as the event of its frame. */
  type: 'notice';
  /** The position of this event in its stream, from zero, without gaps. */
  seq: number;
  /** How much the notice matters. */
  level: NoticeLevel;
  code: NoticeCode;
  /** The same as a sentence for people. */
  text: string;
};

/** How much a notice matters to the client. */
export type NoticeLevel = 'info' | 'warning';

/** It is done, and there is nothing more to say about it. */
export type OkReply = {
  /** True: what was asked for is done. */
  ok: boolean;
};

/** What became of a proposed action on the page. */
export type OutcomeKind = 'done' | 'declined' | 'target_missing' | 'failed';

/** Where a decision that the visitor did not click came from. */
export type OverrideSource = 'runtime' | 'gpc' | 'region_override';

/** The password as it is, and as it shall be. */
export type PasswordChangeRequest = {
  /** The password of the person, exactly as it was chosen. */
  currentPassword: string;
  /** The password to have from now on: 15 to 256 characters that nobody would guess. */
  newPassword: string;
};

/** The password of the person who is signed in, once more. */
export type PasswordConfirmation = {
  /** The password of the person, exactly as it was chosen. */
  password: string;
};

/** What a visitor would be answered, and why. */
export type Preview = {
  /** What was asked to answer: `extractive` quotes articles, `llm` writes with a language model. */
  engine: string;
  /** The language that the visitor wants, as the guide understood it. */
  requestedLocale: string;
  /** The language of the text that the answer stands on; absent where nothing is cited. */
  contentLocale?: string | undefined;
  /** Why that text is in another language than requested; absent when it is not. */
  fallbackReason?: FallbackReason | undefined;
  /** What the visitor would read. */
  answer: string;
  finishReason: FinishReason;
  /** How sure the guide is of its answer, from 0 to 1. */
  confidence: number;
  /** The sources of the answer, in their order. */
  citations: TenantCitation[];
  /** The next steps that the visitor would be offered. */
  suggestions: PreviewSuggestion[];
  /** What else the visitor would be told. */
  notices: PreviewNotice[];
  usage: PreviewUsage;
  /** What was found, and whether it was enough to answer from. */
  findings: PreviewFindings;
  /** Texts whose titles or other words meet the question and that visitors do not get, the best first. */
  unpublished: UnpublishedMatch[];
  /** What this visitor would be told and asked. */
  consent: PreviewConsent;
};

/** What this visitor would be told and asked before anything else. */
export type PreviewConsent = {
  /** Names the policy that the directive follows. */
  policyVersion: string;
  /** How consent works for this visitor. */
  directive: RegionDirective;
  /** What the visitor is told before the first message. */
  disclosure: AiDisclosure;
  /** The consent prompt, where the visitor is asked. */
  copy: DirectiveCopy;
};

/** What was found for the question, and whether it is enough. */
export type PreviewFindings = {
  /** Whether the guide may answer from articles: the confidence reaches the threshold. */
  found: boolean;
  /** How likely the first passage answers the question, from 0 to 1. */
  confidence: number;
  /** The confidence from which on the guide answers instead of saying that it knows nothing. */
  threshold: number;
  /** What was considered, best first; the first five reach the engine. */
  passages: PreviewPassage[];
};

/** Something that the visitor would be told beside the answer. */
export type PreviewNotice = {
  /** What the notice is about, such as llm_unavailable. */
  code: string;
  /** The notice as a sentence in English. */
  text: string;
};

/** What was considered for the answer, and how well it fits. */
export type PreviewPassage = {
  /** A knowledge article: a TypeID with the prefix art. */
  articleId: string;
  /** The name of the article in imports and exports, the same for as long as it lives: letters of any script, digits and any of `._~/-`. */
  slug: string;
  /** The translation that is shown; absent for the article itself. */
  translationId?: string | undefined;
  /** The title; one line of text, not empty. */
  title: string;
  /** What of the answer meets the question best, as plain text. */
  snippet: string;
  /** The address that visitors can read this at; absent where there is none. */
  url?: string | undefined;
  /** How well it meets the question, from 0 to 1. */
  score: number;
  /** The locale that was asked for; `und` where none was. */
  requestedLocale: string;
  /** The locale of the text that is shown. */
  contentLocale: string;
  /** Why the text is in another locale than the requested one; absent when it is not. */
  fallbackReason?: FallbackReason | undefined;
  /** The published revision that is shown. */
  revision: number;
  /** How likely it answers the question, from 0 to 1. */
  confidence: number;
  /** True when the article changed after this translation was made. */
  stale: boolean;
  /** True when the answer cites it. */
  cited: boolean;
};

/** A question, and who would ask it. */
export type PreviewQuestion = {
  /** What the visitor asks; not empty. */
  message: string;
  /** The language that the visitor prefers, a BCP 47 tag; none when it is absent. */
  locale?: string | undefined;
  /** Where the visitor is: ISO 3166-2 or a country; unknown when it is absent. */
  region?: string | undefined;
  /** Whether the browser of the visitor sends a Global Privacy Control signal. */
  gpc?: boolean | undefined;
};

/** A next step that the visitor would be offered. */
export type PreviewSuggestion = {
  /** What the visitor would see. */
  title: string;
  /** What the visitor would ask with it. */
  message: string;
};

/** What the answer cost, where answers cost tokens. */
export type PreviewUsage = {
  /** Tokens that were read; they count for the month of the workspace. */
  inputTokens: number;
  /** Tokens that were written; they count for the month of the workspace. */
  outputTokens: number;
};

/** Whether the service may do it for this visitor at the moment. */
export type PurposeState = 'granted' | 'denied';

/** A form with one file in it, and nothing else. */
export type Recording = {
  /** The recording; it is judged by its bytes, not by the name or type that it comes with. */
  audio: Blob;
};

/** A page with the script tag that is not on an allowed origin. */
export type RefusedOrigin = {
  /** The origin of a page that asked for this workspace and is not allowed. */
  origin: string;
  /** When a page there asked last. */
  lastAskedAt: string;
  /** How often it has asked since the server started. */
  count: number;
};

/** How consent works for a visitor of a region who decided nothing yet. */
export type RegionDirective = {
  /** ISO 3166-2 code of a region, else its country, else ZZ. */
  region: string;
  known: RegionKnown;
  /** What the region table says, before the settings of the workspace. */
  rule: ConsentMode;
  /** The law or practice that the rule rests on; absent where no rule names the region. */
  basis?: string | undefined;
  /** How consent works for these visitors: the strictest of all that is said. */
  mode: ConsentMode;
  /** What decided the mode. */
  reason: ConsentReason;
  /** Whether the visitor is asked for a decision. */
  ask: boolean;
  /** What the service may do before the visitor has decided anything. */
  purposes: ConsentPurposes;
  gpc: GpcState;
};

/** Whether the region table names the region, does not, or nobody knows where the visitor is. */
export type RegionKnown = 'listed' | 'unlisted' | 'unknown';

/** The region that the client believes to be in; it can only make consent stricter. */
export type RegionOverride = {
  /** ISO 3166-1 alpha-2 code of a country, or ZZ when it is unknown. */
  country_code?: string | undefined;
  /** ISO 3166-2 code of a region, else its country, else ZZ. */
  region_code?: string | undefined;
};

/** How strict a workspace is at least in one region; it can only make consent stricter. */
export type RegionStrictness = {
  /** ISO 3166-2 code of a region, or a country with all of its regions. */
  region: string;
  /** How strict consent is at least for visitors who are there. */
  strictness: ConsentMode;
};

/** Why text that was already sent is taken back. */
export type ReplaceReason = 'moderation' | 'retry';

/** One thing that is wrong with a request, and where. */
export type RequestProblem = {
  /** Where the problem is, as a dotted path from the body, query, path or header named first. */
  path: string;
  /** A stable name for the kind of problem, such as `unrecognized_keys`. */
  code: string;
  /** A sentence that says what was expected at this place. */
  message: string;
};

/** What a reviewer says of the text: it may be published, or it has to change first. */
export type ReviewDecision = 'approve' | 'request_changes';

/** How far the page is scrolled (interface document, section 2.6). */
export type ScrollPosition = {
  /** A length or position in CSS pixels. */
  x: number;
  /** A length or position in CSS pixels. */
  y: number;
};

/** A workspace that the person belongs to, and as what. */
export type SessionMembership = {
  /** A workspace, "tenant" in addresses: a TypeID with the prefix ws. */
  tenantId: string;
  /** The app id from the install script, prefixed gp_ (interface document, section 2.2). */
  appId: string;
  /** The name of the workspace, as its owners wrote it. */
  name: string;
  /** A member of one workspace: a TypeID with the prefix mem. */
  memberId: string;
  role: MemberRole;
};

/** A page of a list: where the person is signed in, newest first. */
export type SessionPage = {
  /** The rows of this page: where the person is signed in, newest first. */
  data: SignedInDevice[];
  /** Send it as `cursor` for the next page; absent on the last one. */
  nextCursor?: string | undefined;
};

/** Who is signed in, until when, and in which workspaces. */
export type SessionState = {
  /** A person who can sign in: a TypeID with the prefix usr. */
  userId: string;
  /** The email address of a person; upper and lower case are the same. */
  email: string;
  /** Somebody signed in on one device: a TypeID with the prefix ses. */
  sessionId: string;
  /** When this session began. */
  createdAt: string;
  /** When this session ends at the latest; it ends earlier when it is not used. */
  expiresAt: string;
  /** Until when the password counts as given just now, as some routes ask for; it may lie in the past. */
  freshUntil: string;
  /** The workspaces that the person belongs to, oldest membership first. */
  memberships: SessionMembership[];
};

/** The first owner, and the first workspace. */
export type SetUpRequest = {
  /** What stands behind #token= in the set-up address that the service prints at its start. */
  token: string;
  /** The address that the first owner signs in with. */
  email: string;
  /** The password to have from now on: 15 to 256 characters that nobody would guess. */
  password: string;
  /** What visitors and members see; white space is tidied. */
  workspaceName: string;
  /** The origins that the guide may be embedded in. */
  allowedOrigins: string[];
  /** The language that articles are written in, a BCP 47 tag. */
  sourceLocale?: string | undefined;
};

/** A set-up link that still works. */
export type SetupLink = {
  /** When the link stops working. */
  expiresAt: string;
};

/** The address and the password of somebody who signs in. */
export type SignInRequest = {
  /** The email address of a person; upper and lower case are the same. */
  email: string;
  /** The password of the person, exactly as it was chosen. */
  password: string;
};

/** One session of the person: where they are signed in. */
export type SignedInDevice = {
  /** Somebody signed in on one device: a TypeID with the prefix ses. */
  id: string;
  /** The browser and the system in a few words, as the browser named them. */
  device: string;
  /** When this session began. */
  createdAt: string;
  /** When this session was used last, to the minute. */
  lastSeenAt: string;
  /** When this session ends at the latest; it ends earlier when it is not used. */
  expiresAt: string;
  /** True for the session that asks. */
  current: boolean;
};

/** Who speaks; `auto` takes the workspace's own choice, else the first of provider_c, provider_b and provider_a that answers. */
export type SpeechProvider = 'provider_a' | 'provider_b' | 'provider_c' | 'mock' | 'auto';

/** A text to speak (interface document, section 4.4). */
export type SpeechRequest = {
  /** What to say; at least one character that is no white space. */
  text: string;
  /** A voice of the provider; the workspace's own when absent. */
  voice_id?: string | undefined;
  /** Who shall speak; `auto` when absent. */
  provider?: SpeechProvider | undefined;
};

/** Whether a translation was made for other content of its article than it has now. */
export type StaleFilter = 'true' | 'false';

/** Progress while there is no text yet. */
export type StatusEvent = {
  /** Which kind of event it is; the same as the event of its frame. */
  type: 'status';
  /** The position of this event in its stream, from zero, without gaps. */
  seq: number;
  /** What the service is doing at this moment. */
  phase: AnswerPhase;
};

/** A next step that the knowledge base can answer. */
export type Suggestion = {
  /** Names this suggestion within its message. */
  suggestion_id: string;
  /** What to write on the button of this suggestion. */
  title: string;
  /** The message to send when the visitor takes it. */
  message: string;
};

/** What the visitor could ask next. */
export type SuggestionsEvent = {
  /** Which kind of event it is; the same as the event of its frame. */
  type: 'suggestions';
  /** The position of this event in its stream, from zero, without gaps. */
  seq: number;
  /** The next steps, most fitting first. */
  items: Suggestion[];
};

/** A workspace with its settings. */
export type Tenant = {
  /** A workspace, "tenant" in addresses: a TypeID with the prefix ws. */
  id: string;
  /** The app id for the install script, prefixed gp_. */
  appId: string;
  /** What visitors and members see; white space is tidied. */
  name: string;
  /** Whether visitors are served at all; set on the command line. */
  enabled: boolean;
  /** The origins that the guide may be embedded in. */
  allowedOrigins: string[];
  /** The language that articles are written in, in canonical BCP 47 form. */
  sourceLocale: string;
  features: TenantFeatures;
  /** Whether the guide shows the service's mark. */
  showBranding: boolean;
  branding: GuideBranding;
  consentStrictness: ConsentStrictness;
  /** Regions in which the workspace is stricter than that, each named once. */
  consentStrictnessByRegion: RegionStrictness[];
  /** Questions to offer before the first message, in this order. */
  suggestions: string[];
  voice: TenantVoice;
  guide: TenantGuide;
  /** Counts every change of the settings, from 1. */
  version: number;
  /** When the workspace was created. */
  createdAt: string;
  /** When the settings were changed last. */
  updatedAt: string;
};

/** The settings to change, at least one; the rest stays. */
export type TenantChange = {
  /** What visitors and members see; white space is tidied. */
  name?: string | undefined;
  /** The origins that the guide may be embedded in; together they replace all earlier ones. */
  allowedOrigins?: string[] | undefined;
  /** The language that articles are written in, a BCP 47 tag. */
  sourceLocale?: string | undefined;
  features?: TenantFeaturesChange | undefined;
  /** Whether the guide shows the service's mark. */
  showBranding?: boolean | undefined;
  branding?: GuideBrandingChange | undefined;
  consentStrictness?: ConsentStrictness | undefined;
  /** Regions in which the workspace is stricter; together they replace all earlier ones. */
  consentStrictnessByRegion?: RegionStrictness[] | undefined;
  /** Questions to offer before the first message; together they replace all earlier ones. */
  suggestions?: string[] | undefined;
  voice?: TenantVoiceChange | undefined;
  guide?: TenantGuideChange | undefined;
};

/** A source of an answer, as a workspace reads it. */
export type TenantCitation = {
  /** A knowledge article: a TypeID with the prefix art. */
  articleId: string;
  /** The translation that was cited; absent for the source article. */
  translationId?: string | undefined;
  /** The published revision that the quote stands in. */
  revision: number;
  /** The title of the cited text, in its own language. */
  title: string;
  /** Where the article can be read, when its owner gave an address. */
  url?: string | undefined;
  /** The cited words, verbatim from that revision. */
  quote: string;
  /** The language that the visitor asked for. */
  requestedLocale: string;
  /** The language that the cited text is in. */
  contentLocale: string;
  /** Why contentLocale differs; absent when it does not. */
  fallbackReason?: FallbackReason | undefined;
  /** True when the article had changed after this translation was made. */
  stale: boolean;
};

/** A conversation, as the list of a workspace shows it. */
export type TenantConversation = {
  /** A conversation, named by the client or by the service; 1 to 128 letters, digits or any of `_.:-`. */
  id: string;
  /** A visitor of one workspace: a TypeID with the prefix vis. */
  visitorId: string;
  /** When its first question was asked. */
  startedAt: string;
  /** When its newest question was asked. */
  lastAt: string;
  /** How many questions were asked in it. */
  turns: number;
  /** The language that its first question was asked in. */
  locale: string;
  /** What the visitor asked first. */
  firstMessage: string;
  /** True when every question got an answer: reason stop or length. */
  answered: boolean;
  /** The newest rating of one of its answers; absent while there is none. */
  rating?: FeedbackRating | undefined;
};

/** A page of a list: conversations, newest first. */
export type TenantConversationPage = {
  /** The rows of this page: conversations, newest first. */
  data: TenantConversation[];
  /** Send it as `cursor` for the next page; absent on the last one. */
  nextCursor?: string | undefined;
};

/** What the guide may do in a workspace. */
export type TenantFeatures = {
  /** Whether the guide may propose actions on the page. */
  pageActions: boolean;
  /** Whether the guide may look at a screenshot of the page. */
  screenshot: boolean;
  /** Whether visitors may rate answers. */
  feedback: boolean;
};

/** The features to change; the rest stays. */
export type TenantFeaturesChange = {
  /** Whether the guide may propose actions on the page. */
  pageActions?: boolean | undefined;
  /** Whether the guide may look at a screenshot of the page. */
  screenshot?: boolean | undefined;
  /** Whether visitors may rate answers. */
  feedback?: boolean | undefined;
};

/** A rating of an answer, with what was asked. */
export type TenantFeedback = {
  /** One answer of the guide: a TypeID with the prefix msg. */
  messageId: string;
  /** A conversation, named by the client or by the service; 1 to 128 letters, digits or any of `_.:-`. */
  conversationId: string;
  rating: FeedbackRating;
  /** What the visitor added to the rating; absent when nothing. */
  comment?: string | undefined;
  /** When it was rated last. */
  at: string;
  /** What the visitor had asked. */
  question: string;
  /** The beginning of the answer that was rated. */
  answer: string;
  /** The language that the visitor asked for. */
  locale: string;
};

/** A page of a list: ratings, newest first. */
export type TenantFeedbackPage = {
  /** The rows of this page: ratings, newest first. */
  data: TenantFeedback[];
  /** Send it as `cursor` for the next page; absent on the last one. */
  nextCursor?: string | undefined;
};

/** How a language model answers in a workspace, where there is one. */
export type TenantGuide = {
  /** What the guide heeds in tone and scope; absent where nothing is asked of it. */
  instructions?: string | undefined;
  /** Whether a language model may answer what no article answers; else the guide says that it knows nothing. */
  generalAnswers: boolean;
  /** How many tokens a calendar month may hold; absent: as many as are needed. */
  monthlyTokensMax?: number | undefined;
  /** How many tokens one answer may cost, about; absent: as the operator has set. */
  turnTokensMax?: number | undefined;
};

/** What to change about the guide; the rest stays. */
export type TenantGuideChange = {
  /** What the guide heeds in tone and scope; null for nothing. */
  instructions?: string | null | undefined;
  /** Whether a language model may answer what no article answers; else the guide says that it knows nothing. */
  generalAnswers?: boolean | undefined;
  /** How many tokens a calendar month may hold; null for as many as are needed. */
  monthlyTokensMax?: number | null | undefined;
  /** How many tokens one answer may cost, about; null for what the operator has set. */
  turnTokensMax?: number | null | undefined;
};

/** Who speaks where a request names nobody: asked before all others, who stand in when it fails; `mock` is asked alone. */
export type TenantSpeechProvider = 'provider_a' | 'provider_b' | 'provider_c' | 'mock';

/** Who makes tokens where a request names nobody: asked before all others, who stand in when it fails; `mock` is asked alone. */
export type TenantTokenProvider = 'provider_a' | 'provider_b' | 'provider_b-batch' | 'mock';

/** How many tokens a workspace has used this month. */
export type TenantTokenUsage = {
  /** The calendar month that is counted, as year and month. */
  period: string;
  /** Tokens of a language model that the month has counted, with those set aside at the moment. */
  usedTokens: number;
  /** How many tokens the month may hold; absent: as many as are needed. */
  monthlyTokensMax?: number | undefined;
  /** When the month began, by the workspace's own time zone. */
  startsAt: string;
  /** When the month ends, by the workspace's own time zone. */
  endsAt: string;
};

/** Who transcribes recordings: asked before all others, who stand in when it fails. */
export type TenantTranscribeProvider = 'provider_a' | 'provider_b';

/** A conversation with everything that was said in it. */
export type TenantTranscript = {
  /** The conversation as the list shows it. */
  conversation: TenantConversation;
  /** Its turns, oldest first; the newest ones where there are more than fit. */
  turns: TenantTurn[];
};

/** A question of a visitor and its answer, as a workspace reads it. */
export type TenantTurn = {
  /** The index that the visitor sent with it. */
  turnIdx: number;
  /** One answer of the guide: a TypeID with the prefix msg. */
  messageId: string;
  /** What the visitor asked in this turn. */
  message: string;
  /** What the guide answered; what there was of it when it was interrupted. */
  answer: string;
  /** How far the answer got. */
  state: TurnState;
  /** Why the answer ended; absent while it runs and when it failed. */
  finishReason?: FinishReason | undefined;
  /** The language that the visitor asked for. */
  requestedLocale: string;
  /** The sources of the answer, in their order. */
  citations: TenantCitation[];
  /** When the visitor asked. */
  askedAt: string;
  /** When the answer ended; absent while it runs. */
  finishedAt?: string | undefined;
  /** How the visitor rated the answer; absent when not at all. */
  rating?: FeedbackRating | undefined;
  /** What the visitor added to the rating. */
  comment?: string | undefined;
};

/** What a workspace has used up this month. */
export type TenantUsage = {
  /** Speech, where voice is switched on. */
  voice: TenantVoiceUsage;
  /** A language model, where the operator has set one up. */
  tokens: TenantTokenUsage;
  /** What answers visitors: `extractive` quotes articles, `llm` writes with a language model. */
  engine: string;
};

/** Voice in a workspace, and how much of it. */
export type TenantVoice = {
  /** Whether visitors may speak and listen. */
  enabled: boolean;
  /** How many seconds of speech a calendar month of the workspace's time zone may hold. */
  monthlySecondsMax: number;
  /** The time zone that months are counted in, voice seconds and a language model's tokens alike; its IANA name. */
  timeZone: string;
  /** The voice that speaks when a request names none; absent: the provider's own. */
  voiceId?: string | undefined;
  /** Who is asked first for a token where a request names nobody; absent: the service's own order. */
  tokenProvider?: TenantTokenProvider | undefined;
  /** Who is asked first to transcribe a recording; absent: the service's own order. */
  transcribeProvider?: TenantTranscribeProvider | undefined;
  /** Who is asked first to speak where a request names nobody; absent: the service's own order. */
  speechProvider?: TenantSpeechProvider | undefined;
};

/** What to change about voice; the rest stays. */
export type TenantVoiceChange = {
  /** Whether visitors may speak and listen. */
  enabled?: boolean | undefined;
  /** How many seconds of speech a calendar month of the workspace's time zone may hold. */
  monthlySecondsMax?: number | undefined;
  /** The time zone that months are counted in, voice seconds and a language model's tokens alike; its IANA name. */
  timeZone?: string | undefined;
  /** The voice that speaks when a request names none; null for the provider's own. */
  voiceId?: string | null | undefined;
  /** Who is asked first for a token; `auto` for the service's own order. */
  tokenProvider?: VoiceTokenProvider | undefined;
  /** Who is asked first to transcribe a recording; `auto` for the service's own order. */
  transcribeProvider?: TranscribeProvider | undefined;
  /** Who is asked first to speak; `auto` for the service's own order. */
  speechProvider?: SpeechProvider | undefined;
};

/** How much of its voice cap a workspace has used this month. */
export type TenantVoiceUsage = {
  /** The calendar month that is counted, as year and month. */
  period: string;
  /** Seconds of speech that the month has counted, with those set aside at the moment. */
  usedSeconds: number;
  /** How many of these are set aside for sessions, recordings and speech that have not ended yet. */
  heldSeconds: number;
  /** How many seconds the month may hold. */
  monthlySecondsMax: number;
  /** When the month began, by the workspace's own time zone. */
  startsAt: string;
  /** When the month ends, by the workspace's own time zone. */
  endsAt: string;
};

/** A piece of the answer, in order. */
export type TextDeltaEvent = {
  /** Which kind of event it is; the same as the event of its frame. */
  type: 'text_delta';
  /** The position of this event in its stream, from zero, without gaps. */
  seq: number;
  /** Text to append to the answer. */
  delta: string;
  /** Where the delta begins in the answer, in Unicode code points. */
  offset: number;
};

/** Replaces everything that was said so far. */
export type TextReplaceEvent = {
  /** Which kind of event it is; the same as the event of its frame. */
  type: 'text_replace';
  /** The position of this event in its stream, from zero, without gaps. */
  seq: number;
  /** The whole answer so far, instead of all deltas before it. */
  text: string;
  /** Why text that was sent is taken back. */
  reason: ReplaceReason;
};

/** What a language model consumed for this turn. */
export type TokenUsage = {
  /** Tokens read by a language model; zero without one. */
  input_tokens: number;
  /** Tokens written by a language model; zero without one. */
  output_tokens: number;
};

/** Who transcribes recordings; `auto` for the service's own order. */
export type TranscribeProvider = 'provider_a' | 'provider_b' | 'auto';

/** The words of a recording (interface document, section 4.4). */
export type Transcript = {
  /** What was said; empty when nobody speaks. */
  text: string;
  /** The model that listened. */
  model: string;
};

/** A line of the CSV of transcripts; what is absent is an empty cell. */
export type TranscriptColumns = {
  /** The answer: a TypeID with the prefix msg. It names the row. */
  message_id: string;
  /** When the answer ended, or when its visitor allowed it to be kept if that was later; rows are ordered and filtered by it. */
  at: string;
  /** A conversation, named by the client or by the service; 1 to 128 letters, digits or any of `_.:-`. */
  conversation_id: string;
  /** A visitor of one workspace: a TypeID with the prefix vis. */
  visitor_id: string;
  /** The index of the turn in its conversation, as the visitor sent it. */
  turn_idx: number;
  /** When the visitor asked. */
  asked_at: string;
  /** When the answer ended. */
  finished_at: string;
  /** The language that the visitor asked for. */
  locale: string;
  /** What the visitor asked in this turn. */
  message: string;
  /** What the guide answered; what there was of it when it broke off. */
  answer: string;
  /** How the answer ended: complete, interrupted or failed. */
  state: TurnState;
  /** Why a complete answer ended; absent when it failed. */
  finish_reason?: FinishReason | undefined;
  /** The sources of the answer in their order, as the JSON text of an array. */
  citations: string;
  /** How the visitor rated the answer by the time the row was read; absent when not at all. */
  rating?: FeedbackRating | undefined;
  /** What the visitor added to the rating. */
  comment?: string | undefined;
};

/** A translation of an article: its working copy, its review, and what of it is live. */
export type Translation = {
  /** A translation of an article: a TypeID with the prefix tr. */
  id: string;
  /** A knowledge article: a TypeID with the prefix art. */
  articleId: string;
  /** A language tag in canonical BCP 47 form, such as de or pt-BR. */
  locale: string;
  status: TranslationStatus;
  /** True when the article says something else now than what the working copy was made for. */
  stale: boolean;
  /** The newest revision: the working copy. Send it as `baseRevision`. */
  revision: number;
  /** The revision of the article that the working copy was made for. */
  sourceRevision: number;
  /** The revision of the article to translate from: what is published, or its working copy while nothing is. */
  currentSourceRevision: number;
  /** The title; one line of text, not empty. */
  title: string;
  /** The text that the guide answers from; Markdown or plain, not empty. */
  answer: string;
  /** Words of this language to be found by, besides title and answer. */
  searchAliases: string[];
  /** The beginning of the answer as plain text; made by the service. */
  searchSummary: string;
  /** What visitors are served; absent while nothing is live. */
  live?: TranslationLive | undefined;
  /** The review of the working copy; absent while there is none. */
  review?: TranslationReview | undefined;
  /** The id of the member who did it, or `operator` for what came from the command line. */
  createdBy: string;
  /** When the translation was created or first imported. */
  createdAt: string;
  /** The id of the member who did it, or `operator` for what came from the command line. */
  updatedBy: string;
  /** When the newest revision was made. */
  updatedAt: string;
};

/** The revision of a translation that a step is meant for. */
export type TranslationBase = {
  /** The revision that you have seen; when it is no longer the newest, nothing is done. */
  baseRevision: number;
};

/** What a translation says. */
export type TranslationContent = {
  /** The title; one line of text, not empty. */
  title: string;
  /** The text that the guide answers from; Markdown or plain, not empty. */
  answer: string;
  /** Words of this language to be found by, besides title and answer. */
  searchAliases: string[];
};

/** A translation with its newest revisions. */
export type TranslationDetail = {
  /** A translation of an article: a TypeID with the prefix tr. */
  id: string;
  /** A knowledge article: a TypeID with the prefix art. */
  articleId: string;
  /** A language tag in canonical BCP 47 form, such as de or pt-BR. */
  locale: string;
  status: TranslationStatus;
  /** True when the article says something else now than what the working copy was made for. */
  stale: boolean;
  /** The newest revision: the working copy. Send it as `baseRevision`. */
  revision: number;
  /** The revision of the article that the working copy was made for. */
  sourceRevision: number;
  /** The revision of the article to translate from: what is published, or its working copy while nothing is. */
  currentSourceRevision: number;
  /** The title; one line of text, not empty. */
  title: string;
  /** The text that the guide answers from; Markdown or plain, not empty. */
  answer: string;
  /** Words of this language to be found by, besides title and answer. */
  searchAliases: string[];
  /** The beginning of the answer as plain text; made by the service. */
  searchSummary: string;
  /** What visitors are served; absent while nothing is live. */
  live?: TranslationLive | undefined;
  /** The review of the working copy; absent while there is none. */
  review?: TranslationReview | undefined;
  /** The id of the member who did it, or `operator` for what came from the command line. */
  createdBy: string;
  /** When the translation was created or first imported. */
  createdAt: string;
  /** The id of the member who did it, or `operator` for what came from the command line. */
  updatedBy: string;
  /** When the newest revision was made. */
  updatedAt: string;
  /** The newest revisions, newest first, at most 100. */
  revisions: TranslationRevision[];
  /** How many revisions there are altogether. */
  revisionCount: number;
};

/** The whole text of a translation; it replaces what was there. */
export type TranslationEdit = {
  /** The revision that you have seen; when it is no longer the newest, nothing is done. */
  baseRevision: number;
  /** The title; one line of text, not empty. */
  title: string;
  /** The text that the guide answers from; Markdown or plain, not empty. */
  answer: string;
  /** Words of this language to be found by, besides title and answer; none when absent. */
  searchAliases?: string[] | undefined;
};

/** What of a translation visitors are served while the article itself is published. */
export type TranslationLive = {
  /** The approved revision that is live. */
  revision: number;
  /** The revision of the article that the text was made for. */
  sourceRevision: number;
  /** True when the article says something else now than what this was made for. */
  stale: boolean;
  /** When this revision was published. */
  publishedAt: string;
  /** The id of the member who did it, or `operator` for what came from the command line. */
  publishedBy: string;
};

/** A page of a list: the translations of an article, by locale. */
export type TranslationPage = {
  /** The rows of this page: the translations of an article, by locale. */
  data: Translation[];
  /** Send it as `cursor` for the next page; absent on the last one. */
  nextCursor?: string | undefined;
};

/** The review of a working copy; editing the text makes it void. */
export type TranslationReview = {
  decision: ReviewDecision;
  /** The revision that the reviewer saw. */
  revision: number;
  /** The id of the member who reviewed it. */
  reviewerId: string;
  /** What the reviewer has to say to the author. */
  reviewNote?: string | undefined;
  /** When it was reviewed. */
  reviewedAt: string;
  /** True when the reviewer had written the text as well. */
  selfReview: boolean;
};

/** A translation as it was from one step on. */
export type TranslationRevision = {
  /** Counts the revisions of one article or translation, from 1. */
  revision: number;
  event: TranslationStep;
  /** The status that the translation had from then on. */
  status: TranslationStatus;
  /** The revision of the article that the text was made for. */
  sourceRevision: number;
  content: TranslationContent;
  /** SHA-256 of the content, in hex: equal exactly when two revisions say the same. */
  contentHash: string;
  /** The member who made this revision, or `operator` for an import. */
  authorId: string;
  /** The member who reviewed the text, where a review made this revision. */
  reviewerId?: string | undefined;
  /** What the reviewer has to say to the author. */
  reviewNote?: string | undefined;
  /** When this revision was made; it never changes afterwards. */
  createdAt: string;
};

/** The status of the working copy of a translation; whether something of it is live is another question. */
export type TranslationStatus = 'draft' | 'in_review' | 'changes_requested' | 'approved' | 'published' | 'archived';

/** What made a revision of a translation. */
export type TranslationStep = 'created' | 'edited' | 'submitted' | 'approved' | 'changes_requested' | 'published' | 'archived' | 'restored' | 'imported';

/** What a reviewer decides about a translation. */
export type TranslationVerdict = {
  /** The revision that you have seen; when it is no longer the newest, nothing is done. */
  baseRevision: number;
  decision: ReviewDecision;
  /** What the reviewer has to say to the author; needed to request changes. */
  reviewNote?: string | undefined;
};

/** How far the answer of a turn got. */
export type TurnState = 'running' | 'complete' | 'interrupted' | 'failed';

/** A question without an answer; case, spaces and punctuation make no difference. */
export type UnansweredQuestion = {
  /** The question as it was asked last, cut at 300 characters. */
  question: string;
  /** How often it was asked. */
  count: number;
  /** When it was asked last. */
  last: string;
};

/** A text that meets the question and that visitors do not get. */
export type UnpublishedMatch = {
  /** A knowledge article: a TypeID with the prefix art. */
  articleId: string;
  /** The name of the article in imports and exports, the same for as long as it lives: letters of any script, digits and any of `._~/-`. */
  slug: string;
  /** The translation that is meant; absent for the article itself. */
  translationId?: string | undefined;
  /** A language tag in canonical BCP 47 form, such as de or pt-BR. */
  locale: string;
  /** The title; one line of text, not empty. */
  title: string;
  reason: UnpublishedReason;
};

/** Why visitors do not get a text: its article was never published or was taken down, what is live is older, or the translation is not live. */
export type UnpublishedReason = 'never_published' | 'unpublished' | 'newer_draft' | 'not_live';

/** The visible part of the page (interface document, section 2.6). */
export type Viewport = {
  /** A length in CSS pixels, never negative. */
  width: number;
  /** A length in CSS pixels, never negative. */
  height: number;
  /** Device pixels for each CSS pixel. */
  dpr: number;
};

/** A picture of what the visitor sees. Dropped with a notice when it is oversized or malformed. */
export type ViewportScreenshot = {
  /** The picture as raw base64, without a data: prefix. */
  data: string;
  /** The media type; only image/jpeg is kept. */
  mime: string;
  /** The width of the picture in pixels. */
  width: number;
  /** The height of the picture in pixels. */
  height: number;
};

/** What the visitor, or the browser on behalf of the visitor, decided. */
export type VisitorDecision = 'accepted' | 'denied' | 'rejected' | 'dismissed' | 'browser-denied' | 'gpc_auto_optout';

/** What voice was used for: a live session, a recording, or speech of the guide. */
export type VoiceKind = 'realtime' | 'transcribe' | 'speech';

/** Whether speech is recognised while it is spoken, after it was recorded, or by the browser. */
export type VoiceMode = 'realtime' | 'batch' | 'mock';

/** How it ended; `unreported`: nobody said how long a session was, so that all of it was charged. */
export type VoiceOutcome = 'finished' | 'interrupted' | 'failed' | 'unreported';

/** What a browser needs for one live session (interface document, section 4.4). */
export type VoiceToken = {
  /** What the browser opens the session with; opaque. */
  token: string;
  provider: VoiceTokenIssuer;
  /** Until when a session can be opened, in seconds since 1970; an open session goes on. */
  expires_at: number;
  mode: VoiceMode;
  transport: VoiceTransport;
  /** Seconds of the workspace cap that are set aside for this session; 0 where nothing is. */
  reserved_seconds: number;
  /** Where the session is opened; absent for upload and mock. */
  url?: string | undefined;
};

/** Who made the token; `mock` is the browser itself, without any provider. */
export type VoiceTokenIssuer = 'provider_a' | 'provider_b' | 'mock';

/** Whom to ask for a token; `auto` takes the workspace's own choice, else the first of provider_a and provider_b that answers. */
export type VoiceTokenProvider = 'provider_a' | 'provider_b' | 'provider_b-batch' | 'mock' | 'auto';

/** How audio gets to the provider; `upload` means POST /transcribe of this service. */
export type VoiceTransport = 'webrtc' | 'websocket' | 'upload' | 'mock';

/** What became of a report. */
export type VoiceUsageReply = {
  /** False where there is no session of this visitor to be reported with this token any more. */
  recorded: boolean;
  /** What the session took from the cap. */
  charged_seconds: number;
};

/** How long a live session lasted. */
export type VoiceUsageReport = {
  /** The token of the session that has ended. */
  token: string;
  /** How long the session lasted, in seconds. */
  elapsed_seconds: number;
};

/** How many of each kind there are, on all pages together. */
export type WaitingCounts = {
  /** How many wait for a reviewer. */
  review: number;
  /** How many wait for changes. */
  changes: number;
  /** How many wait to be published. */
  publish: number;
  /** How many are live and out of date. */
  stale: number;
};

/** Only what the caller can and should do, or everything that waits for anybody. */
export type WaitingFor = 'me' | 'everybody';

/** What is to be done: review what was submitted, make the changes that were requested, publish what is approved, or bring up to date what is live and no longer says what the article says. */
export type WaitingKind = 'review' | 'changes' | 'publish' | 'stale';

/** A page of what is to be done, with how much there is of it. */
export type WaitingPage = {
  /** What waits, longest waiting first. */
  data: WaitingTranslation[];
  /** What there is of each kind, whichever kind was asked for. */
  counts: WaitingCounts;
  /** Send it as `cursor` for the next page; absent on the last one. */
  nextCursor?: string | undefined;
};

/** A translation with which something is to be done. */
export type WaitingTranslation = {
  kind: WaitingKind;
  /** True when it waits for the caller: not a text that they wrote or submitted to be reviewed, unless nobody else may. */
  mine: boolean;
  /** A knowledge article: a TypeID with the prefix art. */
  articleId: string;
  /** The title of the article, in its own language. */
  articleTitle: string;
  /** A translation of an article: a TypeID with the prefix tr. */
  translationId: string;
  /** A language tag in canonical BCP 47 form, such as de or pt-BR. */
  locale: string;
  /** The title of the translation. */
  title: string;
  status: TranslationStatus;
  /** The newest revision: send it as `baseRevision`. */
  revision: number;
  /** Since when it waits: submitted, reviewed or approved then; of what is stale, when the article changed. */
  since: string;
  /** Who made it wait: who submitted it, reviewed it, or changed the article. */
  by: string;
  /** What the reviewer said, where changes were requested. */
  reviewNote?: string | undefined;
};

/** Query parameters of `reportBlockedPage`. */
export type ReportBlockedPageQuery = {
  /** The app id from the install script, prefixed gp_ (interface document, section 2.2). */
  app_id: string;
};

/** Query parameters of `getTranscribeToken`. */
export type GetTranscribeTokenQuery = {
  /** Whom to ask for a token; `auto` when absent. */
  provider?: VoiceTokenProvider | undefined;
};

/** Query parameters of `listSessions`. */
export type ListSessionsQuery = {
  /** How many rows at most. */
  limit?: number | undefined;
  /** Where the page begins, as `nextCursor` of the page before said. */
  cursor?: string | undefined;
};

/** Query parameters of `listApiKeys`. */
export type ListApiKeysQuery = {
  /** How many rows at most. */
  limit?: number | undefined;
  /** Where the page begins, as `nextCursor` of the page before said. */
  cursor?: string | undefined;
};

/** Query parameters of `listMembers`. */
export type ListMembersQuery = {
  /** How many rows at most. */
  limit?: number | undefined;
  /** Where the page begins, as `nextCursor` of the page before said. */
  cursor?: string | undefined;
};

/** Query parameters of `listInvitations`. */
export type ListInvitationsQuery = {
  /** How many rows at most. */
  limit?: number | undefined;
  /** Where the page begins, as `nextCursor` of the page before said. */
  cursor?: string | undefined;
};

/** Query parameters of `deleteTenant`. */
export type DeleteTenantQuery = {
  /** The name of the workspace, exactly as it is, typed by the person who deletes it. */
  confirmName: string;
};

/** Query parameters of `listAudit`. */
export type ListAuditQuery = {
  /** How many rows at most. */
  limit?: number | undefined;
  /** Where the page begins, as `nextCursor` of the page before said. */
  cursor?: string | undefined;
  /** Only what this member did, or `operator`. */
  actor?: string | undefined;
  /** Only rows of this action; what ends with a dot, such as `api_key.`, stands for every action that begins so. */
  action?: string | undefined;
  /** Only what was done to what has this id. */
  subject?: string | undefined;
  /** Only what was done at this moment or later. */
  from?: string | undefined;
  /** Only what was done before this moment. */
  to?: string | undefined;
};

/** Query parameters of `listArticles`. */
export type ListArticlesQuery = {
  /** How many rows at most. */
  limit?: number | undefined;
  /** Where the page begins, as `nextCursor` of the page before said. */
  cursor?: string | undefined;
  /** Only articles with these words in title, slug or aliases, whatever their case and accents. */
  q?: string | undefined;
  /** Only articles with this status. */
  status?: ArticleStatus | undefined;
  /** Only articles of which nothing is live in this locale, or only something stale. */
  missing?: string | undefined;
  /** Only articles that are published and have a newer working copy, or only the others. */
  changed?: ChangedFilter | undefined;
  /** Only articles with a translation in this locale; what is asked of translations is asked of this one. */
  locale?: string | undefined;
  /** Only articles with a translation whose working copy has this status. */
  translationStatus?: TranslationStatus | undefined;
  /** Only articles with a translation whose working copy or live text is stale, or with one where neither is. */
  stale?: StaleFilter | undefined;
};

/** Query parameters of `listArticleRevisions`. */
export type ListArticleRevisionsQuery = {
  /** How many rows at most. */
  limit?: number | undefined;
  /** Where the page begins, as `nextCursor` of the page before said. */
  cursor?: string | undefined;
};

/** Query parameters of `searchKnowledge`. */
export type SearchKnowledgeQuery = {
  /** What the visitor asks or looks for. */
  q: string;
  /** The locale that the visitor prefers, a BCP 47 tag; none when absent. */
  locale?: string | undefined;
  /** How many articles at most. */
  limit?: number | undefined;
};

/** Query parameters of `listTenantConversations`. */
export type ListTenantConversationsQuery = {
  /** How many rows at most. */
  limit?: number | undefined;
  /** Where the page begins, as `nextCursor` of the page before said. */
  cursor?: string | undefined;
  /** Only conversations that began at this moment or later. */
  from?: string | undefined;
  /** Only conversations that began before this moment. */
  to?: string | undefined;
  /** Only the conversations of this visitor. */
  visitorId?: string | undefined;
  /** Only conversations whose first question was in this language. */
  locale?: string | undefined;
  /** Only conversations that were answered, or that were not. */
  answered?: AnsweredFilter | undefined;
  /** Only conversations in which some answer is rated so, by its newest rating. */
  rating?: FeedbackRating | undefined;
  /** Only conversations with these words in a question, answer or comment, whatever their case and accents. */
  q?: string | undefined;
  /** Only conversations in which this was asked, as the analytics group it: case, spaces and punctuation make no difference, and only the first 300 characters count. */
  question?: string | undefined;
};

/** Query parameters of `listFeedback`. */
export type ListFeedbackQuery = {
  /** How many rows at most. */
  limit?: number | undefined;
  /** Where the page begins, as `nextCursor` of the page before said. */
  cursor?: string | undefined;
  /** Only ratings that say this. */
  rating?: FeedbackRating | undefined;
  /** Only ratings with a comment, or only those without. */
  commented?: CommentedFilter | undefined;
  /** Only ratings that were given at this moment or later. */
  from?: string | undefined;
  /** Only ratings that were given before this moment. */
  to?: string | undefined;
};

/** Query parameters of `readAnalytics`. */
export type ReadAnalyticsQuery = {
  /** The first moment to count; the beginning of the day 27 days before `to`. */
  from?: string | undefined;
  /** The end of what is counted, not counted itself; now when it is absent. */
  to?: string | undefined;
  /** Whether to cut the range into days or into hours. */
  by?: AnalyticsPeriodLength | undefined;
  /** The time zone to cut days and hours in, by its IANA name; UTC when it is absent. */
  zone?: string | undefined;
};

/** Query parameters of `listWaiting`. */
export type ListWaitingQuery = {
  /** How many rows at most. */
  limit?: number | undefined;
  /** Where the page begins, as `nextCursor` of the page before said. */
  cursor?: string | undefined;
  /** Only what waits for this. */
  kind?: WaitingKind | undefined;
  /** Only translations in this locale. */
  locale?: string | undefined;
  /** Whether only what waits for the caller is asked for. */
  for?: WaitingFor | undefined;
};

/** Query parameters of `listConsentDirectives`. */
export type ListConsentDirectivesQuery = {
  /** Only this region: ISO 3166-2 or a country; ZZ for an unknown one. */
  region?: string | undefined;
  /** The language of the texts; the source locale when it is absent. */
  locale?: string | undefined;
  /** With a privacy signal of the browser; without one when it is absent. */
  gpc?: GpcGiven | undefined;
  /** In place of the `consentStrictness` that is saved. */
  strictness?: ConsentStrictness | undefined;
  /** In place of the `consentStrictnessByRegion` that is saved: regions with their strictness, or `none`. */
  byRegion?: string | undefined;
};

/** Query parameters of `exportAnalytics`. */
export type ExportAnalyticsQuery = {
  /** The first moment that is wanted: ISO 8601 with a zone, a date in UTC, or Unix seconds. */
  from?: string | undefined;
  /** The end of what is wanted, not itself part of it; the same forms as `from`. */
  to?: string | undefined;
  /** Whether to cut the range into days or into hours. */
  by?: AnalyticsPeriodLength | undefined;
  /** The time zone to cut days and hours in, by its IANA name; UTC when it is absent. */
  zone?: string | undefined;
};

/** Query parameters of `exportEvents`. */
export type ExportEventsQuery = {
  /** The first moment that is wanted: ISO 8601 with a zone, a date in UTC, or Unix seconds. */
  from?: string | undefined;
  /** The end of what is wanted, not itself part of it; the same forms as `from`. */
  to?: string | undefined;
  /** Only rows about this visitor. */
  visitor_id?: string | undefined;
  /** Only rows about this conversation. */
  conversation_id?: string | undefined;
  /** Only rows of this type. */
  type?: EventType | undefined;
  /** Only rows that name this language as requested_locale, or else as locale. */
  locale?: string | undefined;
  /** How many rows at most; it may change from page to page. */
  limit?: number | undefined;
  /** Goes on behind a page, as its `next_cursor` said; only with the same filters. */
  cursor?: string | undefined;
};

/** Query parameters of `streamEvents`. */
export type StreamEventsQuery = {
  /** The first moment that is wanted: ISO 8601 with a zone, a date in UTC, or Unix seconds. */
  from?: string | undefined;
  /** The end of what is wanted, not itself part of it; the same forms as `from`. */
  to?: string | undefined;
  /** Only rows about this visitor. */
  visitor_id?: string | undefined;
  /** Only rows about this conversation. */
  conversation_id?: string | undefined;
  /** Only rows of this type. */
  type?: EventType | undefined;
  /** Only rows that name this language as requested_locale, or else as locale. */
  locale?: string | undefined;
};

/** Query parameters of `tabulateEvents`. */
export type TabulateEventsQuery = {
  /** The first moment that is wanted: ISO 8601 with a zone, a date in UTC, or Unix seconds. */
  from?: string | undefined;
  /** The end of what is wanted, not itself part of it; the same forms as `from`. */
  to?: string | undefined;
  /** Only rows about this visitor. */
  visitor_id?: string | undefined;
  /** Only rows about this conversation. */
  conversation_id?: string | undefined;
  /** Only rows of this type. */
  type?: EventType | undefined;
  /** Only rows that name this language as requested_locale, or else as locale. */
  locale?: string | undefined;
};

/** Query parameters of `exportConversations`. */
export type ExportConversationsQuery = {
  /** The first moment that is wanted: ISO 8601 with a zone, a date in UTC, or Unix seconds. */
  from?: string | undefined;
  /** The end of what is wanted, not itself part of it; the same forms as `from`. */
  to?: string | undefined;
  /** Only rows about this visitor. */
  visitor_id?: string | undefined;
  /** Only rows about this conversation. */
  conversation_id?: string | undefined;
  /** Only conversations whose first question was in this language. */
  locale?: string | undefined;
  /** How many rows at most; it may change from page to page. */
  limit?: number | undefined;
  /** Goes on behind a page, as its `next_cursor` said; only with the same filters. */
  cursor?: string | undefined;
};

/** Query parameters of `streamConversations`. */
export type StreamConversationsQuery = {
  /** The first moment that is wanted: ISO 8601 with a zone, a date in UTC, or Unix seconds. */
  from?: string | undefined;
  /** The end of what is wanted, not itself part of it; the same forms as `from`. */
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
  /** The first moment that is wanted: ISO 8601 with a zone, a date in UTC, or Unix seconds. */
  from?: string | undefined;
  /** The end of what is wanted, not itself part of it; the same forms as `from`. */
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
  /** The first moment that is wanted: ISO 8601 with a zone, a date in UTC, or Unix seconds. */
  from?: string | undefined;
  /** The end of what is wanted, not itself part of it; the same forms as `from`. */
  to?: string | undefined;
  /** Only rows about this visitor. */
  visitor_id?: string | undefined;
  /** Only rows about this conversation. */
  conversation_id?: string | undefined;
  /** Only turns that asked for this language. */
  locale?: string | undefined;
  /** How many rows at most; it may change from page to page. */
  limit?: number | undefined;
  /** Goes on behind a page, as its `next_cursor` said; only with the same filters. */
  cursor?: string | undefined;
};

/** Query parameters of `streamTranscripts`. */
export type StreamTranscriptsQuery = {
  /** The first moment that is wanted: ISO 8601 with a zone, a date in UTC, or Unix seconds. */
  from?: string | undefined;
  /** The end of what is wanted, not itself part of it; the same forms as `from`. */
  to?: string | undefined;
  /** Only rows about this visitor. */
  visitor_id?: string | undefined;
  /** Only rows about this conversation. */
  conversation_id?: string | undefined;
  /** Only turns that asked for this language. */
  locale?: string | undefined;
};

/** Query parameters of `tabulateTranscripts`. */
export type TabulateTranscriptsQuery = {
  /** The first moment that is wanted: ISO 8601 with a zone, a date in UTC, or Unix seconds. */
  from?: string | undefined;
  /** The end of what is wanted, not itself part of it; the same forms as `from`. */
  to?: string | undefined;
  /** Only rows about this visitor. */
  visitor_id?: string | undefined;
  /** Only rows about this conversation. */
  conversation_id?: string | undefined;
  /** Only turns that asked for this language. */
  locale?: string | undefined;
};

/** What each operation takes and returns, by operation id. One without `reply` does not answer in JSON. */
export type Operations = {
  /** Boot the guide on a page */
  bootGuide: { credential: 'none'; body: BootRequest; reply: BootReply };
  /** Say that a page was not let in */
  reportBlockedPage: { credential: 'none'; query: ReportBlockedPageQuery; reply: OkReply };
  /** Send a message and stream the answer */
  sendMessage: { credential: 'visitor'; headers: { 'accept-language'?: string; 'idempotency-key'?: string; 'last-event-id'?: string }; body: ChatRequest };
  /** Read a conversation again */
  getConversation: { credential: 'visitor'; params: { conversation_id: string | number }; reply: Conversation };
  /** Rate an answer */
  rateMessage: { credential: 'visitor'; body: FeedbackRequest; reply: FeedbackReply };
  /** Record a consent decision */
  recordConsent: { credential: 'visitor'; body: ConsentRequest; reply: ConsentReply };
  /** Erase this visitor */
  eraseVisitor: { credential: 'visitor'; reply: ErasureReply };
  /** Get a token for a live voice session */
  getTranscribeToken: { credential: 'visitor'; query?: GetTranscribeTokenQuery; reply: VoiceToken };
  /** Turn a recording into text */
  transcribeAudio: { credential: 'visitor'; body: FormData; reply: Transcript };
  /** Speak a text */
  speakText: { credential: 'visitor'; body: SpeechRequest };
  /** Report how long a live voice session lasted */
  reportVoiceUsage: { credential: 'visitor'; body: VoiceUsageReport; reply: VoiceUsageReply };
  /** Sign in */
  signIn: { credential: 'none'; body: SignInRequest; reply: SessionState };
  /** Read who is signed in */
  readSession: { credential: 'session'; reply: SessionState };
  /** Sign out */
  signOut: { credential: 'session'; reply: OkReply };
  /** Give the password again */
  confirmPassword: { credential: 'session'; body: PasswordConfirmation; reply: SessionState };
  /** List where one is signed in */
  listSessions: { credential: 'session'; query?: ListSessionsQuery; reply: SessionPage };
  /** Sign out on another device */
  revokeSession: { credential: 'session'; params: { sessionId: string | number }; reply: OkReply };
  /** Change the password */
  changePassword: { credential: 'session'; body: PasswordChangeRequest; reply: OkReply };
  /** Check a set-up link */
  readSetupLink: { credential: 'none'; headers: { 'x-guidepost-link': string }; reply: SetupLink };
  /** Create the first owner */
  setUp: { credential: 'none'; body: SetUpRequest; reply: SessionState };
  /** Create an API key */
  createApiKey: { credential: 'session'; params: { tenantId: string | number }; body: NewApiKey; reply: ApiKeyCreated };
  /** List the API keys of a workspace */
  listApiKeys: { credential: 'session'; params: { tenantId: string | number }; query?: ListApiKeysQuery; reply: ApiKeyPage };
  /** Revoke an API key */
  revokeApiKey: { credential: 'session'; params: { tenantId: string | number; keyId: string | number }; reply: OkReply };
  /** List the members of a workspace */
  listMembers: { credential: 'session'; params: { tenantId: string | number }; query?: ListMembersQuery; reply: MemberPage };
  /** Change the role of a member */
  changeMemberRole: { credential: 'session'; params: { tenantId: string | number; memberId: string | number }; body: MemberChange; reply: Member };
  /** Remove a member, or leave */
  removeMember: { credential: 'session'; params: { tenantId: string | number; memberId: string | number }; reply: OkReply };
  /** Invite somebody */
  createInvitation: { credential: 'session'; params: { tenantId: string | number }; body: NewInvitation; reply: InvitationCreated };
  /** List the open invitations of a workspace */
  listInvitations: { credential: 'session'; params: { tenantId: string | number }; query?: ListInvitationsQuery; reply: InvitationPage };
  /** Withdraw an invitation */
  withdrawInvitation: { credential: 'session'; params: { tenantId: string | number; invitationId: string | number }; reply: OkReply };
  /** Read an invitation by its link */
  readInvitation: { credential: 'none'; body: InvitationReading; reply: InvitationView };
  /** Check an invitation link */
  readInvitationLink: { credential: 'none'; headers: { 'x-guidepost-link': string }; reply: InvitationLink };
  /** Accept an invitation */
  acceptInvitation: { credential: 'none'; body: InvitationAcceptance; reply: SessionState };
  /** Read the settings of a workspace */
  readTenant: { credential: 'session'; params: { tenantId: string | number }; reply: Tenant };
  /** Change the settings of a workspace */
  changeTenant: { credential: 'session'; params: { tenantId: string | number }; body: TenantChange; reply: Tenant };
  /** Delete a workspace */
  deleteTenant: { credential: 'session'; params: { tenantId: string | number }; query: DeleteTenantQuery; reply: OkReply };
  /** See what is used up this month */
  readUsage: { credential: 'session'; params: { tenantId: string | number }; reply: TenantUsage };
  /** List what was done in a workspace */
  listAudit: { credential: 'session'; params: { tenantId: string | number }; query?: ListAuditQuery; reply: AuditPage };
  /** List articles */
  listArticles: { credential: 'session'; params: { tenantId: string | number }; query?: ListArticlesQuery; reply: ArticlePage };
  /** Create an article */
  createArticle: { credential: 'session'; params: { tenantId: string | number }; body: NewArticle; reply: Article };
  /** Read an article */
  readArticle: { credential: 'session'; params: { tenantId: string | number; articleId: string | number }; reply: Article };
  /** Edit an article */
  editArticle: { credential: 'session'; params: { tenantId: string | number; articleId: string | number }; body: ArticleEdit; reply: Article };
  /** Delete an article */
  deleteArticle: { credential: 'session'; params: { tenantId: string | number; articleId: string | number }; reply: OkReply };
  /** Publish an article */
  publishArticle: { credential: 'session'; params: { tenantId: string | number; articleId: string | number }; body: ArticleBase; reply: Article };
  /** Take an article down */
  unpublishArticle: { credential: 'session'; params: { tenantId: string | number; articleId: string | number }; body: ArticleBase; reply: Article };
  /** List the revisions of an article */
  listArticleRevisions: { credential: 'session'; params: { tenantId: string | number; articleId: string | number }; query?: ListArticleRevisionsQuery; reply: ArticleRevisionPage };
  /** Read a revision of an article */
  readArticleRevision: { credential: 'session'; params: { tenantId: string | number; articleId: string | number; revision: string | number }; reply: ArticleRevision };
  /** Search as a visitor would */
  searchKnowledge: { credential: 'session'; params: { tenantId: string | number }; query: SearchKnowledgeQuery; reply: KnowledgeSearch };
  /** List the translations of an article */
  listTranslations: { credential: 'session'; params: { tenantId: string | number; articleId: string | number }; reply: TranslationPage };
  /** Create a translation */
  createTranslation: { credential: 'session'; params: { tenantId: string | number; articleId: string | number }; body: NewTranslation; reply: Translation };
  /** Read a translation with its history */
  readTranslation: { credential: 'session'; params: { tenantId: string | number; articleId: string | number; translationId: string | number }; reply: TranslationDetail };
  /** Edit a translation */
  editTranslation: { credential: 'session'; params: { tenantId: string | number; articleId: string | number; translationId: string | number }; body: TranslationEdit; reply: Translation };
  /** Submit a draft for review */
  submitTranslation: { credential: 'session'; params: { tenantId: string | number; articleId: string | number; translationId: string | number }; body: TranslationBase; reply: Translation };
  /** Approve a translation or request changes */
  reviewTranslation: { credential: 'session'; params: { tenantId: string | number; articleId: string | number; translationId: string | number }; body: TranslationVerdict; reply: Translation };
  /** Publish an approved translation */
  publishTranslation: { credential: 'session'; params: { tenantId: string | number; articleId: string | number; translationId: string | number }; body: TranslationBase; reply: Translation };
  /** Archive a translation */
  archiveTranslation: { credential: 'session'; params: { tenantId: string | number; articleId: string | number; translationId: string | number }; body: TranslationBase; reply: Translation };
  /** Restore an archived translation as a draft */
  restoreTranslation: { credential: 'session'; params: { tenantId: string | number; articleId: string | number; translationId: string | number }; body: TranslationBase; reply: Translation };
  /** List conversations */
  listTenantConversations: { credential: 'session'; params: { tenantId: string | number }; query?: ListTenantConversationsQuery; reply: TenantConversationPage };
  /** Read a conversation */
  readTenantConversation: { credential: 'session'; params: { tenantId: string | number; conversationId: string | number }; reply: TenantTranscript };
  /** List ratings */
  listFeedback: { credential: 'session'; params: { tenantId: string | number }; query?: ListFeedbackQuery; reply: TenantFeedbackPage };
  /** Read analytics */
  readAnalytics: { credential: 'session'; params: { tenantId: string | number }; query?: ReadAnalyticsQuery; reply: Analytics };
  /** See where the guide was installed */
  readInstallation: { credential: 'session'; params: { tenantId: string | number }; reply: Installation };
  /** List what waits to be done */
  listWaiting: { credential: 'session'; params: { tenantId: string | number }; query?: ListWaitingQuery; reply: WaitingPage };
  /** See which languages are covered */
  readCoverage: { credential: 'session'; params: { tenantId: string | number }; reply: KnowledgeCoverage };
  /** Ask the guide as a visitor would */
  previewAnswer: { credential: 'session'; params: { tenantId: string | number }; body: PreviewQuestion; reply: Preview };
  /** See how consent works in each region */
  listConsentDirectives: { credential: 'session'; params: { tenantId: string | number }; query?: ListConsentDirectivesQuery; reply: ConsentDirectives };
  /** Export everything that a workspace owns */
  exportTenant: { credential: 'session'; params: { tenantId: string | number } };
  /** Export analytics */
  exportAnalytics: { credential: 'api-key'; query?: ExportAnalyticsQuery; reply: Analytics };
  /** Export a page of events */
  exportEvents: { credential: 'api-key'; query?: ExportEventsQuery; reply: ExportedEventPage };
  /** Export events as a stream of JSON lines */
  streamEvents: { credential: 'api-key'; query?: StreamEventsQuery };
  /** Export events as CSV */
  tabulateEvents: { credential: 'api-key'; query?: TabulateEventsQuery };
  /** Export a page of conversations */
  exportConversations: { credential: 'api-key'; query?: ExportConversationsQuery; reply: ExportedConversationPage };
  /** Export conversations as a stream of JSON lines */
  streamConversations: { credential: 'api-key'; query?: StreamConversationsQuery };
  /** Export conversations as CSV */
  tabulateConversations: { credential: 'api-key'; query?: TabulateConversationsQuery };
  /** Export a page of transcripts */
  exportTranscripts: { credential: 'api-key'; query?: ExportTranscriptsQuery; reply: ExportedTranscriptPage };
  /** Export transcripts as a stream of JSON lines */
  streamTranscripts: { credential: 'api-key'; query?: StreamTranscriptsQuery };
  /** Export transcripts as CSV */
  tabulateTranscripts: { credential: 'api-key'; query?: TabulateTranscriptsQuery };
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
  | 'request/unsupported_media_type'
  | 'rate_limit/exceeded'
  | 'internal'
  | 'server/shutting_down'
  | 'server/overloaded'
  | 'storage/unavailable'
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
  | 'conversation/not_found'
  | 'message/not_found'
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
  | 'session/not_found'
  | 'setup/not_found'
  | 'invitation/not_found'
  | 'invitation/already_member'
  | 'tenant/not_found'
  | 'tenant/role_required'
  | 'tenant/name_mismatch'
  | 'member/not_found'
  | 'member/last_owner'
  | 'api_key/not_found'
  | 'export/unauthorized'
  | 'export/insufficient_scope'
  | 'export/cursor_mismatch'
  | 'article/not_found'
  | 'article/slug_taken'
  | 'article/conflict'
  | 'article/not_allowed'
  | 'translation/not_found'
  | 'translation/conflict'
  | 'translation/locale_taken'
  | 'translation/too_many_locales'
  | 'translation/source_locale'
  | 'translation/not_allowed'
  | 'translation/stale';
