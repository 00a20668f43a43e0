import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BlackBox, openBlackBox, ROOT, run } from './tool.ts';

const HERE = fileURLToPath(new URL('schemathesis/', import.meta.url));
const SCHEMATHESIS = fileURLToPath(new URL('.venv/bin/schemathesis', import.meta.url));

/** `SEED=… make test-black-box` repeats a run. */
const SEED = process.env.SEED ?? String(Math.floor(Math.random() * 2 ** 31));

/** These operations issue a credential, which a sequence of calls would use instead of the one from the hooks. */
const MINTS_CREDENTIAL = [
  'bootGuide',
  'signIn',
  'setUp',
  'acceptInvitation',
  'changePassword',
  'createApiKey',
];

/** Generates valid and invalid requests from the document. accepted_failures.py lists the accepted failures. */
describe.skipIf(!existsSync(SCHEMATHESIS))(`schemathesis with seed ${SEED}`, () => {
  let box: BlackBox;
  beforeAll(async () => {
    box = await openBlackBox();
  });
  afterAll(() => box?.close());

  async function check(...options: string[]): Promise<void> {
    const config = [
      '--config-file',
      `${HERE}schemathesis.toml`,
      'run',
      `${ROOT}openapi.yaml`,
      '--seed',
      SEED,
    ];
    // Threads of one Python parse syntax trees at once, which breaks before 3.11.8 (python/cpython#106905).
    const { code, output } = await run(SCHEMATHESIS, [...config, '--workers', '1', ...options], {
      BLACK_BOX_URL: box.harness.baseUrl,
      BLACK_BOX_KNOWLEDGE: box.knowledgeUrl,
      PYTHONPATH: HERE,
      PYTHONDONTWRITEBYTECODE: '1',
    });
    console.log(output.slice(-2500));
    expect(code, output).toBe(0);
  }

  it('finds no fault in single requests', () => check('--phases', 'examples,coverage,fuzzing'));

  it('finds no fault in sequences of requests', () => {
    const excluded = MINTS_CREDENTIAL.flatMap((id) => ['--exclude-operation-id', id]);
    return check('--phases', 'stateful', ...excluded);
  });
});
