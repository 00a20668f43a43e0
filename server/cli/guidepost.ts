#!/usr/bin/env node
import { fileURLToPath } from 'node:url';

/** Must equal `engines` in package.json. */
const NODE_MIN = [22, 19] as const;

// npm only warns about `engines`, and an older Node would fail at the first feature that it lacks.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < NODE_MIN[0] || (major === NODE_MIN[0] && minor < NODE_MIN[1])) {
  process.stderr.write(
    `Guidepost needs Node ${NODE_MIN.join('.')} or later, and this is ${process.versions.node}. ` +
      'Update Node, or install the package node@24 beside guidepost, which npx then runs on it.\n',
  );
  process.exit(1);
}

// Caches compiled code beside the bundle, which saves the next start a quarter of its processor time. Not in Node's
// default folder: other users of the machine can write there.
if (import.meta.url.endsWith('.js')) {
  const { enableCompileCache } = await import('node:module');
  enableCompileCache(fileURLToPath(new URL('.compiled', import.meta.url)));
}

await import('./main.ts');
