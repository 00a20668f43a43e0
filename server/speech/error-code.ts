const ERROR_BYTES_MAX = 8 * 1024;

/**
 * The one word of an error that is safe to log. Providers put it in different places, and quote keys and texts beside it: OpenAI
 * `error.code`, Deepgram `err_code` or `category`, ElevenLabs `detail.status`, Cartesia `error_code`.
 */
export async function errorCodeOf(response: Response): Promise<string | undefined> {
  const said = asObject(jsonOf(await beginningOf(response)));
  const { error, detail } = said;
  const candidates = [
    asObject(error).code,
    asObject(error).type,
    said.err_code,
    said.category,
    asObject(detail).status,
    said.error_code,
  ];
  // Only letters, so that it can be no key.
  return candidates.find(
    (code) => typeof code === 'string' && /^[A-Za-z]+(_[A-Za-z]+){0,6}$/.test(code) && code.length <= 48,
  ) as string | undefined;
}

async function beginningOf(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    bytes += chunk.length;
    // Leaving the loop hangs up.
    if (bytes > ERROR_BYTES_MAX) break;
  }
  return Buffer.concat(chunks).toString();
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
