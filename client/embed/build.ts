import { createHash } from 'node:crypto';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const HERE = new URL('./', import.meta.url);
const OUT_FOLDER = fileURLToPath(new URL('../../dist/', import.meta.url));

/**
 * Builds the script tag: `guide.js`, a classic script without a dependency, and in `guide/` what it loads when it is
 * needed: the launcher, the panel, the texts of each language, what is said when something is wrong. `guide/build.json` names them.
 */
export async function buildEmbed(outFolder: string): Promise<void> {
  const languages = await textsOf();
  const known = languages.map(({ tag, texts }) => [scriptOf(tag), [tag, texts.guide, texts.open]]);
  const define = { GUIDE_LANGUAGES: JSON.stringify(Object.fromEntries(known)) };
  const [launcher, panel, voice, picture, installErrors] = await Promise.all([
    bundled('launcher.ts', 'esm', define),
    bundled('panel.ts', 'esm'),
    bundled('voice.ts', 'esm'),
    bundled('picture.ts', 'esm'),
    bundled('install-errors.ts', 'esm'),
  ]);
  const files: Record<string, string> = {
    'launcher.js': launcher,
    'panel.js': panel,
    'voice.js': voice,
    'picture.js': picture,
    'install-errors.js': installErrors,
  };
  for (const { tag, texts } of languages) files[`${tag}.js`] = `export const texts=${JSON.stringify(texts)};`;
  const build = createHash('sha256').update(JSON.stringify(files)).digest('base64url').slice(0, 8);
  const loader = await bundled('loader.ts', 'iife', { GUIDE_BUILD: JSON.stringify(build) });

  const folder = `${outFolder}/guide`;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  for (const [name, code] of Object.entries(files)) await writeFile(`${folder}/${name}`, code);
  await writeFile(`${folder}/build.json`, JSON.stringify({ build, files: Object.keys(files) }));
  await writeFile(`${outFolder}/guide.js`, loader);
}

async function bundled(
  name: string,
  format: 'esm' | 'iife',
  define: Record<string, string> = {},
): Promise<string> {
  const bundle = await rolldown({
    input: fileURLToPath(new URL(name, HERE)),
    logLevel: 'warn',
    transform: { define },
  });
  const { output } = await bundle.generate({ format, minify: true, sourcemap: false });
  await bundle.close();
  return squeezed(output[0].code);
}

/** What makes style sheets readable is of no use to a browser. */
function squeezed(code: string): string {
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

/** A language is there once its file is: `locales/zh-cn.ts` holds the texts of zh-CN, whatever they are called in there. */
async function textsOf(): Promise<Language[]> {
  const names = (await readdir(new URL('locales/', HERE))).filter((name) => name.endsWith('.ts')).sort();
  return Promise.all(
    names.map(async (name) => {
      const [texts] = Object.values(await import(new URL(`locales/${name}`, HERE).href));
      return { tag: name.slice(0, -'.ts'.length), texts: texts as Language['texts'] };
    }),
  );
}

function scriptOf(tag: string): string {
  const { language, script } = new Intl.Locale(tag).maximize();
  return `${language}-${script}`;
}

if (argv[1] === fileURLToPath(import.meta.url)) await buildEmbed(argv[2] ?? OUT_FOLDER);
