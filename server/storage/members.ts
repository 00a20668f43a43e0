export type MemberRole = 'owner' | 'admin' | 'member';

export type User = {
  readonly id: string;
  /** Lower case. */
  readonly email: string;
  /** PHC string. */
  readonly passwordHash: string;
  readonly createdAt: number;
};

export type Member = {
  readonly id: string;
  readonly workspaceId: string;
  readonly userId: string;
  readonly email: string;
  readonly role: MemberRole;
  readonly createdAt: number;
};

export type Members = {
  findUserByEmail(email: string): Promise<User | undefined>;
  /** The members of one workspace, oldest first. */
  list(workspaceId: string): Promise<readonly Member[]>;
};
