import type { CaptureContext, CaptureTarget, ViewportScreenshot } from '../../contract/chat.ts';
import { CHAT_LIMITS } from '../../contract/limits/chat.ts';
import { REQUEST_LIMITS } from '../../contract/limits/requests.ts';
import {
  cleanLabel,
  isHiddenElement,
  isSensitiveField,
  sanitizePageDigest,
  sanitizePageLabel,
  sanitizePageText,
} from '../sanitize/page-text.ts';

export type CleanTarget = {
  gpId: string;
  name: string;
  role: string;
  confidence: number;
  inViewport: boolean;
  documentBox?: {
    x: number;
    y: number;
    width: number;
    height: number;
  };
};

export type CleanPage = {
  title: string;
  /** Origin and path only: query strings carry names, tokens and searches. */
  url: string;
  digest: string;
  selectedText: string;
  targets: readonly CleanTarget[];
  targetsDropped: number;
};

const GP_ID_CHARS = 256;

/** Limits and cleans what a page sends. Drops fields that hold secrets, and invalid parts, without an error. */
export function cleanPage(input: {
  url: URL;
  digest: string;
  capture: CaptureContext | undefined;
}): CleanPage {
  const { capture } = input;
  const sent = capture?.targets ?? [];
  const seen = new Set<string>();
  const kept: CleanTarget[] = [];
  for (const target of sent) {
    if (kept.length === CHAT_LIMITS.targetsKept) break;
    const clean = cleanTarget(target);
    if (!clean || seen.has(clean.gpId)) continue;
    seen.add(clean.gpId);
    kept.push(clean);
  }
  return {
    title: sanitizePageLabel(capture?.page?.title ?? '', CHAT_LIMITS.pageTitleCharsKept),
    url: sanitizePageLabel(`${input.url.origin}${input.url.pathname}`, REQUEST_LIMITS.urlCharsMax),
    digest: sanitizePageDigest(input.digest, CHAT_LIMITS.digestCharsKept),
    selectedText: sanitizePageText(capture?.selected_text ?? '', CHAT_LIMITS.selectedTextCharsKept),
    targets: kept,
    targetsDropped: sent.length - kept.length + (capture?.focused_target?.gp_id === '' ? 1 : 0),
  };
}

function cleanTarget(target: CaptureTarget): CleanTarget | undefined {
  if (isSensitiveField(getSensitivityHints(target)) || isHidden(target)) return undefined;
  // The page gets the id back unchanged, so drop targets whose id needs cleaning. Malformed targets have an empty id.
  if (
    target.gp_id === '' ||
    target.gp_id.length > GP_ID_CHARS ||
    cleanLabel(target.gp_id, GP_ID_CHARS) !== target.gp_id
  )
    return undefined;
  const name = target.name || target.accessibility?.label || '';
  return {
    gpId: target.gp_id,
    name: sanitizePageLabel(name, CHAT_LIMITS.labelCharsKept),
    role: sanitizePageLabel(target.role ?? '', CHAT_LIMITS.labelCharsKept),
    confidence: target.confidence ?? 0.5,
    inViewport: target.in_viewport ?? true,
    ...(target.document_bbox ? { documentBox: target.document_bbox } : {}),
  };
}

/** A link may be labelled "Change password", so labels count only on input elements. */
function getSensitivityHints({ gp_id, selector, role, name, accessibility }: CaptureTarget): string {
  const isField = !/^(link|button|tab|menuitem|heading|img|option)$/i.test(role ?? '');
  const labels = [gp_id, role, name, accessibility?.label, accessibility?.description];
  return [selector, ...(isField ? labels : [])].join(' ');
}

/** The guide never points at elements that visitors cannot see. */
function isHidden({ selector, accessibility }: CaptureTarget): boolean {
  return isHiddenElement(selector ?? '') || /\bhidden\b/i.test(accessibility?.state ?? '');
}

/** Whether the bytes are a JPEG of an accepted size. The dimensions that the client claims are not trusted. */
export function isUsableScreenshot(screenshot: ViewportScreenshot): boolean {
  if (screenshot.mime !== 'image/jpeg') return false;
  if (screenshot.width <= 0 || screenshot.height <= 0) return false;
  // Four base64 characters are three bytes: check the size before decoding.
  if (screenshot.data.length > Math.ceil(CHAT_LIMITS.screenshotBytesMax / 3) * 4) return false;
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(screenshot.data) || screenshot.data.length % 4 !== 0) return false;
  const size = readJpegSize(Buffer.from(screenshot.data, 'base64'));
  if (!size) return false;
  return [size.width, size.height].every((side) => side > 0 && side <= CHAT_LIMITS.screenshotSideMax);
}

const MARKER = 0xff;
const START_OF_IMAGE = 0xd8;
const END_OF_IMAGE = 0xd9;

/** Reads the size from the frame header; undefined when the bytes are not a complete JPEG. */
export function readJpegSize(bytes: Buffer): { width: number; height: number } | undefined {
  const isComplete =
    bytes.length > 4 &&
    bytes[0] === MARKER &&
    bytes[1] === START_OF_IMAGE &&
    bytes[bytes.length - 2] === MARKER &&
    bytes[bytes.length - 1] === END_OF_IMAGE;
  if (!isComplete) return undefined;
  let at = 2;
  while (at + 9 < bytes.length) {
    if (bytes[at] !== MARKER) return undefined;
    const kind = bytes[at + 1]!;
    if (isFrameHeader(kind)) return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}

/** Whether the marker is SOF0 to SOF15. In that range, 0xC4, 0xC8 and 0xCC mark other segments. */
function isFrameHeader(kind: number): boolean {
  return kind >= 0xc0 && kind <= 0xcf && kind !== 0xc4 && kind !== 0xc8 && kind !== 0xcc;
}
