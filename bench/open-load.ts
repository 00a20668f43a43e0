import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { FromLoad, Job, Outcome } from './load.ts';
import type { Plan } from './requests.ts';
import { onCores } from './target.ts';

/** Controls the load generator. */
export type Load = {
  setPlan(plan: Plan): void;
  run(job: Job): Promise<Outcome>;
  /** Highest share of one core that the load generator used, 0 to 1. */
  busyMost(): number;
  stop(): void;
};

export function openLoad(): Load {
  const [execPath, ...execArgv] = onCores('load', [process.execPath]);
  const child: ChildProcess = fork(fileURLToPath(new URL('load.ts', import.meta.url)), {
    execPath: execPath!,
    execArgv,
  });
  let busyMost = 0;
  return {
    setPlan: (plan) => void child.send({ plan }),
    run: (job) =>
      new Promise((resolve, reject) => {
        const onExit = () => reject(new Error('The load generator exited.'));
        child.once('exit', onExit);
        child.once('message', (message: FromLoad) => {
          child.off('exit', onExit);
          if ('failure' in message) return reject(new Error(message.failure));
          busyMost = Math.max(busyMost, message.outcome.loadBusy);
          resolve(message.outcome);
        });
        child.send({ job });
      }),
    busyMost: () => busyMost,
    stop: () => void child.kill(),
  };
}
