/** Completes a typed host, URL or pattern to an origin; undefined if that is impossible. */
export function completeOrigin(text: string): string | undefined {
  const typed = text.trim();
  const [, scheme, wildcard = '', hostAndPath = ''] = /^(?:(https?):\/\/)?(\*\.)?(.*)$/is.exec(typed) ?? [];
  if (hostAndPath === '' || /[\s*@]/.test(hostAndPath) || /^[a-z][a-z\d+.-]*:\/\//i.test(hostAndPath))
    return undefined;
  const address = `${scheme?.toLowerCase() ?? guessScheme(hostAndPath)}://${hostAndPath}`;
  if (!URL.canParse(address)) return undefined;
  // Ignore the path.
  const { protocol, host, hostname } = new URL(address);
  if (hostname === '' || (wildcard && !hostname.includes('.'))) return undefined;
  return `${protocol}//${wildcard}${host}`;
}

/** Returns `http` for local hosts, which rarely have a certificate, otherwise `https`. */
const guessScheme = (hostAndPath: string) =>
  /^(localhost|[^/:]+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])([:/]|$)/i.test(hostAndPath) ? 'http' : 'https';
