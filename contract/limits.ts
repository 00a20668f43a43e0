/** The published limits. Code and documentation derive from them. */

const MINUTE_SECONDS = 60;
const HOUR_SECONDS = 3600;
const VISITOR_TURNS_PER_MINUTE = 30;

/** A rate limit: the subject that it counts by, its size, and its `Retry-After`. */
export type Bucket = {
  /** Requests with the same value count together. In IPv6, an `ip` is a /64 and a `network` is a /48. */
  per:
    | 'ip'
    | 'network'
    | 'visitor'
    | 'workspace'
    | 'member'
    | 'account'
    | 'ip_and_account'
    | 'device'
    | 'key';
  points: number;
  windowSeconds: number;
  /** Bursts return a fixed wait, sustained windows the rest of the window. */
  retryAfter: 'fixed' | 'rest_of_window';
  /** How networks share the points of a workspace. Without it, requests are served in the order in which they come. */
  sharing?: Sharing;
};

/**
 * Once a share of the points (`beyond`) is used, a network that has used its own share is refused, so that the rest is
 * left to others. The own share is the points divided by the networks of this window, and at least `leastPoints`.
 */
export type Sharing = { beyond: number; leastPoints: number };

export const BUCKETS = {
  'boot/rate-limited': { per: 'ip', points: 120, windowSeconds: MINUTE_SECONDS, retryAfter: 'fixed' },
  'chat/visitor-burst': {
    per: 'visitor',
    points: VISITOR_TURNS_PER_MINUTE,
    windowSeconds: MINUTE_SECONDS,
    retryAfter: 'fixed',
  },
  'chat/tenant-burst': {
    per: 'workspace',
    points: 1000,
    windowSeconds: MINUTE_SECONDS,
    retryAfter: 'fixed',
    // A network with a single visitor never waits for other networks while points are left.
    sharing: { beyond: 0.7, leastPoints: VISITOR_TURNS_PER_MINUTE },
  },
  'chat/visitor-hour': {
    per: 'visitor',
    points: 100,
    windowSeconds: HOUR_SECONDS,
    retryAfter: 'rest_of_window',
  },
  'chat/ip-rate-limited': { per: 'ip', points: 120, windowSeconds: MINUTE_SECONDS, retryAfter: 'fixed' },
  'consent/visitor-burst': { per: 'visitor', points: 60, windowSeconds: MINUTE_SECONDS, retryAfter: 'fixed' },
  'consent/ip-rate-limited': { per: 'ip', points: 120, windowSeconds: MINUTE_SECONDS, retryAfter: 'fixed' },
  'visitor/visitor-burst': { per: 'visitor', points: 60, windowSeconds: MINUTE_SECONDS, retryAfter: 'fixed' },
  'visitor/network-burst': {
    per: 'network',
    points: 600,
    windowSeconds: MINUTE_SECONDS,
    retryAfter: 'fixed',
  },
  'visitor/ip-rate-limited': { per: 'ip', points: 120, windowSeconds: MINUTE_SECONDS, retryAfter: 'fixed' },
  'voice/token-burst': { per: 'visitor', points: 10, windowSeconds: MINUTE_SECONDS, retryAfter: 'fixed' },
  'voice/transcribe-burst': {
    per: 'visitor',
    points: 20,
    windowSeconds: MINUTE_SECONDS,
    retryAfter: 'fixed',
  },
  'voice/speech-burst': { per: 'visitor', points: 30, windowSeconds: MINUTE_SECONDS, retryAfter: 'fixed' },
  'voice/usage-burst': { per: 'visitor', points: 30, windowSeconds: MINUTE_SECONDS, retryAfter: 'fixed' },
  'voice/ip-rate-limited': { per: 'ip', points: 120, windowSeconds: MINUTE_SECONDS, retryAfter: 'fixed' },
  'session/ip-rate-limited': { per: 'ip', points: 120, windowSeconds: MINUTE_SECONDS, retryAfter: 'fixed' },
  'session/account-burst': {
    per: 'account',
    points: 120,
    windowSeconds: MINUTE_SECONDS,
    retryAfter: 'fixed',
  },
  'session/device-sign-in': {
    per: 'device',
    points: 20,
    windowSeconds: 15 * MINUTE_SECONDS,
    retryAfter: 'rest_of_window',
  },
  'session/sign-in': {
    per: 'ip_and_account',
    points: 10,
    windowSeconds: 15 * MINUTE_SECONDS,
    retryAfter: 'rest_of_window',
  },
  'session/account-sign-in': {
    per: 'account',
    points: 20,
    windowSeconds: 5 * MINUTE_SECONDS,
    retryAfter: 'rest_of_window',
  },
  'export/key-burst': { per: 'key', points: 120, windowSeconds: MINUTE_SECONDS, retryAfter: 'fixed' },
  'export/ip-rate-limited': { per: 'ip', points: 120, windowSeconds: MINUTE_SECONDS, retryAfter: 'fixed' },
  'mcp/key-burst': { per: 'key', points: 120, windowSeconds: MINUTE_SECONDS, retryAfter: 'fixed' },
  'mcp/ip-rate-limited': { per: 'ip', points: 120, windowSeconds: MINUTE_SECONDS, retryAfter: 'fixed' },
  'tenant/member-reads': { per: 'member', points: 600, windowSeconds: MINUTE_SECONDS, retryAfter: 'fixed' },
  'tenant/member-mutations': {
    per: 'member',
    points: 120,
    windowSeconds: MINUTE_SECONDS,
    retryAfter: 'fixed',
  },
  'tenant/member-uploads': { per: 'member', points: 600, windowSeconds: MINUTE_SECONDS, retryAfter: 'fixed' },
  'tenant/member-previews': { per: 'member', points: 20, windowSeconds: MINUTE_SECONDS, retryAfter: 'fixed' },
} as const satisfies Record<string, Bucket>;

export type BucketName = keyof typeof BUCKETS;

/** Monthly caps of a workspace, in its own time zone. The amounts are settings of the workspace. */
type Cap = { per: 'workspace'; unit: 'seconds'; default: number };

export const CAPS = {
  'voice/cap': { per: 'workspace', unit: 'seconds', default: HOUR_SECONDS },
} as const satisfies Record<string, Cap>;

export type CapName = keyof typeof CAPS;

/** Everything that a 429 can name as its `bucket`. */
export type LimitName = BucketName | CapName;

const KIB = 1024;
const MIB = 1024 * KIB;

export const LIMITS = {
  visitorTokenSeconds: 15 * MINUTE_SECONDS,
  /** Changes to a workspace, its origins or flags affect running visitors within this time. */
  workspaceCacheMillis: 1000,

  bootBodyBytesMax: 32 * KIB,
  /** 2,000 characters, each up to twelve bytes in escaped JSON. */
  smallBodyBytesMax: 32 * KIB,
  /** A hundred origins, thirty rules and their questions of maximum length, each character up to twelve bytes. */
  settingsBodyBytesMax: 640 * KIB,
  /** A digest, fifty targets and a screenshot of 1.5 MB in Base64. */
  chatBodyBytesMax: 3 * MIB,
  /** Includes a screenshot over the limit, which is dropped before the rest is parsed. */
  chatArrivingBytesMax: 12 * MIB,
  screenshotBytesMax: 1_500_000,
  screenshotSideMax: 4096,

  urlCharsMax: 4096,
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
  streamsPerVisitorMax: 2,
  streamKeepAliveSeconds: 15,
  idempotencyKeyCharsMax: 128,
  /** How long the response to the first request with a key is kept, and how many responses are kept per session. */
  idempotencySeconds: 24 * HOUR_SECONDS,
  idempotencyKeysMax: 1000,
  actionLifeSeconds: 300,
  deniedHistorySeconds: 24 * HOUR_SECONDS,
  /** Five years. */
  retentionDaysMax: 1826,

  sessionIdleSeconds: 12 * HOUR_SECONDS,
  sessionSeconds: 7 * 24 * HOUR_SECONDS,
  sessionsPerAccountMax: 10,
  automationSessionSecondsMax: 365 * 24 * HOUR_SECONDS,
  automationSessionSecondsDefault: 90 * 24 * HOUR_SECONDS,
  automationSessionsMax: 20,
  /** How long a browser counts as known after a sign-in. */
  deviceSeconds: 365 * 24 * HOUR_SECONDS,
  freshPasswordSeconds: 10 * MINUTE_SECONDS,
  setupLinkSeconds: HOUR_SECONDS,
  /** How long a rotated API key may go on working beside its successor. */
  apiKeyOverlapSecondsMax: 90 * 24 * HOUR_SECONDS,
  apiKeyNetworksMax: 20,
  invitationSeconds: 7 * 24 * HOUR_SECONDS,
  passwordCharsMin: 15,
  passwordCharsMax: 256,
  workspaceNameCharsMax: 200,
  allowedOriginsMax: 100,
  /** Newest rejected origins that are kept. */
  refusedOriginsMax: 20,
  regionRulesMax: 50,
  /** Few, because every boot response contains all rules. */
  pathRulesMax: 30,
  pathPatternCharsMax: 200,
  pathRuleSuggestionsMax: 4,
  brandTitleCharsMax: 60,
  /** Translations that the review queue considers. */
  reviewQueueRowsMax: 5000,
  /** Answers below this confidence are reviewed in the inbox. */
  inboxLowConfidence: 0.5,
  inboxQuestionsMax: 50,
  inboxAskAgainMax: 10,
  previewSeconds: 60,
  previewTurnsMax: 10,
  previewTurnAnswerCharsMax: 20_000,
  /** Every text at its maximum length, each character up to twelve bytes. */
  previewBodyBytesMax: 3 * MIB,
  suggestionsMax: 10,
  instructionsCharsMax: 4000,
  /** Fewer tokens are not enough for an answer. */
  turnTokensMin: 500,
  exportRowsMax: 1000,
  exportRowsDefault: 100,
  pageRowsMax: 200,
  pageRowsDefault: 50,

  localesPerArticleMax: 32,
  revisionsShown: 100,
  /** Every text at its maximum length, each character up to twelve bytes. */
  articleBodyBytesMax: 1536 * KIB,
  reviewNoteCharsMax: 2000,
  slugCharsMax: 200,
  searchSummaryCharsMax: 280,
  searchQueryCharsMax: 1000,
  searchResultsMax: 50,
  titleCharsMax: 300,
  answerCharsMax: 100_000,
  aliasesMax: 50,
  aliasCharsMax: 200,
  aliasSuggestionsMax: 20,
  /** Articles of one bulk action. */
  bulkArticlesMax: 500,
  /** Article ids that a selection of all matching articles may contain. */
  matchingIdsMax: 10_000,
  collectionsMax: 200,
  collectionNameCharsMax: 80,
  tagsPerArticleMax: 20,
  tagCharsMax: 40,
  /** Tags that the list of tags contains: the most frequent ones. */
  tagsListedMax: 500,
  /** Dismissed aliases per article. Dismissing more forgets the oldest. */
  dismissedAliasesMax: 200,
  feedbackCharsMax: 2000,
  feedbackReasonsMax: 3,

  imageBytesMax: 5 * MIB,
  /** Width and height, in pixels. */
  imageSideMax: 8192,
  imageNameCharsMax: 200,
  /** The images of one workspace. */
  imagesMax: 2000,
  /** Articles that the list of images names for each image. */
  imageUsesMax: 10,
  /** Total size of the images of one workspace. */
  imagesBytesMax: 500 * MIB,

  /** Sources of one workspace. */
  sourcesMax: 50,
  sourceNameCharsMax: 80,
  startUrlsMax: 20,
  /** Include and exclude rules of a website, each. */
  urlRulesMax: 50,
  urlRuleCharsMax: 500,
  /** Pages of a website, or documents of all files that wait for a run. */
  sourcePagesMax: 10_000,
  placeBytesMax: 2000,
  pageBytesMax: 5 * MIB,
  /** Unpacked size; the limit of the sitemap protocol. */
  sitemapBytesMax: 50 * MIB,
  /** Pause between two requests to a website that asks for no delay. */
  crawlIntervalMillis: 100,
  /** A website that asks for a longer delay is not read. */
  crawlDelaySecondsMax: 30,
  pageReadSecondsMax: 10,
  sourceFileBytesMax: 50 * MIB,
  sourceFileNameCharsMax: 200,
  /** All files of a zip together, unpacked. */
  unpackedBytesMax: 200 * MIB,
  zipFilesMax: 5000,
  /** The total text of all files that wait for a run. */
  stagedBytesMax: 200 * MIB,
  sourceRunSecondsMax: 6 * HOUR_SECONDS,
  /** Time to read one file or sitemap. */
  readSecondsMax: 60,
  /** Time to read all files of a zip. */
  uploadSecondsMax: 180,
  pdfPagesMax: 5000,
  readMemoryBytesMax: 512 * MIB,
  /** Runs of a source whose log is kept. */
  sourceRunsKept: 20,
  skipDetailCharsMax: 500,
  /** Documents and refusals that the response to an upload lists. */
  uploadListedMax: 200,
  conflictsPerPageMax: 20,
  conflictsResolvedMax: 100,

  audioBytesMax: 10 * MIB,
  /** Smaller files cannot be a recording, whatever their first bytes are. */
  audioBytesMin: KIB,
  /** Multipart boundaries and part headers around a file. */
  uploadFramingBytesMax: 64 * KIB,
  speechCharsMax: 2000,
  voiceIdCharsMax: 64,
  transcriptCharsMax: 100_000,
  /** Seconds that a token for a live session reserves, or as many as are left. */
  voiceReservedSeconds: 120,
  /** A live session is not worth opening with less. */
  voiceReservedSecondsMin: 10,
  /** Unreported reservations are charged in full after this time. */
  voiceGraceSeconds: 30,
  /** A late report may still lower the charge for this long. */
  voiceLateReportSeconds: HOUR_SECONDS,
  voiceReportedSecondsMax: 24 * HOUR_SECONDS,
} as const;
