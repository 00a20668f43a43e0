import type { AuditEntry } from './audit.ts';

export type ApiKeyScope = 'analytics:read' | 'events:read' | 'knowledge:read';

export type ApiKey = {
  id: string;
  workspaceId: string;
  /** The display name that its creator chose. */
  name: string;
  /** The eight public characters of the key, used to look it up. */
  publicId: string;
  /** SHA-256 of the secret part, in hex. */
  secretHash: string;
  lastFour: string;
  scopes: readonly ApiKeyScope[];
  /** A member id, or `operator`. */
  createdBy: string;
  createdAt: number;
  revokedAt?: number;
  lastUsedAt?: number;
  /** The truncated address of the last use. */
  lastUsedNetwork?: string;
  /** Canonical CIDR blocks; empty if every address is allowed. */
  allowedNetworks: readonly string[];
  /** When the key stops working. A rotation may bring this forward. */
  expiresAt?: number;
  /** The key that a rotation created for the same purpose. */
  replacedBy?: string;
};

/** A new key that takes the place of an old one. */
type KeyRotation = {
  oldId: string;
  key: ApiKey;
  /** When the old key stops working, unless it expires earlier. */
  endsAtMillis: number;
  nowMillis: number;
  audit: readonly AuditEntry[];
};

/** API keys of one workspace. */
export type ApiKeys = {
  create(key: ApiKey, audit: AuditEntry): Promise<'created' | 'public_id_taken'>;
  /** Returns 'inactive' when the old key is revoked, expired or already replaced. */
  rotate(rotation: KeyRotation): Promise<'created' | 'public_id_taken' | 'inactive' | 'gone'>;
  /** Lists all keys, newest first, including revoked ones. */
  list(): Promise<readonly ApiKey[]>;
  /**
   * Returns undefined when the key does not exist. Revoking again changes nothing and writes no
   * audit row.
   */
  revoke(id: string, atMillis: number, audit: AuditEntry): Promise<ApiKey | undefined>;
};

/** API keys of all workspaces, looked up by public id or by id. */
export type ApiKeyLookup = {
  find(id: string): Promise<ApiKey | undefined>;
  findByPublicId(publicId: string): Promise<ApiKey | undefined>;
  /** Records a use of the key. Returns 'new_network' if the key was not used from the network recently. */
  recordUse(id: string, atMillis: number, network?: string): Promise<'known_network' | 'new_network'>;
};
