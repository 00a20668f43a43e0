import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const PAGES = globSync(['*.md', '{docs,bench,client,contract,eval,generated,lint,server,test}/**/*.md'], {
  cwd: ROOT,
  // The files of others are there to be read as they are.
  exclude: (path) => /node_modules|test\/sources\/files\/reports/.test(path),
});

/** Returns the anchors of a page, as hosts of repositories derive them from headings. */
const listAnchors = (text: string) =>
  [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\- _]/gu, '')
      .replaceAll(' ', '-'),
  );

function findBrokenLinks(page: string): string[] {
  const text = read(page).replaceAll(/`[^`\n]*`/g, '');
  return [...text.matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)/g)].flatMap(
    ([, path = '', anchor]) => {
      const target = path === '' ? page : join(dirname(page), path);
      if (!existsSync(join(ROOT, target))) return [target];
      return anchor === undefined || listAnchors(read(target)).includes(anchor)
        ? []
        : [`${target}#${anchor}`];
    },
  );
}

describe('the documentation', () => {
  it('links only to files and headings that exist', () => {
    expect(PAGES.length).toBeGreaterThan(40);
    expect(PAGES.flatMap((page) => findBrokenLinks(page).map((link) => `${page}: ${link}`))).toEqual([]);
  });

  it('shows every picture in docs/', () => {
    const pages = PAGES.map(read).join('\n');
    const pictures = globSync('docs/**/*.png', { cwd: ROOT }).map((path) => path.split('/').at(-1)!);
    expect(pictures.filter((name) => !pages.includes(name))).toEqual([]);
  });

  it('names only make targets that exist', () => {
    const targets = new Set([...read('Makefile').matchAll(/^([a-z-]+):/gm)].map(([, target]) => target));
    const named = PAGES.flatMap((page) =>
      [...read(page).matchAll(/`make ([a-z-]+)/g)].map(([, target]) => target),
    );
    expect(named.filter((target) => !targets.has(target))).toEqual([]);
  });

  it('installs and runs no package of ours by a name, which anybody could take on a registry', () => {
    const files = [...PAGES, ...globSync('{deploy/*,scripts/pack-server.ts,Dockerfile}', { cwd: ROOT })];
    const commands = files.flatMap((file) =>
      [
        ...read(file).matchAll(
          /\b(?:npx|bunx|npm (?:i|install|exec|x|ci)|(?:pnpm|yarn|bun) (?:add|dlx|x))\b.*/g,
        ),
      ].map(([command]) => `${file}: ${command}`),
    );
    expect(commands.length).toBeGreaterThan(8);
    const hasOurName = (command: string) =>
      !command.includes('--package=') &&
      /[ `"']@?guidepost(\/[a-z]+)?(@[^\s`]*)?(?=[\s`"';]|$)/.test(command);
    expect(commands.filter(hasOurName)).toEqual([]);
    for (const wrong of ['npx guidepost serve', 'npm install x guidepost@0.1.0', 'npm i @guidepost/client'])
      expect(hasOurName(wrong), wrong).toBe(true);
  });

  it('names only tests that exist for the promises of the threat model', () => {
    const named = [...read('docs/threat-model.md').matchAll(/`([a-z-]+(?:\/[a-z-]+)+)`/g)].map(
      ([, test]) => test!,
    );
    expect(named.length).toBeGreaterThan(30);
    const isTest = (name: string) =>
      ['.test.ts', '.slow.test.ts', '.ts'].some((end) => existsSync(join(ROOT, 'test', name + end)));
    expect(named.filter((name) => !isTest(name))).toEqual([]);
  });
});
