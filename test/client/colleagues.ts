import { type Account, type AccountOptions, createAccount, type MemberRole } from '../../client/sdk/index.ts';
import type { Team } from '../support/team.ts';

/** Adds members through the client: invites them, and signs them in with a password. */

export const PASSWORD = 'violet spoon under the desk';

export type Colleague = { account: Account; email: string };

export async function invite(team: Team, role: MemberRole, email: string): Promise<string> {
  // A session of just now: inviting takes a recently confirmed password.
  const owner = await team.signIn(team.as('owner'));
  const { json } = await owner.post<{ link: string }>('/invitations', { role, email });
  return new URL(json.link).hash.replace('#token=', '');
}

export async function join(
  team: Team,
  role: MemberRole,
  options: Partial<AccountOptions> = {},
): Promise<Colleague> {
  const email = `new-${role}@shop.example`;
  const account = createAccount({ baseUrl: team.harness.baseUrl, ...options });
  await account.invitations.accept(await invite(team, role, email), PASSWORD);
  return { account, email };
}

export async function collect<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const row of rows) all.push(row);
  return all;
}

export const catchError = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'no error',
    (error) => error,
  );
