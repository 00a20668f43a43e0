import type { AuditEntry } from './audit.ts';

export type ApiKeyScope = 'analytics:read' | 'events:read';

export type ApiKey = {
  readonly id: string;
  readonly workspaceId: string;
  /** What its maker calls it. */
  readonly name: string;
  /** The eight public characters of the key, by which it is found. */
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

/** The keys of one workspace. */
export type ApiKeys = {
  create(key: ApiKey, audit: AuditEntry): Promise<'created' | 'public_id_taken'>;
  /** Newest first, the revoked ones included. */
  list(): Promise<readonly ApiKey[]>;
  /** Answers undefined when there is no such key; revoking again changes nothing and leaves no audit row. */
  revoke(id: string, atMillis: number, audit: AuditEntry): Promise<ApiKey | undefined>;
};

/** Keys over all workspaces: by what their bearer shows, or by what an operator names. */
export type ApiKeyRing = {
  find(id: string): Promise<ApiKey | undefined>;
  findByPublicId(publicId: string): Promise<ApiKey | undefined>;
  /** Remembers that the key was used. */
  used(id: string, atMillis: number): Promise<void>;
};
