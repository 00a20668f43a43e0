import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { publint } from 'publint';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COMPILER } from '../../scripts/pack-client.ts';
import { openPackages, type Packages, type Project } from './react-site.ts';

/** Tests the published tarball with that of the client, in projects with React 18 and 19. */

const run = promisify(execFile);
const { resolve } = createRequire(import.meta.url);

let packages: Packages;
beforeAll(async () => {
  packages = await openPackages();
});
afterAll(() => packages.remove());

test('publint finds no problems in the package', async () => {
  const { messages } = await publint({ pkgDir: packages.written, pack: 'npm', strict: true });
  expect(messages).toEqual([]);
});

test('the types of the package resolve under node16, in bundlers and for CommonJS', async () => {
  const bin = join(dirname(resolve('@arethetypeswrong/cli/package.json')), 'dist/index.js');
  const args = [bin, packages.tarball, '--profile', 'strict', '--format', 'json'];
  const { stdout } = await run(process.execPath, args);
  const { analysis } = JSON.parse(stdout);
  expect(analysis.types).toEqual({ kind: 'included' });
  expect(analysis.problems).toEqual([]);
});

test('the package needs React and the client, and nothing else', () => {
  const manifest = JSON.parse(readFileSync(join(packages.written, 'package.json'), 'utf8'));
  expect(manifest.peerDependencies).toEqual({ '@guidepost/client': expect.anything(), react: '>=18' });
  for (const field of ['dependencies', 'devDependencies', 'scripts'])
    expect(manifest).not.toHaveProperty(field);
  expect(manifest.peerDependenciesMeta).toEqual({ '@guidepost/client': { optional: true } });
});

test.each(['parts', 'use-guide', 'message', 'on-demand-stubs', 'microphone'])(
  'server components get %s as client components',
  (name) => {
    const code = readFileSync(join(packages.written, `client/react/${name}.js`), 'utf8');
    expect(code).toMatch(/^'use client';/);
  },
);

const CONSUMER = `
import {
  type Answer, Guide, type GuideFailure, type GuideHandle, type GuideLabels, type GuideSettings, type Message, Microphone, useGuide, voice,
} from '@guidepost/react';
import { createElement, createRef, type ReactNode } from 'react';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(_: Same<A, B>) => {};

const settings: GuideSettings = { baseUrl: 'https://guide.example.com', appId: 'gp_x', voice };
const labels: Partial<GuideLabels> = { send: 'Ask', failure: ({ code }) => code };

export function Chat(): ReactNode {
  const guide = useGuide(settings);
  same<typeof guide, GuideHandle>(true);
  // Fails if a type is any, which would match everything.
  same<typeof guide.status, 'booting' | 'ready' | 'unavailable'>(true);
  same<typeof guide.failure, GuideFailure | undefined>(true);
  same<typeof guide.consent.state, 'unknown' | 'needed' | 'granted' | 'denied'>(true);
  same<typeof guide.messages, readonly Message[]>(true);
  const last = guide.messages.at(-1);
  if (last?.role === 'guide') {
    same<typeof last, Answer>(true);
    void guide.feedback(last.id, 'up', last.citations[0]?.title);
    for (const action of last.actions) void guide.perform(action).then((outcome) => outcome === 'done');
  }
  // @ts-expect-error A rating is up or down.
  void guide.feedback('msg_x', 'sideways');
  // @ts-expect-error A question has no citations.
  last?.citations;
  const input = createRef<HTMLTextAreaElement>();
  return createElement(
    Guide.Root, { guide, labels },
    createElement(Guide.Messages, { className: 'log', children: (message) => createElement(Guide.Message, { message }) }),
    createElement(Guide.Composer, null, createElement(Guide.Input, { ref: input, autoFocus: true }), createElement(Microphone), createElement(Guide.Send)),
    createElement(Guide.Consent, { always: true, id: 'consent' }),
  );
}

// @ts-expect-error A guide needs the service's address.
createElement(Guide.Root, { appId: 'gp_x' });
// @ts-expect-error Disclosure has no children.
createElement(Guide.Disclosure, { children: 'x' });
`;

const JSX_CONSUMER = `
import { Guide } from '@guidepost/react';

export const chat = (
  <Guide.Root baseUrl="https://guide.example.com" appId="gp_x">
    <Guide.Messages>{(message) => <Guide.Message message={message} className={message.role} />}</Guide.Messages>
    <Guide.Composer onSubmit={(event) => event.currentTarget.reset()} />
  </Guide.Root>
);
`;

const STRICT = {
  noEmit: true,
  strict: true,
  skipLibCheck: false,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  jsx: 'react-jsx',
  target: 'es2022',
  lib: ['es2022', 'dom', 'dom.iterable', 'dom.asynciterable'],
  types: [],
};
const RESOLUTIONS = {
  node16: { module: 'node16' },
  nodenext: { module: 'nodenext' },
  bundler: { module: 'esnext', moduleResolution: 'bundler' },
};

describe.each([18, 19] as const)('with React %i', (version) => {
  let project: Project;
  beforeAll(async () => {
    project = await packages.openProject(version);
    for (const name of ['consumer.ts', 'consumer.cts']) await writeFile(join(project.folder, name), CONSUMER);
    await writeFile(join(project.folder, 'page.tsx'), JSX_CONSUMER);
  });

  test.each(Object.entries(RESOLUTIONS))(
    'strict code compiles against the types under %s, with skipLibCheck off',
    async (name, options) => {
      const config = join(project.folder, `tsconfig.${name}.json`);
      const files = ['consumer.ts', 'consumer.cts', 'page.tsx'];
      await writeFile(config, JSON.stringify({ compilerOptions: { ...STRICT, ...options }, files }));
      await run(COMPILER, ['-p', config]).catch(({ stdout }) => expect.fail(stdout));
    },
  );

  test.each(['start.mjs', 'start.cjs'])('Node renders the components with %s', async (file) => {
    const imports = Object.entries({
      '@guidepost/react': '{ Guide, useGuide }',
      react: '{ createElement }',
      'react-dom/server': '{ renderToString }',
    });
    const lines = imports.map(([from, names]) =>
      file.endsWith('.cjs') ? `const ${names} = require('${from}');` : `import ${names} from '${from}';`,
    );
    const code = `${lines.join('\n')}
      const Say = () => useGuide().status;
      const settings = { baseUrl: 'https://guide.example.com', appId: 'gp_x' };
      console.log(renderToString(createElement(Guide.Root, settings, createElement(Say))));`;
    await writeFile(join(project.folder, file), code);
    const { stdout } = await run(process.execPath, [join(project.folder, file)]);
    expect(stdout.trim()).toBe('booting');
  });
});

const INDEX = fileURLToPath(new URL('../../client/react/index.ts', import.meta.url));
const ENTRY = 'entry';

type Size = {
  /** Loaded with the page. */
  first: number;
  /** Loaded while the guide boots. */
  onDemand: number;
  /** Loaded when a visitor asks a person. */
  form: number;
  code: string;
};

/** Returns the bundled, minified and gzipped size of a page with these imports, without React and the client. */
async function sizeWith(names: string): Promise<Size> {
  const source = `export { ${names} } from ${JSON.stringify(INDEX)};`;
  const entry = {
    name: ENTRY,
    resolveId: (id: string) => (id === ENTRY ? id : undefined),
    load: (id: string) => (id === ENTRY ? source : undefined),
  };
  const external = [/^react/, '@guidepost/client'];
  const bundle = await rolldown({ input: ENTRY, plugins: [entry], external, logLevel: 'silent' });
  const { output } = await bundle.generate({ format: 'esm', minify: true, comments: false });
  await bundle.close();
  const chunks = output.filter((file) => file.type === 'chunk');
  const getSize = (isIncluded: (chunk: (typeof chunks)[number]) => boolean) =>
    chunks.filter(isIncluded).reduce((sum, { code }) => sum + gzipSync(code).length, 0);
  return {
    first: getSize(({ isDynamicEntry }) => !isDynamicEntry),
    onDemand: getSize(({ name }) => name === 'on-demand'),
    form: getSize(({ name }) => name === 'person-form'),
    code: chunks.map(({ code }) => code).join(),
  };
}

const FIRST_BYTES_MAX = 6.4 * 1024;
const ON_DEMAND_BYTES_MAX = 7 * 1024;
const FORM_BYTES_MAX = 1.8 * 1024;
const VOICE_BYTES_MAX = 1.5 * 1024;

test('the hook and all parts add less than 6.4 KB to a page, 7 KB more while the guide boots, and 1.8 KB for the form', async () => {
  const { first, onDemand, form, code } = await sizeWith('Guide, useGuide');
  expect(first).toBeLessThan(FIRST_BYTES_MAX);
  expect(onDemand).toBeLessThan(ON_DEMAND_BYTES_MAX);
  expect(form).toBeGreaterThan(0);
  expect(form).toBeLessThan(FORM_BYTES_MAX);
  expect(code).not.toContain('withVoice');
});

test('voice adds less than 1.5 KB, only to pages that import it', async () => {
  const [silent, speaking] = await Promise.all([
    sizeWith('Guide, useGuide'),
    sizeWith('Guide, useGuide, voice, Microphone'),
  ]);
  const whole = ({ first, onDemand, form }: Size) => first + onDemand + form;
  expect(whole(speaking) - whole(silent)).toBeLessThan(VOICE_BYTES_MAX);
});
