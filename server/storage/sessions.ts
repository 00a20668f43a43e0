/** A user's sign-in on one device. */
export type Session = {
  readonly id: string;
  readonly userId: string;
  /** SHA-256 of the token, in hex; the token itself is not stored. */
  readonly tokenHash: string;
  readonly createdAt: number;
  readonly lastSeenAt: number;
  /** Absolute expiry, independent of activity. */
  readonly expiresAt: number;
  /** When the user last entered the password. */
  readonly confirmedAt: number;
  /** Browser and operating system, derived from the User-Agent header. */
  readonly device: string;
};

export type SessionWithUser = Session & { readonly email: string };

export type Sessions = {
  /**
   * Starts a session and keeps only the user's newest `sessionsMax`. Returns 'conflict' when the
   * password hash is no longer the one that the caller verified.
   */
  open(session: Session, sessionsMax: number, verifiedHash?: string): Promise<'opened' | 'conflict' | 'gone'>;
  find(id: string): Promise<Session | undefined>;
  findByToken(tokenHash: string): Promise<SessionWithUser | undefined>;
  /** Records activity of the session. */
  recordUse(id: string, atMillis: number): Promise<void>;
  /**
   * Continues the session under a new token after the password was entered again. Undefined when
   * the session is gone or the hash is not the verified one.
   */
  confirm(
    id: string,
    confirmation: { readonly tokenHash: string; readonly atMillis: number; readonly verifiedHash: string },
  ): Promise<Session | undefined>;
  /** Lists the user's sessions that have not expired, newest first. */
  list(userId: string, nowMillis: number, idleMillis: number): Promise<readonly Session[]>;
  end(userId: string, id: string): Promise<'ended' | 'gone'>;
};
