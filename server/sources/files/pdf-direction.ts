/** Puts the parts of a line that is read from right to left into reading order: the inverse of UAX #9. */

type Placed = { str: string; x: number; end: number; height: number };

const RTL = /[\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Syriac}\p{sc=Thaana}\p{sc=Nko}]/u;
const LTR = /(?![\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Syriac}\p{sc=Thaana}\p{sc=Nko}])\p{L}/u;
const NUMBER = /[\p{Nd}]/u;
/** Signs that belong to a number if they touch it. */
const NUMBER_SIGN = /^[.,:/%‰+−$€£₪-]+$/u;
/** Letters that PDF programs write in another form: of Arabic and Hebrew, ligatures, and spaces. */
const OTHER_FORMS = /[\u00a0\u2000-\u200a\u202f\u2126\ufb00-\ufdff\ufe70-\ufefc]+/gu;

export const isRightToLeft = (text: string): boolean => RTL.test(text);

/** Writes letters in their plain form. */
export const toPlainLetters = (text: string): string =>
  text.replace(OTHER_FORMS, (forms) => forms.normalize('NFKC'));

/** @param parts of one line, in any order */
export function toReadingOrder<Part extends Placed>(parts: readonly Part[]): readonly Part[] {
  const visual = [...parts].sort((one, other) => one.x - other.x);
  const count = (letters: RegExp) =>
    parts.reduce((sum, { str }) => sum + (str.match(new RegExp(letters, 'gu'))?.length ?? 0), 0);
  return count(RTL) > count(LTR)
    ? reverseGroups([...visual].reverse(), findLeftGroups)
    : reverseGroups(visual, findRightGroups);
}

type Group = { from: number; to: number };

function reverseGroups<Part extends Placed>(
  parts: readonly Part[],
  findGroups: (parts: readonly Placed[]) => readonly Group[],
): readonly Part[] {
  const ordered = [...parts];
  for (const { from, to } of findGroups(parts))
    ordered.splice(from, to - from, ...ordered.slice(from, to).reverse());
  return ordered;
}

/** Sequences of Latin words, and of the parts of a number. */
function findLeftGroups(parts: readonly Placed[]): readonly Group[] {
  const groups: Group[] = [];
  for (let from = 0; from < parts.length; from += 1) {
    if (!isLeft(parts[from]!)) continue;
    let to = from + 1;
    for (let at = to; at < parts.length && !RTL.test(parts[at]!.str); at += 1)
      if (isLeft(parts[at]!)) to = at + 1;
    const hasWords = parts.slice(from, to).some(({ str }) => LTR.test(str));
    if (!hasWords) to = findNumberEnd(parts, from);
    groups.push({ from, to });
    from = to - 1;
  }
  return groups;
}

const isLeft = ({ str }: Placed) => !RTL.test(str) && (LTR.test(str) || NUMBER.test(str));

function findNumberEnd(parts: readonly Placed[], from: number): number {
  let to = from + 1;
  for (let at = to; at < parts.length; at += 1) {
    const [before, part] = [parts[at - 1]!, parts[at]!];
    const touches = Math.abs(before.x - part.end) <= part.height * 0.12;
    if (!touches || !(NUMBER.test(part.str) || NUMBER_SIGN.test(part.str))) break;
    if (NUMBER.test(part.str)) to = at + 1;
  }
  return to;
}

/** Sequences of right-to-left words in a left-to-right line, with what stands between them. */
function findRightGroups(parts: readonly Placed[]): readonly Group[] {
  const groups: Group[] = [];
  for (let from = 0; from < parts.length; from += 1) {
    if (!RTL.test(parts[from]!.str)) continue;
    let to = from + 1;
    for (let at = to; at < parts.length && !LTR.test(parts[at]!.str); at += 1)
      if (RTL.test(parts[at]!.str)) to = at + 1;
    groups.push({ from, to });
    from = to - 1;
  }
  return groups;
}

const MIRRORED: Readonly<Record<string, string>> = {
  '(': ')',
  ')': '(',
  '[': ']',
  ']': '[',
  '{': '}',
  '}': '{',
  '<': '>',
  '>': '<',
  '«': '»',
  '»': '«',
};

/** Brackets are drawn mirrored: a line whose first bracket closes has them the other way round. */
export const mirrorBrackets = (text: string): string =>
  /^[^()[\]{}]*[)\]}]/.test(text) ? text.replace(/[()[\]{}]/g, (sign) => MIRRORED[sign]!) : text;
