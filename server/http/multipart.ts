import type { IncomingMessage } from 'node:http';
import { Busboy, type BusboyFileStream } from '@fastify/busboy';
import type { ErrorCode } from '../../contract/errors.ts';
import type { Upload } from '../../contract/route.ts';
import { ClientDisconnected } from './body.ts';
import { unavailable } from './error-response.ts';
import { ApiError, invalidRequest, throwApiError } from './errors.ts';
import type { UploadShare } from './upload-budget.ts';

/** Longer ones are allowed by nobody (RFC 2046) and have been used to hang parsers. */
const BOUNDARY_CHARS_MAX = 70;

const LIMITS_OF_PARTS = {
  fieldNameSize: 100,
  fieldSize: 1024,
  // One more than may be, so that a surplus is told instead of left out.
  fields: 4,
  files: 2,
  parts: 6,
  headerPairs: 20,
  headerSize: 8192,
};

/**
 * Reads a form that is one file: exactly one part, under the name that the route asks for. Refuses at the first byte too many, however
 * much is still announced, and where all uploads together would take too much room; what is left unread goes with the connection, and so
 * does a sender who has fallen silent.
 */
export async function readUpload(
  request: IncomingMessage,
  { field, bytesMax, tooLarge }: Upload,
  bodyBytesMax: number,
  share: UploadShare,
): Promise<Record<string, Uint8Array>> {
  const contentType = requireForm(request);
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > bodyBytesMax) throwApiError(tooLarge, `${declared} bytes declared`);
  if (request.destroyed) throw new ClientDisconnected();
  if (!share.fits(declared)) throw noRoom();
  return new Promise((resolve, reject) => {
    const parser = openParser(contentType, bytesMax);
    const files: Uint8Array[] = [];
    let read = 0;

    function stop(thrown: Error): void {
      request.setTimeout(0);
      request.off('data', count);
      request.unpipe(parser);
      request.pause();
      reject(thrown);
    }
    function count(chunk: Buffer): void {
      read += chunk.length;
      if (read > bodyBytesMax) stop(refusal(tooLarge, 'form grew past the limit'));
      else if (!share.take(chunk.length)) stop(noRoom());
    }

    parser.on('file', (name, stream) => {
      stream.on('error', () => stop(problem('invalid_form', 'The form ends in the middle of a part.')));
      if (name !== field) return stop(unknownPart(name));
      stream.on('limit', () => stop(refusal(tooLarge, 'file grew past the limit')));
      collect(stream, (bytes) => files.push(bytes));
    });
    parser.on('field', (name) => {
      if (name === field) stop(problem('no_file', 'This part has to be a file, with a file name.', field));
      else stop(unknownPart(name));
    });
    for (const surplus of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const) {
      parser.on(surplus, () => stop(problem('too_many_parts', 'The form has too many parts.')));
    }
    parser.on('error', () => stop(problem('invalid_form', 'The body is not a valid form.')));
    parser.on('finish', () => {
      if (files.length === 0) return stop(problem('missing', 'The form has no such file.', field));
      if (files.length > 1) return stop(problem('repeated', 'The form has this file more than once.', field));
      request.setTimeout(0);
      resolve({ [field]: files[0]! });
    });
    request.on('error', () => stop(new ClientDisconnected()));
    request.on('close', () => {
      if (!request.complete) stop(new ClientDisconnected());
    });
    // Without a listener of its own the socket is closed when the time is over.
    request.setTimeout(share.silenceMillis);
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
      // A part is a file when it has a file name; the type that a client gives it decides nothing.
      isPartAFile: (_name, _type, fileName) => fileName !== undefined,
      limits: { ...LIMITS_OF_PARTS, fileSize: bytesMax },
    });
  } catch {
    return throwApiError('request/unsupported_media_type', 'content-type');
  }
}

function collect(stream: BusboyFileStream, whole: (bytes: Uint8Array) => void): void {
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  stream.on('end', () => whole(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
}

function unknownPart(name: string | undefined): ApiError {
  return problem('unrecognized_keys', `There is no field "${String(name).slice(0, 64)}" here.`);
}

function problem(code: string, message: string, field?: string): ApiError {
  return invalidRequest([{ path: field === undefined ? 'body' : `body.${field}`, code, message }]);
}

function noRoom(): ApiError {
  return unavailable('server/overloaded', 'uploads');
}

function refusal(code: ErrorCode, reason: string): ApiError {
  return new ApiError(code, reason);
}
