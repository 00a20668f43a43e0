import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT, run } from './tool.ts';
import { type BlackBox, openBlackBox } from './world.ts';

const HERE = fileURLToPath(new URL('schemathesis/', import.meta.url));
const SCHEMATHESIS = fileURLToPath(new URL('.venv/bin/schemathesis', import.meta.url));

/**
 * Schemathesis makes requests out of the document, good and bad, alone and in sequences, and holds what comes back against it. What it may
 * find is in schemathesis/waivers.py.
 */
describe.skipIf(!existsSync(SCHEMATHESIS))(
  'a caller who tries everything that the document allows and forbids',
  () => {
    let box: BlackBox;
    beforeAll(async () => {
      box = await openBlackBox();
    });
    afterAll(() => box?.close());

    const tryAll = (document: string, ...words: string[]) =>
      run(
        SCHEMATHESIS,
        [
          '--config-file',
          `${HERE}schemathesis.toml`,
          'run',
          `${ROOT}${document}`,
          // Several threads of one Python read syntax trees at once, which breaks before 3.11.8 (python/cpython#106905).
          '--workers',
          '1',
          ...words,
        ],
        {
          BLACK_BOX_URL: box.harness.baseUrl,
          BLACK_BOX_KNOWLEDGE: box.knowledgeUrl,
          PYTHONPATH: HERE,
          PYTHONDONTWRITEBYTECODE: '1',
        },
      );

    it('finds the service as OpenAPI 3.1 describes it', async () => {
      // The 3.1 document says what the data of an event is, and only 3.2 can say what its frame is.
      const { code, said } = await tryAll('openapi.yaml', '--exclude-operation-id', 'sendMessage');
      console.log(said.slice(-2500));
      expect(code, said).toBe(0);
    });

    it('finds the stream as OpenAPI 3.2 describes it', async () => {
      const { code, said } = await tryAll(
        'generated/openapi-3.2.0.yaml',
        '--include-operation-id',
        'sendMessage',
      );
      expect(code, said).toBe(0);
    });
  },
);
