/** Somebody signed in on one device. */
export type Session = {
  readonly id: string;
  readonly userId: string;
  /** SHA-256 of the token, in hex; the token itself is stored nowhere. */
  readonly tokenHash: string;
  readonly createdAt: number;
  readonly lastSeenAt: number;
  /** The absolute end, however busy it is. */
  readonly expiresAt: number;
  /** When the password was given last. */
  readonly confirmedAt: number;
  /** The browser and system in a few words, made of the User-Agent header. */
  readonly device: string;
};

export type SessionWithUser = Session & { readonly email: string };

export type Sessions = {
  /**
   * Begins a session; of a user's sessions only the newest `sessionsMax` are kept. 'conflict' when the password is not the one with this
   * hash, which the caller has verified, any more.
   */
  open(session: Session, sessionsMax: number, verifiedHash?: string): Promise<'opened' | 'conflict' | 'gone'>;
  find(id: string): Promise<Session | undefined>;
  findByToken(tokenHash: string): Promise<SessionWithUser | undefined>;
  /** Remembers that the session is in use. */
  seen(id: string, atMillis: number): Promise<void>;
  /** The password with this hash was given again: the session goes on under a new token. Undefined when either is gone. */
  confirm(
    id: string,
    confirmation: { readonly tokenHash: string; readonly atMillis: number; readonly verifiedHash: string },
  ): Promise<Session | undefined>;
  /** The sessions of a user that have not expired, newest first. */
  list(userId: string, nowMillis: number, idleMillis: number): Promise<readonly Session[]>;
  end(userId: string, id: string): Promise<'ended' | 'gone'>;
};
