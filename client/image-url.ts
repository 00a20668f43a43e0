/** Addresses of article images, which the service serves. */
export const toUrl = (address: string, baseUrl: string) => (address[0] === '/' ? baseUrl + address : address);

/** Whether the URL is an image of the service or of this site. Images of others could track visitors. */
export const isImage = (signs: string, url: string, baseUrl: string) =>
  signs[0] === '!' && [baseUrl, location.origin].some((own) => url.startsWith(`${own}/`));
