import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import type { OpenAPIObject } from 'openapi3-ts/oas31';
import { parse } from 'yaml';
import { type Break, findBreakingChanges } from './breaking-changes.ts';
import { openapiDocument } from './openapi.ts';

/**
 * Compares the contract with the document of the last release. `--check` lists breaking changes that
 * CHANGELOG.md does not name; otherwise the current openapi.yaml becomes the released document.
 */

const ROOT = new URL('../../', import.meta.url);
const FOLDER = new URL('contract/released/', ROOT);
const NAME = /^openapi-(\d+\.\d+\.\d+)\.yaml$/;

type Released = { version: string; document: OpenAPIObject };

/** Returns what is wrong with a document compared with the released one; empty if nothing is. */
export function findReleaseProblems(released: Released, current: OpenAPIObject, changelog: string): string[] {
  const breaks = findBreakingChanges(released.document, current);
  const { version } = current.info;
  const missing = findUnacknowledged(breaks, parseAcknowledgedNames(changelog, released.version));
  const isVersionTooLow = breaks.length > 0 && !mayBreak(version, released.version);
  return [
    ...missing.map(toChangelogLine),
    ...(isVersionTooLow
      ? [
          `${version} must not break clients of ${released.version}: raise the major version, or the minor one before 1.0.0.`,
        ]
      : []),
  ];
}

/** Writes the line that is missing in CHANGELOG.md. */
function toChangelogLine({ place, what, operations }: Break): string {
  const [schema] = place.split(/[. [{]/);
  const more = operations.includes(schema!) ? '' : ` (in ${operations.join(', ')})`;
  return `- Breaking: ${schema}: ${place} ${what}${more}`;
}

async function readReleased(): Promise<Released | undefined> {
  const names = await readdir(FOLDER);
  const [name] = names.filter((each) => NAME.test(each));
  if (!name) return undefined;
  const version = NAME.exec(name)![1]!;
  return { version, document: parse(await readFile(new URL(name, FOLDER), 'utf8')) as OpenAPIObject };
}

async function check(changelog: string): Promise<void> {
  const released = await readReleased();
  if (!released) throw new Error('There is no released document. Run `make release-document`.');
  const problems = findReleaseProblems(released, openapiDocument(), changelog);
  if (problems.length === 0) return;
  const hint = isReleased(changelog, released.version)
    ? 'Add these lines to CHANGELOG.md under a version that may break clients, or revert the changes.'
    : `${released.version} is not released yet. Run \`make release-document\` to accept the changes.`;
  console.error(`Breaking changes since ${released.version}:\n`);
  console.error(`${problems.map((problem) => `  ${problem}`).join('\n')}\n\n${hint}`);
  process.exitCode = 1;
}

async function release(changelog: string): Promise<void> {
  const released = await readReleased();
  const { version } = openapiDocument().info;
  if (released?.version === version && isReleased(changelog, version)) {
    throw new Error(`${version} is already released. Raise the version in package.json.`);
  }
  const text = await readFile(new URL('openapi.yaml', ROOT), 'utf8');
  if (released) await rm(new URL(`openapi-${released.version}.yaml`, FOLDER));
  await writeFile(new URL(`openapi-${version}.yaml`, FOLDER), text);
  console.log(`saved openapi.yaml as the document of ${version}`);
}

/** `- Breaking: sendMessage, ChatRequest: …` names an operation and a schema. */
const BREAKING_LINE = /^- Breaking: ([A-Za-z0-9_`, ]+): \S/gm;

/** Returns the operations and schemas that CHANGELOG.md names as broken since the released version. */
export function parseAcknowledgedNames(changelog: string, released: string): Set<string> {
  const newer = parseSections(changelog).filter(({ version }) => isNewer(version, released));
  const lines = newer.flatMap(({ text }) => [...text.matchAll(BREAKING_LINE)].map(([, names]) => names!));
  return new Set(lines.flatMap((names) => names.replaceAll('`', '').split(/, */)));
}

/** Filters out breaking changes that are named by their schema or by all of their operations. */
export function findUnacknowledged(breaks: readonly Break[], named: ReadonlySet<string>): Break[] {
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
  const [major = 0, minor = 0] = parseVersion(version);
  const [oldMajor = 0, oldMinor = 0] = parseVersion(released);
  return major > oldMajor || (major === 0 && oldMajor === 0 && minor > oldMinor);
}

/** Tells whether a version has a heading in the changelog that does not say "(unreleased)". */
export function isReleased(changelog: string, version: string): boolean {
  const section = parseSections(changelog).find((each) => each.version === version);
  return section !== undefined && !section.text.split('\n')[0]!.includes('(unreleased)');
}

function parseSections(changelog: string): { version: string; text: string }[] {
  return changelog
    .split(/^## /m)
    .slice(1)
    .map((text) => ({ version: text.split(/\s/)[0]!, text }));
}

function isNewer(version: string, other: string): boolean {
  const [left, right] = [parseVersion(version), parseVersion(other)];
  const at = left.findIndex((number, index) => number !== right[index]);
  return at >= 0 && left[at]! > right[at]!;
}

function parseVersion(version: string): number[] {
  return version.split('.').map(Number);
}

if (import.meta.main) {
  const changelog = await readFile(new URL('CHANGELOG.md', ROOT), 'utf8');
  await (process.argv.includes('--check') ? check(changelog) : release(changelog));
}
