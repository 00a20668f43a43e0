import { throwInvalidRequest } from '../http/errors.ts';
import { PASSWORD_PROBLEMS, passwordProblem } from './password.ts';

/**
 * Refuses a new password that is too easy to guess; the code of the issue says why.
 * @param known what an attacker would try first: the person's address, the names of their workspaces
 */
export async function refuseBadPassword(
  password: string,
  known: readonly string[],
  path: string,
): Promise<void> {
  const code = await passwordProblem(password, known);
  if (code) throwInvalidRequest({ path, code, message: PASSWORD_PROBLEMS[code] });
}
