import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Arguments that succeed only if the tool is installed. */
const PROBES = {
  node: ['--version'],
  npm: ['--version'],
  python3: ['-m', 'venv', '--help'],
  go: ['version'],
  java: ['-version'],
  mvn: ['--version'],
  cargo: ['--version'],
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

const OPENAPI_GENERATOR = {
  version: '7.25.0',
  sha256: '41ce4f6b07f196676439d710759fa1ced7a08066d06ff1bf314681470289efae',
} as const;

const { version, sha256 } = OPENAPI_GENERATOR;
const CENTRAL = 'https://repo1.maven.org/maven2/org/openapitools/openapi-generator-cli';

const generatorJar = join(import.meta.dirname, `.cache/openapi-generator-cli-${version}.jar`);

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

/** The client generators under test: how each client is generated, compiled and run. */

export type Command = {
  readonly run: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
};

export type Generator = {
  readonly name: string;
  readonly language: string;
  readonly version: string;
  /** Path of the published document that it reads. */
  readonly document: string;
  readonly deps: readonly Tool[];
  /** Working directory of its commands. */
  readonly folder: string;
  /** The file in `folder` that pins its dependencies; a change reinstalls them. */
  readonly manifest: string;
  readonly install: readonly Command[];
  /** The folder in `folder` that receives the client; emptied first. */
  readonly output: string;
  readonly generate: readonly Command[];
  readonly compile: readonly Command[];
  readonly scenario: Command;
  readonly note?: string;
};

/** Known generators that are not tested. */
export const LEFT_OUT: readonly {
  readonly name: string;
  readonly language: string;
  readonly reason: string;
}[] = [
  {
    name: 'openapi-generator',
    language: 'C#',
    reason:
      'the .NET toolchain is not available from the package registries that the other toolchains come from',
  },
];

const DOCUMENT = 'openapi.yaml';
const DOCUMENT_3_0 = 'generated/openapi-3.0.3.yaml';
const ROOT = join(import.meta.dirname, '../..');
const path = (document: string) => join(ROOT, document);
const command = (...run: string[]): Command => ({ run });

const TYPESCRIPT = join(import.meta.dirname, 'typescript');

function typescript(name: string, npmPackage: string, generate: readonly string[], note?: string): Generator {
  return {
    name,
    language: 'TypeScript',
    version: readPinnedVersion('typescript/package.json', `"${npmPackage}": "([^"]+)"`),
    document: DOCUMENT,
    deps: ['node', 'npm'],
    folder: TYPESCRIPT,
    manifest: 'package-lock.json',
    install: [command('npm', 'ci', '--no-progress')],
    output: `${name}/generated`,
    generate: [command(...generate)],
    compile: [
      command('node_modules/.bin/tsc', '-p', name),
      command(
        'rolldown',
        `${name}/scenario.ts`,
        '--file',
        `${name}/generated/scenario.js`,
        '--platform',
        'node',
      ),
    ],
    scenario: command('node', `${name}/generated/scenario.js`),
    ...(note ? { note } : {}),
  };
}

const bin = (name: string) => `node_modules/.bin/${name}`;

const typescriptGenerators: readonly Generator[] = [
  typescript(
    'openapi-typescript',
    'openapi-typescript',
    [bin('openapi-typescript'), path(DOCUMENT), '-o', 'openapi-typescript/generated/schema.ts'],
    'used with openapi-fetch; the event stream is parsed by hand',
  ),
  typescript(
    'hey-api',
    '@hey-api/openapi-ts',
    [bin('openapi-ts'), '-f', 'hey-api/config.ts'],
    'the stream is an async iterator of events',
  ),
  typescript(
    'orval',
    'orval',
    [
      bin('orval'),
      ...['--input', path(DOCUMENT), '--output', 'orval/generated/client.ts', '--client', 'fetch'],
    ],
    'the fetch client reads the whole response before it returns',
  ),
  typescript(
    'kubb',
    '@kubb/cli',
    [bin('kubb'), 'generate', '--config', 'kubb/config.ts'],
    'the fetch client parses every response as JSON; streaming needs a custom client, passed with the call',
  ),
  typescript(
    'swagger-typescript-api',
    'swagger-typescript-api',
    [
      ...[bin('swagger-typescript-api'), 'generate', '-p', path(DOCUMENT)],
      ...['-o', 'swagger-typescript-api/generated', '--name', 'client.ts', '--enum-style=union'],
    ],
    'the event stream is parsed by hand',
  ),
  typescript(
    'oazapfts',
    'oazapfts',
    [bin('oazapfts'), path(DOCUMENT), 'oazapfts/generated/client.ts'],
    'the fetch client reads the whole response before it returns',
  ),
];

function python(name: string, more: Pick<Generator, 'version' | 'deps' | 'generate' | 'note'>): Generator {
  const env = { PYTHONPATH: 'generated:..', MYPYPATH: 'generated:..' };
  return {
    name,
    language: 'Python',
    document: DOCUMENT,
    folder: join(import.meta.dirname, 'python', name),
    output: 'generated',
    manifest: 'requirements.txt',
    install: [
      command('python3', '-m', 'venv', '.cache/venv'),
      command('.cache/venv/bin/pip', 'install', '--quiet', '-r', 'requirements.txt'),
    ],
    compile: [
      command('.cache/venv/bin/python', '-m', 'compileall', '-q', 'generated'),
      { run: ['.cache/venv/bin/mypy', '--cache-dir', '.cache/mypy', 'scenario.py'], env },
    ],
    scenario: { run: ['.cache/venv/bin/python', '-W', 'ignore', 'scenario.py'], env },
    ...more,
  } as Generator;
}

function openapiGenerator(...args: string[]): Command {
  return command('java', '-jar', generatorJar, 'generate', '-i', path(DOCUMENT), '-o', 'generated', ...args);
}

const CODE_ONLY = 'apiTests=false,modelTests=false,apiDocs=false,modelDocs=false';

function maven(language: string, generate: Command, mainClass: string, note: string): Generator {
  return {
    name: 'openapi-generator',
    language,
    version: OPENAPI_GENERATOR.version,
    document: DOCUMENT,
    deps: ['java', 'mvn'],
    folder: join(import.meta.dirname, language.toLowerCase()),
    output: 'generated',
    manifest: 'pom.xml',
    install: [],
    generate: [generate],
    compile: [command('mvn', '-q', '-B', 'process-classes')],
    scenario: command('java', '-cp', 'target/classes:target/lib/*', mainClass),
    note,
  };
}

export const GENERATORS: readonly Generator[] = [
  ...typescriptGenerators,
  python('openapi-python-client', {
    version: readPinnedVersion(
      'python/openapi-python-client/requirements.txt',
      'openapi-python-client==(.+)',
    ),
    deps: ['python3'],
    generate: [
      command(
        ...['.cache/venv/bin/openapi-python-client', 'generate', '--path', path(DOCUMENT)],
        ...[
          '--config',
          'config.yaml',
          '--output-path',
          'generated/guidepost',
          '--meta',
          'none',
          '--overwrite',
        ],
      ),
    ],
    note: 'the functions read the whole response; to stream, send the request that they build',
  }),
  python('openapi-generator', {
    version: OPENAPI_GENERATOR.version,
    deps: ['python3', 'java'],
    generate: [
      openapiGenerator('-g', 'python', '--package-name', 'guidepost', '--global-property', CODE_ONLY),
    ],
    note: 'streams through the `without_preload_content` variant of the function',
  }),
  {
    name: 'oapi-codegen',
    language: 'Go',
    version: readPinnedVersion('go/go.mod', 'oapi-codegen/v2 v(\\S+)'),
    document: DOCUMENT,
    deps: ['go'],
    folder: join(import.meta.dirname, 'go'),
    output: 'generated',
    manifest: 'go.sum',
    install: [command('go', 'mod', 'download')],
    generate: [command('go', 'tool', 'oapi-codegen', '-config', 'config.yaml', path(DOCUMENT))],
    compile: [
      command('go', 'vet', './...'),
      command('go', 'build', '-o', 'generated/scenario', './scenario'),
    ],
    scenario: command('generated/scenario'),
    note: 'the event stream is parsed by hand',
  },
  maven(
    'Java',
    openapiGenerator(
      ...['-g', 'java', '--additional-properties', 'invokerPackage=guidepost,modelPackage=guidepost.model'],
      ...['--additional-properties', 'apiPackage=guidepost.api,hideGenerationTimestamp=true'],
      ...['--global-property', CODE_ONLY],
    ),
    'Scenario',
    'okhttp-gson; streams through the call that the function builds; exceptions carry the error as text, which `ErrorBody` parses',
  ),
  maven(
    'Kotlin',
    openapiGenerator('-g', 'kotlin', '--package-name', 'guidepost', '--global-property', CODE_ONLY),
    'ScenarioKt',
    'jvm-okhttp4 with moshi; to stream, send the request that the function builds; events are separate types, not a union; exceptions carry the error as text, which `ErrorBody` parses',
  ),
  {
    name: 'progenitor',
    language: 'Rust',
    version: readPinnedVersion('rust/Cargo.toml', 'progenitor = \\{ version = "=([^"]+)"'),
    document: DOCUMENT_3_0,
    deps: ['cargo'],
    folder: join(import.meta.dirname, 'rust'),
    output: 'generated',
    manifest: 'Cargo.lock',
    install: [command('cargo', 'fetch', '--locked')],
    generate: [],
    compile: [command('cargo', 'build', '--locked', '--quiet')],
    scenario: command('target/debug/scenario'),
    note: 'does not support multipart forms, so `POST /transcribe` is left out; the event stream is parsed by hand',
  },
];

/** Reads the version that a manifest in this folder pins. */
function readPinnedVersion(manifest: string, pattern: string): string {
  const version = new RegExp(pattern).exec(readFileSync(join(import.meta.dirname, manifest), 'utf8'))?.[1];
  if (version === undefined) throw new Error(`${manifest} has no version that matches ${pattern}`);
  return version;
}
