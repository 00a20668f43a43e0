import { systemClock } from '../clock.ts';
import { environment } from '../config.ts';
import { getSystemErrorText } from '../system-error.ts';
import { FAILED, run, tell } from './program.ts';
import { CommandFailed } from './terminal.ts';

const args = process.argv.slice(2);

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // A reader such as `head` that closes the pipe early is no error.
  if (error.code === 'EPIPE') return;
  const why = getSystemErrorText(error) ?? error.message;
  tell(new CommandFailed(`Standard output cannot be written: ${why}.`), args, process);
  process.exit(FAILED);
});
// There is nowhere left to complain, and the exit code tells the rest.
process.stderr.on('error', () => {});

process.exitCode = await run(args, {
  env: environment,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  clock: systemClock,
});
