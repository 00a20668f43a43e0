import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** Runs a TypeScript file with this Node.js, and returns what it prints. */
export async function runProgram(
  file: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<string> {
  const { stdout } = await execute(process.execPath, [file, ...args], { env: { ...process.env, ...env } });
  return stdout;
}
