import { createHash } from 'node:crypto';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const HERE = new URL('./', import.meta.url);
const OUT_FOLDER = fileURLToPath(new URL('../../dist/', import.meta.url));

/**
 * Builds the script tag: `guide.js`, a classic script without dependencies, and in `guide/` the files that it loads on demand,
 * which `guide/build.json` lists.
 */
export async function buildEmbed(outFolder: string): Promise<void> {
  const languages = await readLanguages();
  const known = languages.map(({ tag, texts }) => [toLanguageAndScript(tag), [tag, texts.guide, texts.open]]);
  const define = { GUIDE_LANGUAGES: JSON.stringify(Object.fromEntries(known)) };
  const [launcher, panel, voice, picture, actions, installErrors] = await Promise.all([
    bundle('launcher.ts', 'esm', define),
    bundle('panel.ts', 'esm'),
    bundle('voice.ts', 'esm'),
    bundle('picture.ts', 'esm'),
    bundle('actions.ts', 'esm'),
    bundle('install-errors.ts', 'esm'),
  ]);
  const files: Record<string, string> = {
    'launcher.js': launcher,
    'panel.js': panel,
    'voice.js': voice,
    'picture.js': picture,
    'actions.js': actions,
    'install-errors.js': installErrors,
  };
  for (const { tag, texts } of languages) files[`${tag}.js`] = `export const texts=${JSON.stringify(texts)};`;
  const build = createHash('sha256').update(JSON.stringify(files)).digest('base64url').slice(0, 8);
  const loader = await bundle('loader.ts', 'iife', { GUIDE_BUILD: JSON.stringify(build) });

  const folder = `${outFolder}/guide`;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  for (const [name, code] of Object.entries(files)) await writeFile(`${folder}/${name}`, code);
  await writeFile(`${folder}/build.json`, JSON.stringify({ build, files: Object.keys(files) }));
  await writeFile(`${outFolder}/guide.js`, loader);
}

async function bundle(
  name: string,
  format: 'esm' | 'iife',
  define: Record<string, string> = {},
): Promise<string> {
  const build = await rolldown({
    input: fileURLToPath(new URL(name, HERE)),
    logLevel: 'warn',
    transform: { define },
  });
  const { output } = await build.generate({ format, minify: true, sourcemap: false });
  await build.close();
  return minifyStyles(output[0].code);
}

/** Removes whitespace from style sheets in template literals, which the minifier keeps. */
function minifyStyles(code: string): string {
  return code.replace(/`\n[^`$]*\{[^`$]*`/g, (sheet) =>
    sheet
      .replace(/\s*\n\s*/g, '')
      .replace(/\s*([{};,])\s*/g, '$1')
      .replace(/:\s+/g, ':')
      .replace(/(?<!\d)0\./g, '.')
      .replaceAll(';}', '}'),
  );
}

type Language = { readonly tag: string; readonly texts: { readonly guide: string; readonly open: string } };

/** Each file in `locales/` is a language: `locales/zh-cn.ts` exports the texts of zh-CN, under any name. */
async function readLanguages(): Promise<Language[]> {
  const names = (await readdir(new URL('locales/', HERE))).filter((name) => name.endsWith('.ts')).sort();
  return Promise.all(
    names.map(async (name) => {
      const [texts] = Object.values(await import(new URL(`locales/${name}`, HERE).href));
      return { tag: name.slice(0, -'.ts'.length), texts: texts as Language['texts'] };
    }),
  );
}

function toLanguageAndScript(tag: string): string {
  const { language, script } = new Intl.Locale(tag).maximize();
  return `${language}-${script}`;
}

if (argv[1] === fileURLToPath(import.meta.url)) await buildEmbed(argv[2] ?? OUT_FOLDER);
