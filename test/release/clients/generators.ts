import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from './commands.ts';
import type { Version } from './documents.ts';
import { generatorJar, OPENAPI_GENERATOR, type Tool } from './tools.ts';

/** The client generators under test: how each client is generated, compiled and run. */

export type Generator = {
  name: string;
  language: string;
  version: string;
  /** The version of OpenAPI in which the generator reads the document. */
  document: Version | 'contract';
  deps: readonly Tool[];
  /** Working directory of its commands. */
  folder: string;
  /** The file in `folder` that pins its dependencies; a change reinstalls them. */
  manifest: string;
  install: readonly Command[];
  /** The folder in `folder` that receives the client; emptied first. */
  output: string;
  generate: readonly Command[];
  compile: readonly Command[];
  /** Describes `compile` where it does something other than compiling or type-checking the client. */
  check?: string;
  /** Returns what is wrong with the generated client, given its folder. */
  verify?: (client: string) => string | undefined;
  /** Boots, asks and reads the export with the most obvious calls; prints what that of `POST /chat` returns. */
  firstCalls?: Command;
  /** Absent if no toolchain is available to run it. */
  scenario?: Command;
  note?: string;
};

const OPENAPI_3_1 = '3.1';
const OPENAPI_3_0 = '3.0.3';
const command = (...run: string[]): Command => ({ run });

const TYPESCRIPT = join(import.meta.dirname, 'typescript');

function typescript(
  name: string,
  npmPackage: string,
  generate: readonly string[],
  note: string,
  more: Pick<Generator, 'verify' | 'firstCalls'> = {},
): Generator {
  const scripts = ['scenario', ...(more.firstCalls ? ['first-calls'] : [])];
  return {
    name,
    language: 'TypeScript',
    version: readPinnedVersion('typescript/package.json', `"${npmPackage}": "([^"]+)"`),
    document: OPENAPI_3_1,
    deps: ['node', 'npm'],
    folder: TYPESCRIPT,
    manifest: 'package-lock.json',
    install: [command('npm', 'ci', '--no-progress')],
    output: `${name}/generated`,
    generate: [command(...generate)],
    compile: [
      command('node_modules/.bin/tsc', '-p', name),
      ...scripts.map((script) =>
        command(
          ...['rolldown', `${name}/${script}.ts`, '--file', `${name}/generated/${script}.js`],
          ...['--platform', 'node'],
        ),
      ),
    ],
    scenario: command('node', `${name}/generated/scenario.js`),
    note,
    ...more,
  };
}

/** Allows two names for the error type, of 400 and of all others: a union of all codes makes the hooks of react-query unreadable. */
function verifyOrval(client: string): string | undefined {
  const text = readFileSync(join(client, 'client.ts'), 'utf8');
  const error = /^ *export type SendMessageMutationError = ([^;\n]*)/m.exec(text)?.[1];
  return /^\w+( \| \w+)?$/.test(error ?? '')
    ? undefined
    : `the error type of sendMessage is not one or two names: ${error}`;
}

const bin = (name: string) => `node_modules/.bin/${name}`;

const typescriptGenerators: readonly Generator[] = [
  typescript(
    'openapi-typescript',
    'openapi-typescript',
    [bin('openapi-typescript'), '$DOCUMENT', '-o', 'openapi-typescript/generated/schema.ts'],
    'used with openapi-fetch; the event stream is parsed by hand',
  ),
  typescript(
    'hey-api',
    '@hey-api/openapi-ts',
    [bin('openapi-ts'), '-f', 'hey-api/config.ts'],
    'checks requests and answers with Zod; the stream is an async iterator of events, which needs a `responseValidator` that lets unknown events pass',
    { firstCalls: command('node', 'hey-api/generated/first-calls.js') },
  ),
  typescript(
    'orval',
    'orval',
    [bin('orval'), '--config', 'orval/config.ts'],
    'hooks of react-query on a fetch client, which reads the whole response before it returns',
    { verify: verifyOrval },
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
      ...[bin('swagger-typescript-api'), 'generate', '-p', '$DOCUMENT'],
      ...['-o', 'swagger-typescript-api/generated', '--name', 'client.ts', '--enum-style=union'],
    ],
    'the event stream is parsed by hand; other calls need `format: "json"`',
  ),
  typescript(
    'oazapfts',
    'oazapfts',
    [bin('oazapfts'), '$DOCUMENT', 'oazapfts/generated/client.ts'],
    'the fetch client reads the whole response before it returns',
  ),
];

/** Generates nothing: the types come from the contract, which the type check of the project covers. */
const contractClient: Generator = {
  name: 'ts-rest',
  language: 'TypeScript',
  version: readPinnedVersion('../../../package.json', '"@ts-rest/core": "([^"]+)"'),
  document: 'contract',
  deps: ['node'],
  folder: join(import.meta.dirname, 'ts-rest'),
  output: 'generated',
  manifest: 'first-calls.ts',
  install: [],
  generate: [],
  compile: [],
  firstCalls: command('node', 'first-calls.ts'),
  note: 'reads the contract itself; the default fetcher parses JSON Lines as one JSON value',
};

const installPython = [
  command('python3', '-m', 'venv', '.cache/venv'),
  command('.cache/venv/bin/pip', 'install', '--quiet', '-r', 'requirements.txt'),
];

const pythonEnv = { PYTHONPATH: 'generated:..', MYPYPATH: 'generated:..' };

function python(
  name: string,
  more: Pick<Generator, 'version' | 'deps' | 'generate' | 'note' | 'firstCalls'>,
): Generator {
  const env = pythonEnv;
  const scripts = ['scenario.py', ...(more.firstCalls ? ['first_calls.py'] : [])];
  return {
    name,
    language: 'Python',
    document: OPENAPI_3_0,
    folder: join(import.meta.dirname, 'python', name),
    output: 'generated',
    manifest: 'requirements.txt',
    install: installPython,
    compile: [
      command('.cache/venv/bin/python', '-m', 'compileall', '-q', 'generated'),
      { run: ['.cache/venv/bin/mypy', '--cache-dir', '.cache/mypy', ...scripts], env },
    ],
    scenario: { run: ['.cache/venv/bin/python', '-W', 'ignore', 'scenario.py'], env },
    ...more,
  } as Generator;
}

function openapiGenerator(output: string, ...args: string[]): Command {
  return command('java', '-jar', generatorJar, 'generate', '-i', '$DOCUMENT', '-o', output, ...args);
}

/** Lines of the Go client per operation, shared schemas included. */
const GO_LINES_MAX = 360;

function verifyGo(client: string): string | undefined {
  const text = readFileSync(join(client, 'client.go'), 'utf8');
  const methods = text.match(/^func New\w+Request\(/gm)?.length ?? 0;
  const lines = Math.round(text.split('\n').length / methods);
  return lines <= GO_LINES_MAX
    ? undefined
    : `the client has ${lines} lines an operation, more than ${GO_LINES_MAX}`;
}

const CODE_ONLY = 'apiTests=false,modelTests=false,apiDocs=false,modelDocs=false';

function maven(language: string, generate: Command, mainClass: string, note: string): Generator {
  return {
    name: 'openapi-generator',
    language,
    version: OPENAPI_GENERATOR.version,
    document: OPENAPI_3_1,
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

/** Returns the generator of a client in a scripting language: only its syntax can be checked without running it. */
function openapiGeneratorScript(
  language: 'PHP' | 'Ruby',
  generate: readonly string[],
  check: string,
  scenario: Command,
  note: string,
): Generator {
  const tool = language === 'PHP' ? 'php' : 'ruby';
  const extension = language === 'PHP' ? 'php' : 'rb';
  return {
    name: 'openapi-generator',
    language,
    version: OPENAPI_GENERATOR.version,
    document: OPENAPI_3_1,
    deps: ['java', tool],
    folder: join(import.meta.dirname, tool),
    output: 'generated',
    manifest: `scenario.${extension}`,
    install: [],
    generate: [openapiGenerator('generated', '-g', ...generate, '--global-property', CODE_ONLY)],
    compile: [
      command('sh', '-c', `find generated/lib -name '*.${extension}' -print0 | xargs -0 -n 1 -P 2 ${check}`),
    ],
    check: 'syntax',
    scenario,
    note,
  };
}

/** Returns the generator of a client whose toolchain is in no package registry: a grammar parses its files. */
function parsedOnly(
  language: string,
  grammar: 'csharp' | 'dart' | 'swift',
  options: readonly string[],
  sources: readonly string[],
  note: string,
): Generator {
  const target = `generated/${grammar}`;
  const name = grammar === 'swift' ? 'swift6' : grammar;
  return {
    name: 'openapi-generator',
    language,
    version: OPENAPI_GENERATOR.version,
    document: OPENAPI_3_1,
    deps: ['java', 'python3'],
    folder: join(import.meta.dirname, 'syntax'),
    output: target,
    manifest: 'requirements.txt',
    install: installPython,
    generate: [openapiGenerator(target, '-g', name, ...options, '--global-property', CODE_ONLY)],
    compile: [
      command(
        '.cache/venv/bin/python',
        'check.py',
        grammar,
        ...sources.map((source) => `${target}/${source}`),
      ),
    ],
    check: 'syntax only',
    note,
  };
}

export const GENERATORS: readonly Generator[] = [
  contractClient,
  ...typescriptGenerators,
  python('openapi-python-client', {
    version: readPinnedVersion(
      'python/openapi-python-client/requirements.txt',
      'openapi-python-client==(.+)',
    ),
    deps: ['python3'],
    generate: [
      command(
        ...['.cache/venv/bin/openapi-python-client', 'generate', '--path', '$DOCUMENT'],
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
    firstCalls: { run: ['.cache/venv/bin/python', 'first_calls.py'], env: pythonEnv },
    note: 'the functions read the whole response; to stream, send the request that they build',
  }),
  python('openapi-generator', {
    version: OPENAPI_GENERATOR.version,
    deps: ['python3', 'java'],
    generate: [
      openapiGenerator(
        'generated',
        '-g',
        'python',
        '--package-name',
        'guidepost',
        '--global-property',
        CODE_ONLY,
      ),
    ],
    note: 'streams through the `without_preload_content` variant of the function, which also gives all cookies',
  }),
  {
    name: 'oapi-codegen',
    language: 'Go',
    version: readPinnedVersion('go/go.mod', 'oapi-codegen/v2 v(\\S+)'),
    document: OPENAPI_3_0,
    deps: ['go'],
    folder: join(import.meta.dirname, 'go'),
    output: 'generated',
    manifest: 'go.sum',
    install: [command('go', 'mod', 'download')],
    generate: [command('go', 'tool', 'oapi-codegen', '-config', 'config.yaml', '$DOCUMENT')],
    compile: [
      command('go', 'vet', './...'),
      command('go', 'build', '-o', 'generated/', './scenario', './first-calls'),
    ],
    firstCalls: command('generated/first-calls'),
    scenario: command('generated/scenario'),
    verify: verifyGo,
    note: 'the event stream is parsed by hand',
  },
  maven(
    'Java',
    openapiGenerator(
      'generated',
      ...['-g', 'java', '--type-mappings', 'integer=Long'],
      ...['--additional-properties', 'disallowAdditionalPropertiesIfNotPresent=false'],
      ...['--additional-properties', 'invokerPackage=guidepost,modelPackage=guidepost.model'],
      ...['--additional-properties', 'apiPackage=guidepost.api,hideGenerationTimestamp=true'],
      ...['--global-property', CODE_ONLY],
    ),
    'Scenario',
    'okhttp-gson; integers mapped to `Long`, because times do not fit its default; rejects fields of later versions without `disallowAdditionalPropertiesIfNotPresent=false`; streams through the call that the function builds; exceptions carry the error as text, which `ErrorBody` parses',
  ),
  maven(
    'Kotlin',
    openapiGenerator(
      ...['generated', '-g', 'kotlin', '--package-name', 'guidepost'],
      ...['--type-mappings', 'integer=kotlin.Long', '--global-property', CODE_ONLY],
    ),
    'ScenarioKt',
    'jvm-okhttp4 with moshi; integers mapped to `Long`, because times do not fit its default; to stream, send the request that the function builds; events are separate types, not a union; exceptions carry the error as text, which `ErrorBody` parses',
  ),
  {
    name: 'progenitor',
    language: 'Rust',
    version: readPinnedVersion('rust/Cargo.toml', 'progenitor = \\{ version = "=([^"]+)"'),
    document: OPENAPI_3_0,
    deps: ['cargo'],
    folder: join(import.meta.dirname, 'rust'),
    output: 'generated',
    manifest: 'Cargo.lock',
    install: [command('cargo', 'fetch', '--locked')],
    generate: [],
    compile: [command('cargo', 'build', '--locked', '--quiet')],
    scenario: command('target/debug/scenario'),
    note: 'takes the `default` response for a success too, so it is replaced by `4XX` and `5XX`; does not support multipart forms, so `POST /transcribe` is left out; the event stream is parsed by hand',
  },
  {
    name: 'ogen',
    language: 'Go',
    version: readPinnedVersion('ogen/go.mod', 'ogen-go/ogen v(\\S+)'),
    document: OPENAPI_3_1,
    deps: ['go'],
    folder: join(import.meta.dirname, 'ogen'),
    output: 'generated',
    manifest: 'go.sum',
    install: [command('go', 'mod', 'download')],
    generate: [
      command('sh', '-c', `sed -E 's/^ *"400": .*//; s/"400": [^}]*}, //' "$DOCUMENT" > .cache/openapi.yaml`),
      command(
        ...['go', 'tool', 'ogen', '--target', 'generated', '--package', 'guidepost', '--clean'],
        '.cache/openapi.yaml',
      ),
    ],
    compile: [
      command('go', 'vet', './...'),
      command('go', 'build', '-o', 'generated/scenario', './scenario'),
    ],
    scenario: command('generated/scenario'),
    note: 'compiles a stream only where `default` is the only error, so `400` is taken out; leaves out operations with forms, NDJSON and CSV, which it does not support',
  },
  openapiGeneratorScript(
    'PHP',
    ['php', '--additional-properties', 'invokerPackage=Guidepost'],
    'php -l',
    command('php', 'scenario.php'),
    'Guzzle; to stream, send the request that the function builds; events are decoded by their type',
  ),
  openapiGeneratorScript(
    'Ruby',
    ['ruby', '--additional-properties', 'gemName=guidepost,moduleName=Guidepost'],
    'ruby -c',
    command('ruby', '-I', 'generated/lib', 'scenario.rb'),
    'Typhoeus; does not support session cookies, so `auth_settings` has to be replaced; to stream, send the request that the client builds; exceptions carry the error as text, which `ErrorBody` parses',
  ),
  parsedOnly(
    'C#',
    'csharp',
    ['--library', 'httpclient', '--type-mappings', 'integer=long'],
    ['src'],
    'HttpClient; integers mapped to `long`, because times do not fit its default',
  ),
  parsedOnly(
    'Swift',
    'swift',
    ['--additional-properties', 'validatable=false'],
    // Leaves out the files that are the same for every document: the grammar does not know some of their expressions.
    ['Sources/OpenAPIClient/APIs', 'Sources/OpenAPIClient/Models'],
    'without its validation rules, which escape slashes in a way that Swift rejects',
  ),
  parsedOnly('Dart', 'dart', [], ['lib'], 'package http'),
];

/** Reads the version that a manifest in this folder pins. */
function readPinnedVersion(manifest: string, pattern: string): string {
  const version = new RegExp(pattern).exec(readFileSync(join(import.meta.dirname, manifest), 'utf8'))?.[1];
  if (version === undefined) throw new Error(`${manifest} has no version that matches ${pattern}`);
  return version;
}
