import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Programs that the machine must have, and the generator that is downloaded. */

/** Arguments with which each tool succeeds only if it is installed. */
const PROBES = {
  node: ['--version'],
  npm: ['--version'],
  python3: ['-m', 'venv', '--help'],
  go: ['version'],
  java: ['-version'],
  mvn: ['--version'],
  cargo: ['--version'],
  php: ['-r', 'require "GuzzleHttp/autoload.php";'],
  ruby: ['-r', 'typhoeus', '-e', ''],
} as const;

export type Tool = keyof typeof PROBES;

const known = new Map<Tool, boolean>();

export function isInstalled(tool: Tool): boolean {
  const result = known.get(tool) ?? probe(tool);
  known.set(tool, result);
  return result;
}

function probe(tool: Tool): boolean {
  try {
    execFileSync(tool, PROBES[tool], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

export const OPENAPI_GENERATOR = {
  version: '7.25.0',
  sha256: '41ce4f6b07f196676439d710759fa1ced7a08066d06ff1bf314681470289efae',
} as const;

const { version, sha256 } = OPENAPI_GENERATOR;
const CENTRAL = 'https://repo1.maven.org/maven2/org/openapitools/openapi-generator-cli';

export const generatorJar = join(import.meta.dirname, `.cache/openapi-generator-cli-${version}.jar`);

/** Downloads the jar once. Throws if its checksum differs from the pinned one. */
export async function fetchGeneratorJar(): Promise<void> {
  if (!existsSync(generatorJar)) {
    const response = await fetch(`${CENTRAL}/${version}/openapi-generator-cli-${version}.jar`);
    if (!response.ok) throw new Error(`Could not download openapi-generator: HTTP ${response.status}`);
    mkdirSync(dirname(generatorJar), { recursive: true });
    writeFileSync(`${generatorJar}.tmp`, new Uint8Array(await response.arrayBuffer()));
    renameSync(`${generatorJar}.tmp`, generatorJar);
  }
  const found = createHash('sha256').update(readFileSync(generatorJar)).digest('hex');
  if (found !== sha256) throw new Error(`${generatorJar} has the wrong checksum: ${found}`);
}
