import { HOUR_SECONDS, MIB } from './units.ts';

/** Limits of sources and of reading them. */
export const SOURCE_LIMITS = {
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
  apiEmailCharsMax: 254,
  apiTokenCharsMax: 500,
  /** Size of a response of a connected service. */
  serviceBytesMax: 20 * MIB,
  /** Pages of a list of a connected service; each lists up to 100 articles. */
  listPagesMax: 100,
  /** Blocks of a page of Notion, with those inside of others. */
  pageBlocksMax: 5000,
  /** Pause between two requests to Notion, which allows three in a second. */
  notionIntervalMillis: 340,
  /** Pause between two requests to Zendesk, whose smallest plan allows 200 in a minute. */
  zendeskIntervalMillis: 320,
  /** A service that asks to wait longer is read by a later run. */
  retryAfterSecondsMax: 300,
  /** Runs of a source whose log is kept. */
  sourceRunsKept: 20,
  skipDetailCharsMax: 500,
  /** Documents and refusals that the response to an upload lists. */
  uploadListedMax: 200,
  conflictsPerPageMax: 20,
  conflictsResolvedMax: 100,
} as const;
