import { globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'rolldown/utils';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Clients that foreign generators made of the document, and what Python keeps beside them. */
const FOREIGN = /^test\/clients\/.*\/(generated|target|\.cache)\//;

export type Import = {
  /** A path from the root of the project, or `npm:` and the name of a package; node's own modules are left out. */
  readonly what: string;
  readonly isType: boolean;
};

export type Source = {
  readonly path: string;
  readonly text: string;
  readonly imports: readonly Import[];
  /** True when the file does nothing but export what others hold. */
  readonly isBarrel: boolean;
};

/** Every TypeScript file of these folders. */
export function sourcesIn(...folders: readonly string[]): Source[] {
  const paths = globSync(
    folders.map((folder) => `${folder}/**/*.{ts,tsx}`),
    { cwd: ROOT },
  );
  return paths
    .filter((path) => !path.includes('node_modules') && !FOREIGN.test(path))
    .sort()
    .map(readSource);
}

export function fileNamesIn(folder: string): string[] {
  return globSync(`${folder}/*`, { cwd: ROOT });
}

export function textOf(path: string): string | undefined {
  const [found] = globSync(path, { cwd: ROOT });
  return found && readFileSync(`${ROOT}${found}`, 'utf8');
}

/** Reads the imports of a text that would stand at this path. */
export function sourceOf(path: string, text: string): Source {
  const { module, program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path} can't be read: ${errors[0]!.message}`);
  const fixed = module.staticImports.map(({ moduleRequest, entries }) => ({
    what: moduleRequest.value,
    isType: entries.length > 0 && entries.every(({ isType }) => isType),
  }));
  const exported = module.staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ moduleRequest, isType }) =>
      moduleRequest ? [{ what: moduleRequest.value, isType }] : [],
    ),
  );
  const imports = [...fixed, ...exported, ...computedImports(text)].flatMap(({ what, isType }) => {
    const target = targetOf(path, what);
    return target ? [{ what: target, isType }] : [];
  });
  return { path, text, imports, isBarrel: program.body.length > 0 && program.body.every(isReexport) };
}

function readSource(path: string): Source {
  return sourceOf(path, readFileSync(`${ROOT}${path}`, 'utf8'));
}

/** `await import('x')` and the types of `typeof import('x')`; an import of something computed counts as nothing. */
function computedImports(text: string): Import[] {
  return [...text.matchAll(/(typeof\s+)?\bimport\(\s*['"]([^'"]+)['"]/g)].map(([, asType, what]) => ({
    what: what!,
    isType: asType !== undefined,
  }));
}

function targetOf(path: string, what: string): string | undefined {
  if (what.startsWith('node:')) return undefined;
  if (what.startsWith('.')) return posix.join(posix.dirname(path), what);
  const [scope, name] = what.split('/');
  return `npm:${what.startsWith('@') ? `${scope}/${name}` : scope}`;
}

function isReexport(statement: { type: string; source?: unknown }): boolean {
  const isExport = statement.type === 'ExportAllDeclaration' || statement.type === 'ExportNamedDeclaration';
  return isExport && Boolean(statement.source);
}
