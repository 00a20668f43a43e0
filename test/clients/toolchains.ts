import { execFileSync } from 'node:child_process';

/** Arguments that succeed only if the tool is installed. */
const PROBES = {
  node: ['--version'],
  npm: ['--version'],
  python3: ['-m', 'venv', '--help'],
  go: ['version'],
  java: ['-version'],
  mvn: ['--version'],
  cargo: ['--version'],
} as const;

export type Tool = keyof typeof PROBES;

const known = new Map<Tool, boolean>();

export function isInstalled(tool: Tool): boolean {
  const result = known.get(tool) ?? probe(tool);
  known.set(tool, result);
  return result;
}

function probe(tool: Tool): boolean {
  try {
    execFileSync(tool, PROBES[tool], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
