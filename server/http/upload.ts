import type { IncomingMessage } from 'node:http';
import { Busboy, type BusboyFileStream } from '@fastify/busboy';
import type { Upload } from '../../contract/route.ts';
import { type BodyIntake, ClientDisconnected } from './body.ts';
import { ApiError, invalidRequest, overloaded, throwApiError } from './errors.ts';

/** RFC 2046 allows no longer boundary, and longer ones have been used to hang parsers. */
const BOUNDARY_CHARS_MAX = 70;

const PART_LIMITS = {
  fieldNameSize: 100,
  fieldSize: 1024,
  // Above what is allowed, so busboy reports the surplus instead of dropping it.
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
  { claim, silenceMillis }: BodyIntake,
): Promise<Record<string, Uint8Array>> {
  const contentType = requireForm(request);
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > bodyBytesMax) throwApiError(tooLarge, `${declared} bytes declared`);
  if (request.destroyed) throw new ClientDisconnected();
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
      if (read > bodyBytesMax) stop(new ApiError(tooLarge, 'form grew past the limit'));
      else if (claim?.add(chunk.length)) stop(overloaded('bodies'));
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
      request.setTimeout(0);
      resolve({ [field]: file });
    });
    request.on('error', () => stop(new ClientDisconnected()));
    request.on('close', () => {
      if (!request.complete) stop(new ClientDisconnected());
    });
    // Without a listener, Node destroys the socket on timeout.
    request.setTimeout(silenceMillis);
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

function collect(stream: BusboyFileStream, whole: (bytes: Uint8Array) => void): void {
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  stream.on('end', () => whole(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
}

function unknownField(name: string | undefined): ApiError {
  return invalidForm('unrecognized_keys', `There is no field "${String(name).slice(0, 64)}" here.`);
}

function invalidForm(code: string, message: string, field?: string): ApiError {
  return invalidRequest([{ path: field === undefined ? 'body' : `body.${field}`, code, message }]);
}
