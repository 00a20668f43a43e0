import { StorageUnavailable } from '../availability.ts';

/** Serialization failure and deadlock: the transaction was rolled back and may run again at once. */
const CONFLICT = /^(40001|40P01)$/;
/** The connection or server is gone, starting, full, or a standby: another one may work. */
const LOST = /^(08...|57P0[1235]|53300|25006|25P03|58000)$/;
/** Full disk, exhausted memory, lock and statement time-outs, damaged files, failed sign-ins, unknown databases. */
const UNAVAILABLE = /^(53...|55P03|57014|58...|XX001|XX002|28...|3D000)$/;
const LOST_SOCKET = /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOST|ENET|ENOENT)/;
/** Messages of driver errors that have no code. */
const LOST_MESSAGE =
  /^(Connection terminated|Client (has encountered|was closed)|Query read timeout|timeout exceeded)/;

export type Failure = 'conflict' | 'lost' | 'unavailable' | 'other';

export function classify(error: unknown): Failure {
  if (!(error instanceof Error)) return 'other';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (CONFLICT.test(code)) return 'conflict';
  if (LOST.test(code) || LOST_SOCKET.test(code) || LOST_MESSAGE.test(error.message)) return 'lost';
  if (UNAVAILABLE.test(code)) return 'unavailable';
  return 'other';
}

/** Returns the error, or StorageUnavailable when the server, the network or a lock caused it. */
export function asStorageError(error: unknown): unknown {
  if (error instanceof StorageUnavailable || classify(error) === 'other') return error;
  const { code, message } = error as Error & { code?: string };
  return new StorageUnavailable(`the database cannot be used now (${code ?? message})`, { cause: error });
}
