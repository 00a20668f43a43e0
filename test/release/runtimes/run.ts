import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { isDeepStrictEqual, promisify } from 'node:util';
import { rolldown } from 'rolldown';
import { openProject, openService, type Project, writeConsumers } from './consumer.ts';
import { EXPECTED_WITH_EXPORT_AND_TENANT } from './scenario.js';

/**
 * `make test-runtimes`: installs the packed client into a project and runs the scenario against a real service, in every runtime with a
 * binary for this platform. Fails if a runtime fails or was not installed.
 */
type Target = Awaited<ReturnType<typeof openService>>['target'];
type Runtime = {
  name: string;
  /** Package folders by platform and architecture. */
  packages: Readonly<Record<string, string>>;
  binary: string;
  runScenario: (binary: string, project: Project, target: Target) => Promise<unknown>;
};

const run = promisify(execFile);
const PACKAGES = join(import.meta.dirname, 'node_modules');
const PLATFORM = `${process.platform}-${process.arch}`;

const node = (major: number): Runtime => ({
  name: `Node ${major}`,
  packages: Object.fromEntries(
    ['darwin-arm64', 'linux-arm64', 'linux-x64'].map((platform) => [platform, `node${major}-${platform}`]),
  ),
  binary: 'bin/node',
  runScenario: runOnCommandLine([]),
});

const RUNTIMES: readonly Runtime[] = [
  node(20),
  node(22),
  {
    name: 'Node 24',
    packages: { [PLATFORM]: '../../../node_modules/node' },
    binary: 'bin/node',
    runScenario: runOnCommandLine([]),
  },
  node(26),
  {
    name: 'Deno',
    packages: {
      'darwin-arm64': '@deno/darwin-arm64',
      'linux-arm64': '@deno/linux-arm64-glibc',
      'linux-x64': '@deno/linux-x64-glibc',
    },
    binary: 'deno',
    runScenario: runOnCommandLine(['run', '--allow-net', '--allow-env', '--node-modules-dir=manual']),
  },
  {
    name: 'Bun',
    packages: {
      'darwin-arm64': '@oven/bun-darwin-aarch64',
      'linux-arm64': '@oven/bun-linux-aarch64',
      'linux-x64': '@oven/bun-linux-x64',
    },
    binary: 'bin/bun',
    runScenario: runOnCommandLine(['run']),
  },
  {
    name: 'workerd',
    packages: {
      'darwin-arm64': '@cloudflare/workerd-darwin-arm64',
      'linux-arm64': '@cloudflare/workerd-linux-arm64',
      'linux-x64': '@cloudflare/workerd-linux-64',
    },
    binary: 'bin/workerd',
    runScenario: runInWorker,
  },
];

/** Runs the ES modules of the package, then its CommonJS modules. Returns the first unexpected result. */
function runOnCommandLine(args: readonly string[]): Runtime['runScenario'] {
  return async (binary, { folder }, target) => {
    const env = { TARGET: JSON.stringify(target), HOME: folder, DENO_NO_UPDATE_CHECK: '1' };
    const start = async (file: string) => {
      const { stdout } = await run(binary, [...args, file], { cwd: folder, env, timeout: 60_000 });
      return JSON.parse(stdout);
    };
    const result = await start('start.js');
    return isDeepStrictEqual(result, EXPECTED_WITH_EXPORT_AND_TENANT) ? start('start.cjs') : result;
  };
}

/** Runs the scenario in a worker, which is a single script, so its imports are bundled. */
async function runInWorker(binary: string, { folder }: Project, target: Target): Promise<unknown> {
  const bundle = await rolldown({ input: join(folder, 'worker.js'), logLevel: 'silent' });
  await bundle.write({ file: join(folder, 'bundled.js'), format: 'esm' });
  await bundle.close();
  const port = await findFreePort();
  await writeFile(
    join(folder, 'worker.capnp'),
    `using Workerd = import "/workerd/workerd.capnp";
    const config :Workerd.Config = (
      services = [
        (name = "scenario", worker = .scenario),
        (name = "internet", network = (allow = ["public", "private"])),
      ],
      sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "scenario")],
    );
    const scenario :Workerd.Worker = (
      modules = [(name = "bundled.js", esModule = embed "bundled.js")],
      compatibilityDate = "2026-01-01",
    );`,
  );
  const worker = spawn(binary, ['serve', 'worker.capnp'], { cwd: folder, stdio: 'inherit' });
  try {
    const response = await retry(() =>
      fetch(`http://127.0.0.1:${port}`, { method: 'POST', body: JSON.stringify(target) }),
    );
    if (!response.ok) throw new Error(await response.text());
    return await response.json();
  } finally {
    worker.kill();
  }
}

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function retry<T>(attempt: () => Promise<T>): Promise<T> {
  for (let left = 100; ; left -= 1) {
    try {
      return await attempt();
    } catch (error) {
      if (left === 0) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

async function checkTypesWithTypeScript5({ folder }: Project): Promise<string> {
  const compiler = join(PACKAGES, 'typescript-5/bin/tsc');
  const { version } = (await import(join(PACKAGES, 'typescript-5/package.json'), { with: { type: 'json' } }))
    .default;
  for (const file of await writeConsumers(folder))
    await run(process.execPath, [compiler, '-p', file], { cwd: folder });
  return version;
}

const lines: string[] = [];
const report = (name: string, version: string, outcome: string) =>
  lines.push(`${name.padEnd(12)}${version.padEnd(14)}${outcome}`);
const project = await openProject();
try {
  for (const { name, packages, binary, runScenario } of RUNTIMES) {
    const folder = packages[PLATFORM];
    const path = folder && join(PACKAGES, folder, binary);
    if (!path) {
      report(name, '', `skipped: no binary for ${PLATFORM}`);
      continue;
    }
    if (!existsSync(path)) {
      report(name, '', 'missing: binary not installed');
      process.exitCode = 1;
      continue;
    }
    const { stdout } = await run(path, ['--version']);
    const version = /[\d.]+[\d-]*/.exec(stdout)?.[0] ?? '';
    // A new service for each runtime, because all runtimes together would exceed the sign-in limit of an account.
    const { team, target } = await openService();
    const outcome = await runScenario(path, project, target).catch((error: unknown) => `${error}`);
    await team.close();
    const hasPassed = isDeepStrictEqual(outcome, EXPECTED_WITH_EXPORT_AND_TENANT);
    report(name, version, hasPassed ? 'passed' : `failed: ${JSON.stringify(outcome)}`);
    if (!hasPassed) process.exitCode = 1;
  }
  const outcome = await checkTypesWithTypeScript5(project).then(
    (version) => report('TypeScript', version, 'accepts the types'),
    (error) => `${error.stdout ?? error}`,
  );
  if (typeof outcome === 'string') {
    report('TypeScript', '5', `failed: ${outcome}`);
    process.exitCode = 1;
  }
} finally {
  await project.remove();
}
console.log(lines.join('\n'));
