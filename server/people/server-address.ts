import type { NamedServers } from '../base/address-guard.ts';
import { throwInvalidRequest } from '../http/errors.ts';

/** Returns the `url` of a body in canonical form. Throws 400 for a server that members may not name. */
export async function requireServerAddress(
  url: string,
  servers: Pick<NamedServers, 'parse'>,
): Promise<string> {
  const message = 'Expected an https address of a public server, without user and fragment.';
  return (
    (await servers.parse(url)) ??
    throwInvalidRequest({ path: 'body.url', code: 'address_not_allowed', message })
  );
}
