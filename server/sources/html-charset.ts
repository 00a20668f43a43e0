/** Decodes HTML as browsers do: by byte order mark, then header, then meta element, else as UTF-8. */

const META_BYTES = 4096;
const META = /<meta[^>]+charset\s*=\s*["']?\s*([\w:.-]+)/i;
/** A few broken bytes are tolerated; more of them mean another encoding. */
const BROKEN_SHARE_MAX = 0.001;

/** Returns undefined when the bytes are not valid text in the stated encoding. */
export function decodeHtml(bytes: Uint8Array, contentType = ''): string | undefined {
  const text = getDecoder(findLabel(bytes, contentType)).decode(bytes);
  const broken = text.split('\ufffd').length - 1;
  return broken > text.length * BROKEN_SHARE_MAX || text.includes('\0') ? undefined : text;
}

function findLabel(bytes: Uint8Array, contentType: string): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  const declared = /charset\s*=\s*["']?([\w:.-]+)/i.exec(contentType)?.[1];
  if (declared) return declared;
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, META_BYTES));
  const label = META.exec(head)?.[1] ?? 'utf-8';
  // A readable meta element cannot be in UTF-16, whatever it says (HTML standard, 13.2.3.2).
  return /^utf-?16/i.test(label) ? 'utf-8' : label;
}

function getDecoder(label: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(label);
  } catch {
    return new TextDecoder();
  }
}
