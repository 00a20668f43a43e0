import type { RefusalBody } from '../../contract/refusals.ts';
import { refuse } from '../refuse.ts';

/** One thing that is wrong with a request, beyond what its schema says. */
export type Problem = NonNullable<RefusalBody['issues']>[number];

const PROBLEMS_TOLD = 50;

/** Refuses a request for these problems. */
export function refuseInvalid(...problems: readonly Problem[]): never {
  return refuse('request/invalid', undefined, { issues: problems.slice(0, PROBLEMS_TOLD) });
}
