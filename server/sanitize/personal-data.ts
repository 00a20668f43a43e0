import { CONTACT_DATA } from './contact-data.ts';
import { type Detector, NATIONAL_IDS } from './national-ids.ts';
import { PAYMENT_DATA } from './payment-data.ts';
import { SECRETS, withoutPrivateKeys } from './secrets.ts';

/** Where two find the same, the earlier one names it. */
const NUMBERS: readonly Detector[] = [...PAYMENT_DATA, ...NATIONAL_IDS];
const DETECTORS: readonly Detector[] = [...SECRETS, ...NUMBERS, ...CONTACT_DATA];

/** Most labels and questions hold nothing of what the detectors need, and every turn has many of them. */
const MAY_HOLD_SECRET = /[\p{N}=@]|[\w.-]{15}/u;
const MAY_HOLD_NUMBER = /(?:\p{N}\P{N}*){5}/u;

function detectorsFor(text: string): readonly Detector[] {
  if (!MAY_HOLD_SECRET.test(text)) return [];
  if (MAY_HOLD_NUMBER.test(text)) return DETECTORS;
  return text.includes('@') ? [...SECRETS, ...CONTACT_DATA] : SECRETS;
}

const CONTEXT_CHARS = 40;

type Hit = { readonly from: number; readonly to: number; readonly mark: string };

/**
 * Text with a neutral mark such as [email] in place of what belongs to a person or opens a door. Numbers count only when their check
 * digits, lengths and ranges are right. Names and addresses of streets are not found.
 */
export function withoutPersonalData(text: string): string {
  const open = withoutPrivateKeys(text);
  const hits = hitsIn(open);
  if (hits.length === 0) return open;
  let kept = '';
  let at = 0;
  for (const hit of hits) {
    kept += open.slice(at, hit.from) + hit.mark;
    at = hit.to;
  }
  return kept + open.slice(at);
}

function hitsIn(text: string): Hit[] {
  const folded = plainSigns(text);
  const hits: (Hit & { readonly rank: number })[] = [];
  detectorsFor(folded).forEach(({ mark, pattern, isValid, isLikely }, rank) => {
    if (isLikely && !isLikely(folded)) return;
    for (const { index, 0: found } of folded.matchAll(pattern)) {
      if (isValid && !isValid(found, folded.slice(Math.max(0, index - CONTEXT_CHARS), index))) continue;
      hits.push({ from: index, to: index + found.length, mark, rank });
    }
  });
  hits.sort((a, b) => a.from - b.from || a.rank - b.rank);
  let end = 0;
  return hits.filter((hit) => {
    const isFree = hit.from >= end;
    if (isFree) end = hit.to;
    return isFree;
  });
}

/** Where the digits of the scripts that people type begin. */
const ZEROS = [
  0x660, 0x6f0, 0x966, 0x9e6, 0xa66, 0xae6, 0xbe6, 0xc66, 0xce6, 0xd66, 0xe50, 0xed0, 0x1040, 0x17e0,
];
const FOREIGN =
  /[\uff01-\uff5e\u0660-\u0669\u06f0-\u06f9\u0966-\u0d6f\u0e50-\u0ed9\u1040-\u1049\u17e0-\u17e9\u2010-\u2015\u2212]/g;

/** Full-width signs, digits of other scripts and long dashes as ASCII has them; every character keeps its place. */
function plainSigns(text: string): string {
  return text.replace(FOREIGN, (sign) => {
    const code = sign.charCodeAt(0);
    if (code >= 0xff01) return String.fromCharCode(code - 0xfee0);
    if (code >= 0x2010) return '-';
    const zero = ZEROS.find((first) => code >= first && code <= first + 9);
    return zero === undefined ? sign : String(code - zero);
  });
}
