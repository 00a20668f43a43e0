#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// What the bundle was compiled to is kept beside it for the next start, which then takes a sixth less; where nobody may write there, nothing
// is. Node's usual place is open to everybody on the machine.
if (import.meta.url.endsWith('.js')) enableCompileCache(fileURLToPath(new URL('.compiled', import.meta.url)));

await import('./main.ts');
