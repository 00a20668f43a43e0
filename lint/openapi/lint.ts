import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { DERIVED_DOCUMENTS } from '../../contract/openapi/derive.ts';

/**
 * Lints openapi.yaml and the same document as OpenAPI 3.0.3. The linters take half a minute of processor time, so the digests of passed
 * documents are kept: they are not linted again under the same rules and linters.
 */

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const TWIN = 'openapi-3.0.3.yaml';
const DOCUMENTS = ['openapi.yaml', `lint/openapi/node_modules/${TWIN}`];
const RULES = ['redocly.yaml', '.redocly.lint-ignore.yaml', 'spectral.yaml', 'package-lock.json'].map(
  (name) => `lint/openapi/${name}`,
);
const PASSED = 'lint/openapi/node_modules/.passed';

const LINTERS = {
  redocly: ['lint', ...DOCUMENTS, '--config', 'lint/openapi/redocly.yaml', '--format', 'stylish'],
  spectral: ['lint', ...DOCUMENTS, '--ruleset', 'lint/openapi/spectral.yaml', '--fail-severity', 'hint'],
};

function digest(): string {
  const sum = createHash('sha256');
  for (const path of [...DOCUMENTS, ...RULES]) sum.update(`${path}\n`).update(readFileSync(ROOT + path));
  return sum.digest('hex');
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(ROOT + path, 'utf8');
  } catch {
    return undefined;
  }
}

/** Runs one of the linters; true when it found nothing. */
function passes(name: keyof typeof LINTERS): boolean {
  const quiet = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const { status, stdout, stderr, error } = spawnSync(
    `lint/openapi/node_modules/.bin/${name}`,
    LINTERS[name],
    { cwd: ROOT, env: { ...process.env, ...quiet }, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  );
  if (error) throw error;
  if (status !== 0) console.error(`${name} found:\n${stdout}${stderr}`);
  return status === 0;
}

writeFileSync(
  `${ROOT}lint/openapi/node_modules/${TWIN}`,
  DERIVED_DOCUMENTS[TWIN]!(parse(readFileSync(`${ROOT}openapi.yaml`, 'utf8'))),
);
const current = digest();
if (textOf(PASSED) === current) {
  console.log('The published documents are those that the linters have passed already.');
} else {
  // All of them, so that one round shows everything.
  const verdicts = Object.keys(LINTERS).map((name) => passes(name as keyof typeof LINTERS));
  if (verdicts.every(Boolean)) {
    writeFileSync(ROOT + PASSED, current);
    console.log(`${Object.keys(LINTERS).join(' and ')} found nothing in ${DOCUMENTS.join(', ')}.`);
  } else process.exitCode = 1;
}
