import type { AuditEntry } from './audit.ts';

export type ApiKeyScope = 'analytics:read' | 'events:read';

export type ApiKey = {
  readonly id: string;
  readonly workspaceId: string;
  /** The display name that its creator chose. */
  readonly name: string;
  /** The eight public characters of the key, used to look it up. */
  readonly publicId: string;
  /** SHA-256 of the secret part, in hex. */
  readonly secretHash: string;
  readonly lastFour: string;
  readonly scopes: readonly ApiKeyScope[];
  /** A member id, or `operator`. */
  readonly createdBy: string;
  readonly createdAt: number;
  readonly revokedAt?: number;
  readonly lastUsedAt?: number;
};

/** API keys of one workspace. */
export type ApiKeys = {
  create(key: ApiKey, audit: AuditEntry): Promise<'created' | 'public_id_taken'>;
  /** Lists all keys, newest first, including revoked ones. */
  list(): Promise<readonly ApiKey[]>;
  /**
   * Returns undefined when the key does not exist. Revoking again changes nothing and writes no
   * audit row.
   */
  revoke(id: string, atMillis: number, audit: AuditEntry): Promise<ApiKey | undefined>;
};

/** API keys of all workspaces, looked up by prefix or by id. */
export type ApiKeyRing = {
  find(id: string): Promise<ApiKey | undefined>;
  findByPublicId(publicId: string): Promise<ApiKey | undefined>;
  /** Records when the key was last used. */
  used(id: string, atMillis: number): Promise<void>;
};
