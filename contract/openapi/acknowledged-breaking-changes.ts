import type { Break } from './breaking-changes.ts';

/** What CHANGELOG.md says of breaks, and whether a version says that it may have some. */

/** `- Breaking: sendMessage, ChatRequest: …` names an operation and a schema. */
const LINE = /^- Breaking: ([A-Za-z0-9_`, ]+): \S/gm;

/** The operations and schemas that the versions after the released one name as broken. */
export function namedBroken(changelog: string, released: string): Set<string> {
  const newer = sectionsOf(changelog).filter(({ version }) => isNewer(version, released));
  const lines = newer.flatMap(({ text }) => [...text.matchAll(LINE)].map(([, names]) => names!));
  return new Set(lines.flatMap((names) => names.replaceAll('`', '').split(/, */)));
}

/** Those breaks that nobody has named: neither their schema nor each of their operations. */
export function unnamed(breaks: readonly Break[], named: ReadonlySet<string>): Break[] {
  return breaks.filter(({ place, operations }) => {
    const [schema] = place.split(/[. [{]/);
    return !named.has(schema!) && !operations.every((operation) => named.has(operation));
  });
}

/** Whether a version may break what an older one promised: a new first number, or before 1.0.0 a new second one. */
export function mayBreak(version: string, released: string): boolean {
  const [major = 0, minor = 0] = numbersOf(version);
  const [oldMajor = 0, oldMinor = 0] = numbersOf(released);
  return major > oldMajor || (major === 0 && oldMajor === 0 && minor > oldMinor);
}

/** A version is released when its heading does not say otherwise. */
export function isReleased(changelog: string, version: string): boolean {
  const section = sectionsOf(changelog).find((each) => each.version === version);
  return section !== undefined && !section.text.split('\n')[0]!.includes('(unreleased)');
}

function sectionsOf(changelog: string): { version: string; text: string }[] {
  return changelog
    .split(/^## /m)
    .slice(1)
    .map((text) => ({ version: text.split(/\s/)[0]!, text }));
}

function isNewer(version: string, than: string): boolean {
  const [left, right] = [numbersOf(version), numbersOf(than)];
  const at = left.findIndex((number, index) => number !== right[index]);
  return at >= 0 && left[at]! > right[at]!;
}

function numbersOf(version: string): number[] {
  return version.split('.').map(Number);
}
