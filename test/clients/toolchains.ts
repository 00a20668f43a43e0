import { execFileSync } from 'node:child_process';

/** What a machine may or may not have, and how it is asked. */
const QUESTIONS = {
  node: ['--version'],
  npm: ['--version'],
  python3: ['-m', 'venv', '--help'],
  go: ['version'],
  java: ['-version'],
  mvn: ['--version'],
  cargo: ['--version'],
} as const;

export type Tool = keyof typeof QUESTIONS;

const known = new Map<Tool, boolean>();

export function isThere(tool: Tool): boolean {
  const answer = known.get(tool) ?? asked(tool);
  known.set(tool, answer);
  return answer;
}

function asked(tool: Tool): boolean {
  try {
    execFileSync(tool, QUESTIONS[tool], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
