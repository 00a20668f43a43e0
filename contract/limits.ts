/** The published numbers. They are written here and nowhere else; documents and code derive from them. */

const MINUTE_SECONDS = 60;
const HOUR_SECONDS = 3600;

/** What a bucket counts: who draws, how often, and what a refused caller is told to wait. */
export type Bucket = {
  /** Whose requests are counted together. */
  readonly per: 'ip' | 'visitor' | 'workspace';
  readonly points: number;
  readonly windowSeconds: number;
  /** Bursts tell a fixed wait, sustained windows the rest of the window (interface document, section 8, rule 3). */
  readonly retryAfter: 'fixed' | 'rest_of_window';
};

export const BUCKETS = {
  'boot/rate-limited': { per: 'ip', points: 120, windowSeconds: MINUTE_SECONDS, retryAfter: 'fixed' },
  'chat/visitor-burst': { per: 'visitor', points: 30, windowSeconds: MINUTE_SECONDS, retryAfter: 'fixed' },
  'chat/tenant-burst': { per: 'workspace', points: 1000, windowSeconds: MINUTE_SECONDS, retryAfter: 'fixed' },
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
  'visitor/ip-rate-limited': { per: 'ip', points: 120, windowSeconds: MINUTE_SECONDS, retryAfter: 'fixed' },
} as const satisfies Record<string, Bucket>;

export type BucketName = keyof typeof BUCKETS;

const KIB = 1024;
const MIB = 1024 * KIB;

export const LIMITS = {
  visitorTokenSeconds: 15 * MINUTE_SECONDS,
  /** A changed workspace, origin or switch acts on running visitors within this time. */
  workspaceCacheMillis: 1000,

  bootBodyBytesMax: 16 * KIB,
  smallBodyBytesMax: 16 * KIB,
  /** A digest, fifty targets and a screenshot of 1.5 MB in base64. */
  chatBodyBytesMax: 3 * MIB,
  /** A longer serialised screenshot makes the request itself too large to read. */
  screenshotBytesMax: 1_500_000,
  screenshotSideMax: 4096,

  urlCharsMax: 4096,
  messageCharsMax: 4000,
  digestCharsKept: 32_000,
  selectedTextCharsKept: 2000,
  targetsKept: 50,
  labelCharsKept: 200,
  pageTitleCharsKept: 300,
  actionResultsMax: 20,

  turnIdxMax: 10_000,
  turnsPerConversationMax: 500,
  streamsPerVisitorMax: 2,
  streamKeepAliveSeconds: 15,
  idempotencyKeyCharsMax: 128,
  actionLifeSeconds: 300,
  deniedHistorySeconds: 24 * HOUR_SECONDS,

  localesPerArticleMax: 32,
  titleCharsMax: 300,
  answerCharsMax: 100_000,
  aliasesMax: 50,
  aliasCharsMax: 200,
  feedbackCharsMax: 2000,
} as const;
