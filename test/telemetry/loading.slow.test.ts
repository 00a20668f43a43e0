import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { tempDir } from '../support/temp-dir.ts';

const DIST = join(import.meta.dirname, '../../dist');
const PRINT_LOADED = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  registerHooks({ load(url, context, next) { console.error('loaded ' + url); return next(url, context); } });
`)}`;

/** Starts the built service and returns the files that it has loaded by the time it listens. */
async function listLoaded(env: Record<string, string>): Promise<string[]> {
  const child = spawn(process.execPath, ['--import', PRINT_LOADED, join(DIST, 'guidepost.js'), 'serve'], {
    env: { ...process.env, PORT: '0', DATA_DIR: tempDir(), GUIDEPOST_DEMO: 'off', EMBEDDINGS: 'off', ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const loaded: string[] = [];
  for await (const line of createInterface(child.stderr)) {
    if (line.startsWith('loaded ')) loaded.push(line.slice('loaded '.length));
    if (line.includes('is listening')) child.kill('SIGTERM');
  }
  return loaded;
}

describe('the exporters of OpenTelemetry', () => {
  const chunk = readdirSync(DIST).find((name) => /^guidepost-open-telemetry-.*\.js$/.test(name))!;
  /** Whether a built file holds code of the packages, other than their API, which prom-client needs too. */
  const holdsPackage = (file: string) => {
    // Only the few lines of the bundler itself have no source map.
    if (/rolldown-runtime/.test(file)) return false;
    const { sources } = JSON.parse(readFileSync(`${file}.map`, 'utf8')) as { sources: string[] };
    return sources.some((source) => /node_modules\/@opentelemetry\/(?!api\/)/.test(source));
  };

  it('are in a file of their own, which takes less than 0.5 MB', () => {
    const file = join(DIST, chunk);
    expect(holdsPackage(file)).toBe(true);
    expect(statSync(file).size).toBeLessThan(500_000);
  });

  it('are loaded only where an endpoint is set', async () => {
    const without = await listLoaded({});
    expect(without.length).toBeGreaterThan(0);
    const files = without.filter((url) => url.startsWith(pathToFileURL(DIST).href));
    expect(files.length).toBeGreaterThan(0);
    expect(files.filter((url) => holdsPackage(fileURLToPath(url)))).toEqual([]);
    const withEndpoint = await listLoaded({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' });
    expect(withEndpoint.filter((url) => url.endsWith(chunk))).toHaveLength(1);
  });
});
