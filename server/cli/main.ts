import { systemClock } from '../base/clock.ts';
import { getSystemErrorText } from '../base/log.ts';
import { environment } from '../settings/config.ts';
import { FAILED, printError, run } from './program.ts';
import { CommandFailed } from './terminal.ts';

const args = process.argv.slice(2);

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // Readers such as `head` close the pipe early.
  if (error.code === 'EPIPE') return;
  const reason = getSystemErrorText(error) ?? error.message;
  printError(new CommandFailed(`Cannot write to standard output: ${reason}.`), args, process);
  process.exit(FAILED);
});
// Nothing can be printed any more; the exit code reports the failure.
process.stderr.on('error', () => {});

process.exitCode = await run(args, {
  env: environment,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  clock: systemClock,
});
