/** The address of the page. A frame that another page has written, such as one with `srcdoc`, has only an origin. */
export const getAddress = (): Pick<Location, 'href' | 'origin' | 'pathname'> =>
  /^(about|blob):/.test(location.protocol) ? new URL(window.origin) : location;
