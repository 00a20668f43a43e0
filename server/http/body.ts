import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { Busboy, type BusboyFileStream } from '@fastify/busboy';
import type { DroppableField, Upload } from '../../contract/route.ts';
import { ApiError, ClientDisconnected, invalidRequest, overloaded, throwApiError } from './errors.ts';
import type { Reservation } from './resource-limits.ts';
import { announcesBody } from './respond.ts';

const [QUOTE, COMMA] = [34, 44];
const [BRACE_OPEN, BRACE_CLOSE, BRACKET_OPEN, BRACKET_CLOSE] = [123, 125, 91, 93];

/** More than any schema of the contract accepts. Such bodies would be slow to parse and validate. */
const LEVELS_MAX = 32;
const MEMBERS_MAX = 25_000;

/** Whether JSON text has too many levels, or fields and items. Text that is not JSON may pass. */
export function isTooComplex(text: string): boolean {
  let level = 0;
  let members = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = findStringEnd(text, at) - 1;
    else if (code === COMMA) members += 1;
    else if (code === BRACE_CLOSE || code === BRACKET_CLOSE) level -= 1;
    else if (code === BRACE_OPEN || code === BRACKET_OPEN) {
      level += 1;
      members += 1;
    }
    if (level > LEVELS_MAX || members > MEMBERS_MAX) return true;
  }
  return false;
}

type BodyIntake = {
  /** Counts received bytes, not Content-Length, so slow senders reserve only what they use. Absent for small bodies. */
  reservation: Reservation | undefined;
  /** A client that sends nothing for this long is disconnected, because it holds memory that others could use. */
  silenceMillis: number;
};

type JsonBodyOptions = {
  /** Accepts the JSON as text/plain, too. */
  acceptsText: boolean;
  bytesMax: number;
  droppableField: DroppableField | undefined;
};

/** Shorter bodies cannot make validation slow. */
const COUNTED_CHARS_MIN = 64 * 1024;

/**
 * Reads a JSON body of at most `bytesMax` bytes. `express.json` does not fit: it reads a body over the limit to its end before it
 * answers, and does not tell how much it holds meanwhile.
 */
export async function readJsonBody(
  request: IncomingMessage,
  { acceptsText, bytesMax, droppableField }: JsonBodyOptions,
  intake: BodyIntake,
): Promise<unknown> {
  requireJson(request, acceptsText);
  const receivedBytesMax = droppableField?.bytesMaxBeforeDrop ?? bytesMax;
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > receivedBytesMax) throwApiError('request/too_large', `${declared} bytes declared`);
  const received = await readText(request, receivedBytesMax, intake);
  const text =
    droppableField && Buffer.byteLength(received) > bytesMax
      ? withoutMember(droppableField.member, received, bytesMax)
      : received;
  if (text === '') return undefined;
  if (text.length > COUNTED_CHARS_MIN && isTooComplex(text)) throw tooComplex();
  try {
    return JSON.parse(text);
  } catch {
    return throwApiError('request/invalid', 'not JSON', {
      issues: [{ path: 'body', code: 'invalid_json', message: 'The body is not valid JSON.' }],
    });
  }
}

/** Rejects a body on a route that takes none, because the client expects its body to have an effect. */
export function rejectBody(request: IncomingMessage): void {
  if (!announcesBody(request)) return;
  throwApiError('request/invalid', 'body on a route without one', {
    issues: [{ path: 'body', code: 'unexpected_body', message: 'This operation takes no body.' }],
  });
}

/** Replaces a top-level member by `null`, without parsing the rest. */
function withoutMember(member: string, text: string, bytesMax: number): string {
  const value = findMemberValue(member, text);
  const shortened = value ? `${text.slice(0, value.start)}null${text.slice(value.end)}` : text;
  if (Buffer.byteLength(shortened) > bytesMax)
    throwApiError('request/too_large', 'too large without the optional member');
  return shortened;
}

/** Finds the member's value in JSON. In other text, the range may be wrong, but parsing fails later. */
function findMemberValue(member: string, text: string): { start: number; end: number } | undefined {
  const key = JSON.stringify(member);
  let start: number | undefined;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (char === '"') {
      const end = findStringEnd(text, at);
      if (depth === 1 && start === undefined && text.slice(at, end) === key)
        start = findValueStart(text, end);
      at = end - 1;
    } else if (char === '{' || char === '[') depth += 1;
    else if (char === '}' || char === ']') depth -= 1;
    const isOver = depth === 0 || (depth === 1 && char === ',');
    if (isOver && start !== undefined) return { start, end: at };
  }
  return undefined;
}

/** Returns the position after the closing quote. */
function findStringEnd(text: string, opening: number): number {
  for (let at = opening + 1; ; ) {
    const quote = text.indexOf('"', at);
    if (quote < 0) return text.length;
    let escapes = 0;
    while (text[quote - 1 - escapes] === '\\') escapes += 1;
    if (escapes % 2 === 0) return quote + 1;
    at = quote + 1;
  }
}

/** Returns the position after the colon, if the string before it is a key. */
function findValueStart(text: string, keyEnd: number): number | undefined {
  const colon = /\s*:/y;
  colon.lastIndex = keyEnd;
  return colon.test(text) ? colon.lastIndex : undefined;
}

function requireJson(request: IncomingMessage, acceptsText: boolean): void {
  if (request.headers['content-encoding'] !== undefined)
    throwApiError('request/unsupported_media_type', 'content-encoding');
  const type = request.headers['content-type'];
  if (type === 'application/json') return;
  const [media, ...parameters] = (type ?? '').split(';').map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='));
  const isUtf8 = charset === undefined || /^charset="?utf-?8"?$/.test(charset);
  const isAccepted = media === 'application/json' || (acceptsText && media === 'text/plain');
  if (!isAccepted || !isUtf8) throwApiError('request/unsupported_media_type', 'content-type');
}

function readText(
  request: IncomingMessage,
  bytesMax: number,
  { reservation, silenceMillis }: BodyIntake,
): Promise<string> {
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    let bytes = 0;
    const stop = (thrown: Error) => {
      chunks = [];
      request.pause();
      reject(thrown);
    };
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > bytesMax) stop(tooLarge());
      else if (reservation?.add(chunk.length)) stop(overloaded('bodies'));
      else chunks.push(chunk);
    });
    request.on('end', () => {
      const joined = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
      // These listeners live as long as the request does.
      chunks = [];
      // A byte order mark is no part of the text (RFC 8259, section 8.1).
      if (isUtf8(joined)) resolve(joined.toString('utf8').replace(/^\uFEFF/, ''));
      else reject(notUtf8());
    });
    request.on('error', () => stop(new ClientDisconnected()));
    if (request.complete) return;
    request.on('end', limitSilence(request, silenceMillis));
  });
}

/** Ends the request after a silence. Returns a function that puts back the time-out of the connection. */
function limitSilence(request: IncomingMessage, silenceMillis: number): () => void {
  const { timeout = 0 } = request.socket;
  request.setTimeout(silenceMillis, () => request.socket.destroy());
  return () => void request.setTimeout(timeout);
}

const tooLarge = () => new ApiError('request/too_large', 'body grew past the limit');

const tooComplex = () =>
  invalidRequest([
    {
      path: 'body',
      code: 'too_complex',
      message: 'The body has more levels, fields or items than this operation accepts.',
    },
  ]);

/** Decoding would silently store replacement characters. */
const notUtf8 = () =>
  invalidRequest([{ path: 'body', code: 'invalid_json', message: 'The body is not valid UTF-8.' }]);

/** RFC 2046 allows no longer boundary, and longer ones have been used to hang parsers. */
const BOUNDARY_CHARS_MAX = 70;

const PART_LIMITS = {
  fieldNameSize: 100,
  fieldSize: 1024,
  // Above what is allowed, so that busboy reports a surplus instead of dropping it.
  fields: 4,
  files: 2,
  parts: 6,
  headerPairs: 20,
  headerSize: 8192,
};

/**
 * Reads a multipart form with exactly one part: a file under the route's field name. Rejects at the first
 * byte over a limit, whatever length was declared, and closes the connection instead of reading the rest.
 */
export async function readUpload(
  request: IncomingMessage,
  { field, bytesMax, tooLarge }: Upload,
  bodyBytesMax: number,
  { reservation, silenceMillis }: BodyIntake,
): Promise<Record<string, Uint8Array>> {
  const contentType = requireForm(request);
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > bodyBytesMax) throwApiError(tooLarge, `${declared} bytes declared`);
  if (request.destroyed) throw new ClientDisconnected();
  return new Promise((resolve, reject) => {
    const parser = openParser(contentType, bytesMax);
    const files: Uint8Array[] = [];
    const stopTimer = limitSilence(request, silenceMillis);
    let read = 0;

    function stop(thrown: Error): void {
      stopTimer();
      request.off('data', count);
      request.unpipe(parser);
      request.pause();
      reject(thrown);
    }
    function count(chunk: Buffer): void {
      read += chunk.length;
      if (read > bodyBytesMax) stop(new ApiError(tooLarge, 'form grew past the limit'));
      else if (reservation?.add(chunk.length)) stop(overloaded('bodies'));
    }

    parser.on('file', (name, stream) => {
      stream.on('error', () => stop(invalidForm('invalid_form', 'The form ends in the middle of a part.')));
      if (name !== field) return stop(unknownField(name));
      stream.on('limit', () => stop(new ApiError(tooLarge, 'file grew past the limit')));
      collect(stream, (bytes) => files.push(bytes));
    });
    parser.on('field', (name) => {
      if (name === field) stop(invalidForm('no_file', 'This part must be a file with a file name.', field));
      else stop(unknownField(name));
    });
    for (const limitEvent of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const) {
      parser.on(limitEvent, () => stop(invalidForm('too_many_parts', 'The form has too many parts.')));
    }
    parser.on('error', () => stop(invalidForm('invalid_form', 'The body is not a valid form.')));
    parser.on('finish', () => {
      const [file, more] = files;
      if (!file) return stop(invalidForm('missing', 'The form has no file in this field.', field));
      if (more) return stop(invalidForm('repeated', 'The form has more than one file in this field.', field));
      stopTimer();
      resolve({ [field]: file });
    });
    request.on('error', () => stop(new ClientDisconnected()));
    request.on('close', () => {
      if (!request.complete) stop(new ClientDisconnected());
    });
    request.on('data', count);
    request.pipe(parser);
  });
}

function requireForm({ headers }: IncomingMessage): string {
  const type = headers['content-type'] ?? '';
  const unsupported = (reason: string) => throwApiError('request/unsupported_media_type', reason);
  if (headers['content-encoding'] !== undefined) unsupported('content-encoding');
  if (!/^multipart\/form-data\s*;/i.test(type)) return unsupported('content-type');
  const boundary = /;\s*boundary=(?:"([^"]*)"|([^\s;"]+))/i.exec(type);
  const length = (boundary?.[1] ?? boundary?.[2] ?? '').length;
  if (length === 0 || length > BOUNDARY_CHARS_MAX) unsupported('boundary');
  return type;
}

function openParser(contentType: string, bytesMax: number) {
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      // Only a file name makes a part a file; the content type that the client claims does not matter.
      isPartAFile: (_name, _type, fileName) => fileName !== undefined,
      limits: { ...PART_LIMITS, fileSize: bytesMax },
    });
  } catch {
    return throwApiError('request/unsupported_media_type', 'content-type');
  }
}

function collect(stream: BusboyFileStream, onComplete: (bytes: Uint8Array) => void): void {
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  stream.on('end', () => onComplete(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
}

function unknownField(name: string | undefined): ApiError {
  return invalidForm('unrecognized_keys', `There is no field "${String(name).slice(0, 64)}" here.`);
}

function invalidForm(code: string, message: string, field?: string): ApiError {
  return invalidRequest([{ path: field === undefined ? 'body' : `body.${field}`, code, message }]);
}
