/** Problems must be repaired; warnings should be. The message says what to do. */
export type Finding = {
  check: string;
  status: 'ok' | 'warning' | 'problem';
  message: string;
};

export type Judge = (check: string, message: string, status?: Finding['status']) => void;
