import { join } from 'node:path';
import { generatorJar, OPENAPI_GENERATOR } from './generator-jar.ts';
import { pinned } from './pinned.ts';
import type { Tool } from './toolchains.ts';

/** Every generator that the published document is tried with: how its client is made, compiled and walked. */

export type Command = {
  readonly run: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
};

export type Generator = {
  readonly name: string;
  readonly language: string;
  readonly version: string;
  /** Which of the published documents it reads. */
  readonly document: string;
  readonly deps: readonly Tool[];
  /** Where its commands run. */
  readonly folder: string;
  /** What is installed, by name of the file in that folder that pins it; installed anew when it changes. */
  readonly manifest: string;
  readonly install: readonly Command[];
  /** The folder in that folder that the client is written to; emptied before. */
  readonly output: string;
  readonly generate: readonly Command[];
  readonly compile: readonly Command[];
  readonly walk: Command;
  readonly note?: string;
};

/** Known generators that no row of the table can be made for, and why. */
export const LEFT_OUT: readonly { readonly name: string; readonly language: string; readonly why: string }[] =
  [
    {
      name: 'openapi-generator',
      language: 'C#',
      why: 'the .NET toolchain comes from none of the package registries that the other toolchains come from',
    },
  ];

const DOCUMENT = 'openapi.yaml';
const TWIN = 'generated/openapi-3.0.3.yaml';
const ROOT = join(import.meta.dirname, '../..');
const path = (document: string) => join(ROOT, document);
const command = (...run: string[]): Command => ({ run });

const TYPESCRIPT = join(import.meta.dirname, 'typescript');

function typescript(name: string, npmPackage: string, generate: readonly string[], note?: string): Generator {
  return {
    name,
    language: 'TypeScript',
    version: pinned('typescript/package.json', `"${npmPackage}": "([^"]+)"`),
    document: DOCUMENT,
    deps: ['node', 'npm'],
    folder: TYPESCRIPT,
    manifest: 'package-lock.json',
    install: [command('npm', 'ci', '--no-progress')],
    output: `${name}/generated`,
    generate: [command(...generate)],
    compile: [
      command('node_modules/.bin/tsc', '-p', name),
      command('rolldown', `${name}/walk.ts`, '--file', `${name}/generated/walk.js`, '--platform', 'node'),
    ],
    walk: command('node', `${name}/generated/walk.js`),
    ...(note ? { note } : {}),
  };
}

const bin = (name: string) => `node_modules/.bin/${name}`;

const typescriptGenerators: readonly Generator[] = [
  typescript(
    'openapi-typescript',
    'openapi-typescript',
    [bin('openapi-typescript'), path(DOCUMENT), '-o', 'openapi-typescript/generated/schema.ts'],
    'with openapi-fetch; the body of the stream is read by hand',
  ),
  typescript(
    'hey-api',
    '@hey-api/openapi-ts',
    [bin('openapi-ts'), '-f', 'hey-api/config.ts'],
    'its stream is an async iterator of events',
  ),
  typescript(
    'orval',
    'orval',
    [
      bin('orval'),
      ...['--input', path(DOCUMENT), '--output', 'orval/generated/client.ts', '--client', 'fetch'],
    ],
    'its fetch client reads a whole answer before it returns',
  ),
  typescript(
    'kubb',
    '@kubb/cli',
    [bin('kubb'), 'generate', '--config', 'kubb/config.ts'],
    'its fetch client reads every answer as JSON; the stream needs a client of your own, passed with the call',
  ),
  typescript(
    'swagger-typescript-api',
    'swagger-typescript-api',
    [
      ...[bin('swagger-typescript-api'), 'generate', '-p', path(DOCUMENT)],
      ...['-o', 'swagger-typescript-api/generated', '--name', 'client.ts', '--enum-style=union'],
    ],
    'the body of the stream is read by hand',
  ),
  typescript(
    'oazapfts',
    'oazapfts',
    [bin('oazapfts'), path(DOCUMENT), 'oazapfts/generated/client.ts'],
    'its fetch client reads a whole answer before it returns',
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
      { run: ['.cache/venv/bin/mypy', '--cache-dir', '.cache/mypy', 'walk.py'], env },
    ],
    walk: { run: ['.cache/venv/bin/python', '-W', 'ignore', 'walk.py'], env },
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
    walk: command('java', '-cp', 'target/classes:target/lib/*', mainClass),
    note,
  };
}

export const GENERATORS: readonly Generator[] = [
  ...typescriptGenerators,
  python('openapi-python-client', {
    version: pinned('python/openapi-python-client/requirements.txt', 'openapi-python-client==(.+)'),
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
    note: 'its functions read a whole answer; the stream is opened with the request that they make',
  }),
  python('openapi-generator', {
    version: OPENAPI_GENERATOR.version,
    deps: ['python3', 'java'],
    generate: [
      openapiGenerator('-g', 'python', '--package-name', 'guidepost', '--global-property', CODE_ONLY),
    ],
    note: 'the stream is read from the `without_preload_content` twin of the function',
  }),
  {
    name: 'oapi-codegen',
    language: 'Go',
    version: pinned('go/go.mod', 'oapi-codegen/v2 v(\\S+)'),
    document: DOCUMENT,
    deps: ['go'],
    folder: join(import.meta.dirname, 'go'),
    output: 'generated',
    manifest: 'go.sum',
    install: [command('go', 'mod', 'download')],
    generate: [command('go', 'tool', 'oapi-codegen', '-config', 'config.yaml', path(DOCUMENT))],
    compile: [command('go', 'vet', './...'), command('go', 'build', '-o', 'generated/walk', './walk')],
    walk: command('generated/walk'),
    note: 'the body of the stream is read by hand',
  },
  maven(
    'Java',
    openapiGenerator(
      ...['-g', 'java', '--additional-properties', 'invokerPackage=guidepost,modelPackage=guidepost.model'],
      ...['--additional-properties', 'apiPackage=guidepost.api,hideGenerationTimestamp=true'],
      ...['--global-property', CODE_ONLY],
    ),
    'Walk',
    'okhttp-gson; the stream is read from the call that the function makes; an exception carries the refusal as text, which `ErrorBody` reads',
  ),
  maven(
    'Kotlin',
    openapiGenerator('-g', 'kotlin', '--package-name', 'guidepost', '--global-property', CODE_ONLY),
    'WalkKt',
    'jvm-okhttp4 with moshi; the stream is opened with the request that the function makes, and its events are types without a union; an exception carries the refusal as text, which `ErrorBody` reads',
  ),
  {
    name: 'progenitor',
    language: 'Rust',
    version: pinned('rust/Cargo.toml', 'progenitor = \\{ version = "=([^"]+)"'),
    document: TWIN,
    deps: ['cargo'],
    folder: join(import.meta.dirname, 'rust'),
    output: 'generated',
    manifest: 'Cargo.lock',
    install: [command('cargo', 'fetch', '--locked')],
    generate: [],
    compile: [command('cargo', 'build', '--locked', '--quiet')],
    walk: command('target/debug/walk'),
    note: 'it has no words for forms, so `POST /transcribe` is left out; the bytes of the stream are read by hand',
  },
];
