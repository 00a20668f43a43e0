import type { Break } from './breaking-changes.ts';

/** The breaking changes that CHANGELOG.md announces, and whether a version may contain any. */

/** `- Breaking: sendMessage, ChatRequest: …` names an operation and a schema. */
const LINE = /^- Breaking: ([A-Za-z0-9_`, ]+): \S/gm;

/** Operations and schemas that CHANGELOG.md names as broken since the released version. */
export function namedBroken(changelog: string, released: string): Set<string> {
  const newer = sectionsOf(changelog).filter(({ version }) => isNewer(version, released));
  const lines = newer.flatMap(({ text }) => [...text.matchAll(LINE)].map(([, names]) => names!));
  return new Set(lines.flatMap((names) => names.replaceAll('`', '').split(/, */)));
}

/** Filters out breaking changes that are named by their schema or by all of their operations. */
export function unnamed(breaks: readonly Break[], named: ReadonlySet<string>): Break[] {
  return breaks.filter(({ place, operations }) => {
    const [schema] = place.split(/[. [{]/);
    return !named.has(schema!) && !operations.every((operation) => named.has(operation));
  });
}

/**
 * Whether semantic versioning allows breaking changes: a new major version, or a new minor version
 * before 1.0.0.
 */
export function mayBreak(version: string, released: string): boolean {
  const [major = 0, minor = 0] = numbersOf(version);
  const [oldMajor = 0, oldMinor = 0] = numbersOf(released);
  return major > oldMajor || (major === 0 && oldMajor === 0 && minor > oldMinor);
}

/** A version is released unless its heading says otherwise. */
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
