import { systemClock } from '../clock.ts';
import { environment } from '../config.ts';
import { run } from './program.ts';

// A reader such as `head` that closes the pipe early is no error.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

process.exitCode = await run(process.argv.slice(2), {
  env: environment,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  clock: systemClock,
});
