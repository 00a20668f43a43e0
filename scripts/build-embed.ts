import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';
import { type Plugin, rolldown } from 'rolldown';
import { LAUNCHER_TEXTS, OPTIONAL_TEXTS } from '../client/embed/optional-texts.ts';
import readAs from '../languages/read-as.json' with { type: 'json' };
import { getWording, type Wording } from '../server/visitors/consent/disclosure.ts';

const HERE = new URL('../client/embed/', import.meta.url);
const LANGUAGES = new URL('../languages/guide/', import.meta.url);
/** The files that are loaded on demand, in addition to those of the languages. */
const CHUNKS = [
  'launcher',
  'brand',
  'panel',
  'capture',
  'help',
  'page-parts',
  'paths',
  'voice',
  'screenshot',
  'actions',
  'handover',
  'rating-form',
  'install-errors',
];
/** Another name of the same function: pages have variables named `URL`. */
const BUILT_IN = { URL: 'webkitURL' };
const OUT_FOLDER = fileURLToPath(new URL('../dist/', import.meta.url));

/**
 * Builds the script tag: `guide.js`, a classic script without dependencies, and in `guide/` the files that it loads on demand,
 * which `guide/build.json` lists.
 */
export async function buildEmbed(outFolder: string): Promise<void> {
  const languages = await readLanguages();
  const define = {
    GUIDE_LANGUAGES: JSON.stringify(languages.map(({ tag }) => tag)),
    READ_AS: JSON.stringify(readAs),
    ...BUILT_IN,
  };
  const bundled = await Promise.all(CHUNKS.map((name) => bundle(name, 'esm', define)));
  const files: Record<string, string> = Object.assign({}, ...bundled);
  for (const { tag, texts, wording } of languages) {
    const ofPanel = exportTexts(
      texts,
      (key) =>
        !Object.values(OPTIONAL_TEXTS)
          .flat()
          .some((optional) => optional === key),
    );
    files[`${tag}.js`] = `${ofPanel}export const wording=${JSON.stringify(wording)};`;
    for (const [name, keys] of Object.entries({ ...OPTIONAL_TEXTS, launcher: LAUNCHER_TEXTS }))
      files[`${tag}-${name}.js`] = exportTexts(texts, (key) => keys.some((optional) => optional === key));
  }
  const build = createHash('sha256').update(JSON.stringify(files)).digest('base64url').slice(0, 8);
  const { 'loader.js': loader = '' } = await bundle('loader', 'iife', {
    GUIDE_BUILD: JSON.stringify(build),
    ...BUILT_IN,
  });

  const folder = `${outFolder}/guide`;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  for (const [name, code] of Object.entries(files)) await writeFile(`${folder}/${name}`, code);
  await writeFile(`${folder}/build.json`, JSON.stringify({ build, files: Object.keys(files) }));
  await writeFile(`${outFolder}/guide.js`, loader);
}

function exportTexts(texts: Language['texts'], isIncluded: (key: string) => boolean): string {
  const included = Object.entries(texts).filter(([key]) => isIncluded(key));
  return `export const texts=${JSON.stringify(Object.fromEntries(included))};`;
}

/** Files that another one loads later, without a copy of the modules that they share. */
const LATER: Readonly<Record<string, string>> = { panel: 'conversation' };

/** Returns the code of a file, and of the one that it loads later, by name. */
async function bundle(
  name: string,
  format: 'esm' | 'iife',
  define: Record<string, string>,
): Promise<Record<string, string>> {
  const path = (module: string) => fileURLToPath(new URL(`${module}.ts`, HERE));
  const later = LATER[name];
  const build = await rolldown({
    input: { [name]: later ? ENTRY : path(name) },
    plugins: later ? [enter(path(name), path(later))] : [],
    preserveEntrySignatures: 'allow-extension',
    logLevel: 'warn',
    transform: { define },
  });
  const { output } = await build.generate({
    format,
    minify: true,
    sourcemap: false,
    chunkFileNames: '[name].js',
  });
  await build.close();
  const chunks = output.flatMap((file) => (file.type === 'chunk' ? [file] : []));
  return Object.fromEntries(
    chunks.map(({ fileName, code }) => [fileName, minifyStyles(code.replaceAll('/* @__PURE__ */', ''))]),
  );
}

const ENTRY = 'entry';

/** The import tells the bundler that `later` is loaded after `first`; at run time the chunk loader loads it. */
function enter(first: string, later: string): Plugin {
  return {
    name: ENTRY,
    resolveId: (id) => (id === ENTRY ? ENTRY : undefined),
    load: (id) =>
      id === ENTRY
        ? `export * from ${JSON.stringify(first)}; export const later = () => import(${JSON.stringify(later)});`
        : undefined,
  };
}

/** Removes whitespace from style sheets in template literals, which the minifier keeps. */
function minifyStyles(code: string): string {
  return code.replace(/`\n[^`$]*\{[^`$]*`/g, (sheet) =>
    sheet
      .replace(/\s*\n\s*/g, '')
      .replace(/\s*([{};,>])\s*/g, '$1')
      .replace(/:\s+/g, ':')
      .replaceAll('@media (', '@media(')
      .replace(/='([\w-]+)'\]/g, '=$1]')
      .replace(/(?<!\d)0\./g, '.')
      .replaceAll(';}', '}'),
  );
}

type Language = { tag: string; texts: object; wording: Wording };

/** Reads the texts of the panel: those of zh-CN are in `zh-CN.json`. The tag here is the shortest one, `zh`. */
async function readLanguages(): Promise<Language[]> {
  const names = (await readdir(LANGUAGES)).sort();
  const files = await Promise.all(
    names.map(async (name) => {
      const { panel } = JSON.parse(await readFile(new URL(name, LANGUAGES), 'utf8'));
      const tag = new Intl.Locale(name.slice(0, -'.json'.length)).minimize().baseName;
      return panel && { tag, texts: panel.texts, wording: getWording(name.slice(0, -'.json'.length)) };
    }),
  );
  return files.filter((language) => language !== undefined);
}

if (argv[1] === fileURLToPath(import.meta.url)) await buildEmbed(argv[2] ?? OUT_FOLDER);
