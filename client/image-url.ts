/** Images of articles are addressed below the service. */
export const toUrl = (address: string, baseUrl: string) => (address[0] === '/' ? baseUrl + address : address);

/** Whether these are the signs of an image of the service or of this site. Others could track visitors. */
export const isImage = (signs: string, url: string, baseUrl: string) =>
  signs[0] === '!' && [baseUrl, location.origin].some((own) => url.startsWith(`${own}/`));
