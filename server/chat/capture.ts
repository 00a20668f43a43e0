import type { CaptureContext, CaptureTarget } from '../../contract/capture.ts';
import { LIMITS } from '../../contract/limits.ts';
import { cleanLabel } from '../sanitize/clean-text.ts';
import { readableDigest, readableLabel, readableText } from '../sanitize/page-text.ts';
import { isHiddenElement, isSensitiveField } from '../sanitize/sensitive-fields.ts';

/** What is kept of the page: bounded, cleaned, without fields that hold secrets. Pure; it never fails a turn. */
export type CleanTarget = {
  readonly gpId: string;
  readonly name: string;
  readonly role: string;
  readonly confidence: number;
  readonly inViewport: boolean;
  readonly documentBox?: {
    readonly x: number;
    readonly y: number;
    readonly width: number;
    readonly height: number;
  };
};

export type CleanPage = {
  readonly title: string;
  /** Origin and path; queries carry names, tokens and searches. */
  readonly url: string;
  readonly digest: string;
  readonly selectedText: string;
  readonly targets: readonly CleanTarget[];
  readonly targetsDropped: number;
};

const GP_ID_CHARS = 256;

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
    if (kept.length === LIMITS.targetsKept) break;
    const clean = cleanTarget(target);
    if (!clean || seen.has(clean.gpId)) continue;
    seen.add(clean.gpId);
    kept.push(clean);
  }
  return {
    title: readableLabel(capture?.page?.title ?? '', LIMITS.pageTitleCharsKept),
    url: readableLabel(`${input.url.origin}${input.url.pathname}`, LIMITS.urlCharsMax),
    digest: readableDigest(input.digest, LIMITS.digestCharsKept),
    selectedText: readableText(capture?.selected_text ?? '', LIMITS.selectedTextCharsKept),
    targets: kept,
    targetsDropped: sent.length - kept.length,
  };
}

function cleanTarget(target: CaptureTarget): CleanTarget | undefined {
  if (isSensitiveField(hintsOf(target)) || isHidden(target)) return undefined;
  // The id is answered back, so it has to come through unchanged or not at all.
  if (target.gp_id.length > GP_ID_CHARS || cleanLabel(target.gp_id, GP_ID_CHARS) !== target.gp_id)
    return undefined;
  const name = target.name || target.accessibility?.label || '';
  return {
    gpId: target.gp_id,
    name: readableLabel(name, LIMITS.labelCharsKept),
    role: readableLabel(target.role ?? '', LIMITS.labelCharsKept),
    confidence: target.confidence ?? 0.5,
    inViewport: target.in_viewport ?? true,
    ...(target.document_bbox ? { documentBox: target.document_bbox } : {}),
  };
}

/** A link or button may well be called "Change password"; only what can be typed into holds secrets. */
function hintsOf({ gp_id, selector, role, name, accessibility }: CaptureTarget): string {
  const isField = !/^(link|button|tab|menuitem|heading|img|option)$/i.test(role ?? '');
  const said = [gp_id, role, name, accessibility?.label, accessibility?.description];
  return [selector, ...(isField ? said : [])].join(' ');
}

/** What people can't see is not for a guide to point at. */
function isHidden({ selector, accessibility }: CaptureTarget): boolean {
  return isHiddenElement(selector ?? '') || /\bhidden\b/i.test(accessibility?.state ?? '');
}
