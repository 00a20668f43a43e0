export type ApiKeyScope = 'analytics:read' | 'events:read';

export type ApiKey = {
  readonly id: string;
  readonly workspaceId: string;
  /** The eight public characters of the key, by which it is found. */
  readonly publicId: string;
  /** SHA-256 of the secret part, in hex. */
  readonly secretHash: string;
  readonly lastFour: string;
  readonly scopes: readonly ApiKeyScope[];
  readonly createdAt: number;
  readonly revokedAt?: number;
  readonly lastUsedAt?: number;
};

export type ApiKeys = {
  create(key: ApiKey): Promise<'created' | 'public_id_taken'>;
  findByPublicId(publicId: string): Promise<ApiKey | undefined>;
  /** The keys of one workspace, newest first, the revoked ones included. */
  list(workspaceId: string): Promise<readonly ApiKey[]>;
  /** Answers undefined when there is no such key; revoking again changes nothing. */
  revoke(id: string, atMillis: number): Promise<ApiKey | undefined>;
};
