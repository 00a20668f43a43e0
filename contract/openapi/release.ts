import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import type { OpenAPIObject } from 'openapi3-ts/oas31';
import { parse } from 'yaml';
import { isReleased, mayBreak, namedBroken, unnamed } from './acknowledged-breaking-changes.ts';
import { type Break, breaksBetween } from './breaking-changes.ts';
import { openapiDocument } from './openapi.ts';

/**
 * Compares the contract with the document of the last release. `--check` lists breaking changes
 * that CHANGELOG.md does not name;
 * otherwise the current openapi.yaml is stored as the released document.
 */

const ROOT = new URL('../../', import.meta.url);
const FOLDER = new URL('contract/released/', ROOT);
const NAME = /^openapi-(\d+\.\d+\.\d+)\.yaml$/;

type Released = { readonly version: string; readonly document: OpenAPIObject };

/** Returns what is wrong with a document compared with the released one; empty if nothing is. */
export function complaints(released: Released, current: OpenAPIObject, changelog: string): string[] {
  const breaks = breaksBetween(released.document, current);
  const { version } = current.info;
  const missing = unnamed(breaks, namedBroken(changelog, released.version));
  const tooLow = breaks.length > 0 && !mayBreak(version, released.version);
  return [
    ...missing.map(lineFor),
    ...(tooLow ? [`${released.version} was released, so that ${version} may break nothing.`] : []),
  ];
}

/** The line that is missing in CHANGELOG.md. */
function lineFor({ place, what, operations }: Break): string {
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
  if (!released) throw new Error('No released document is kept: run `make release-document`.');
  const problems = complaints(released, openapiDocument(), changelog);
  if (problems.length === 0) return;
  const hint = isReleased(changelog, released.version)
    ? 'Name them in CHANGELOG.md under a version that may break, or take them back.'
    : `${released.version} is not released yet: \`make release-document\` keeps the document as it is now.`;
  console.error(`The document breaks what ${released.version} promised:\n`);
  console.error(`${problems.map((problem) => `  ${problem}`).join('\n')}\n\n${hint}`);
  process.exitCode = 1;
}

async function release(changelog: string): Promise<void> {
  const released = await readReleased();
  const { version } = openapiDocument().info;
  if (released?.version === version && isReleased(changelog, version)) {
    throw new Error(`${version} was released with another document; raise the version in package.json.`);
  }
  const text = await readFile(new URL('openapi.yaml', ROOT), 'utf8');
  if (released) await rm(new URL(`openapi-${released.version}.yaml`, FOLDER));
  await writeFile(new URL(`openapi-${version}.yaml`, FOLDER), text);
  console.log(`openapi.yaml is the document of ${version} now`);
}

if (import.meta.main) {
  const changelog = await readFile(new URL('CHANGELOG.md', ROOT), 'utf8');
  await (process.argv.includes('--check') ? check(changelog) : release(changelog));
}
