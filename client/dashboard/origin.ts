/** The origin that somebody means who types a host, an address or a pattern; undefined when it is none of them. */
export function completeOrigin(text: string): string | undefined {
  const typed = text.trim();
  const [, scheme, wildcard = '', rest = ''] = /^(?:(https?):\/\/)?(\*\.)?(.*)$/is.exec(typed) ?? [];
  if (rest === '' || /[\s*@]/.test(rest) || /^[a-z][a-z\d+.-]*:\/\//i.test(rest)) return undefined;
  const address = `${scheme?.toLowerCase() ?? guessScheme(rest)}://${rest}`;
  if (!URL.canParse(address)) return undefined;
  // What follows the host is where somebody happened to be.
  const { protocol, host, hostname } = new URL(address);
  if (hostname === '' || (wildcard && !hostname.includes('.'))) return undefined;
  return `${protocol}//${wildcard}${host}`;
}

/** Hardly anybody has a certificate for the own machine. */
const guessScheme = (rest: string) =>
  /^(localhost|[^/:]+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])([:/]|$)/i.test(rest) ? 'http' : 'https';
