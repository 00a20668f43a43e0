import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMPILER } from '../../../scripts/pack-client.ts';
import { VERSION } from '../../../server/base/version.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { openService, writeConsumers } from '../runtimes/consumer.ts';
import { EXPECTED_WITH_EXPORT_AND_TENANT } from '../runtimes/scenario.js';

/** Installs the packages that a running service serves, where npm reaches no registry. */

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../../..');
const NO_REGISTRY = { npm_config_registry: 'http://127.0.0.1:9', npm_config_fetch_retries: '0' };

let service: Awaited<ReturnType<typeof openService>>;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.team.close());

/** Installs packages by npm into an empty folder and returns the folder. */
async function install(...packages: readonly string[]): Promise<string> {
  const folder = tempDir();
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  const env = { ...process.env, ...NO_REGISTRY, npm_config_cache: join(tempDir(), 'cache') };
  await run('npm', ['install', '--no-audit', '--no-fund', ...packages], { cwd: folder, env });
  return folder;
}

const served = (name: string) => `${service.target.baseUrl}/packages/guidepost-${name}.tgz`;
const REACT = `react@file:${join(ROOT, 'node_modules/react')}`;

describe('npm install from a running service', () => {
  it('installs the client of its version, which compiles and works with it', async () => {
    const folder = await install(served('client'));
    const manifest = readFileSync(join(folder, 'node_modules/@guidepost/client/package.json'), 'utf8');
    expect(JSON.parse(manifest).version).toBe(VERSION.version);
    for (const settings of await writeConsumers(folder))
      await run(COMPILER, ['-p', settings], { cwd: folder }).catch(({ stdout }) => expect.fail(stdout));
    for (const file of ['start.js', 'scenario.js'])
      copyFileSync(join(ROOT, 'test/release/runtimes', file), join(folder, file));
    const env = { TARGET: JSON.stringify(service.target) };
    const { stdout } = await run(process.execPath, ['start.js'], { cwd: folder, env });
    expect(JSON.parse(stdout)).toEqual(EXPECTED_WITH_EXPORT_AND_TENANT);
  });

  it('installs the client and the React components by one command, and both compile and work', async () => {
    const folder = await install(REACT, served('client'), served('react'));
    mkdirSync(join(folder, 'node_modules/@types'));
    symlinkSync(join(ROOT, 'node_modules/react-dom'), join(folder, 'node_modules/react-dom'));
    for (const name of ['react', 'react-dom'])
      symlinkSync(join(ROOT, 'lint/node_modules/@types', name), join(folder, 'node_modules/@types', name));
    writeFileSync(join(folder, 'page.tsx'), PAGE);
    const compilerOptions = {
      strict: true,
      module: 'nodenext',
      target: 'es2022',
      jsx: 'react-jsx',
      types: [],
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['page.tsx'] }));
    await run(COMPILER, ['-p', '.'], { cwd: folder }).catch(({ stdout }) => expect.fail(stdout));
    const { stdout } = await run(process.execPath, ['page.js'], { cwd: folder });
    expect(stdout.trim()).toBe('<p>booting</p> function');
  });

  it('asks no registry for the client where the React components are installed alone', async () => {
    const folder = await install(REACT, served('react'));
    expect(existsSync(join(folder, 'node_modules/@guidepost/react/package.json'))).toBe(true);
    expect(existsSync(join(folder, 'node_modules/@guidepost/client'))).toBe(false);
  });
});

const PAGE = `
import { createGuide, type GuideOptions } from '@guidepost/client';
import { Guide, type GuideSettings, useGuide } from '@guidepost/react';
import { renderToString } from 'react-dom/server';

const settings: GuideSettings & GuideOptions = { baseUrl: 'https://guide.example.com', appId: 'gp_x' };
function Status() {
  return <p>{useGuide().status}</p>;
}
// @ts-expect-error A guide needs the address of the service.
export const wrong = () => createGuide({ appId: 'gp_x' });
console.log(renderToString(<Guide.Root {...settings}><Status /></Guide.Root>), typeof createGuide(settings).chat);
`;
