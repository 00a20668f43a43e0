/** Problems must be repaired; warnings should be. The message says what to do. */
export type Finding = {
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'problem';
  readonly message: string;
};

export type Judge = (check: string, message: string, status?: Finding['status']) => void;
