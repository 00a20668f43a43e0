/** Addresses of article images, which the service serves. */
export const toUrl = (address: string, baseUrl: string) => (address[0] === '/' ? baseUrl + address : address);

/**
 * Accepts Markdown images (`![…](url)`) of the service and of this site. Images from elsewhere could track visitors.
 */
export const isImage = (markdown: string, url: string, baseUrl: string) =>
  markdown[0] === '!' && [baseUrl, getSiteOrigin()].some((base) => url.startsWith(`${base}/`));

/** Undefined on a server. */
const getSiteOrigin = () => (globalThis as { location?: { origin: string } }).location?.origin;
