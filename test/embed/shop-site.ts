import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A customer's server on another port, with the given pages and headers. */
export type Shop = {
  readonly origin: string;
  readonly pages: Map<string, string>;
  readonly close: () => Promise<void>;
};

export async function openShop(headers: Readonly<Record<string, string>> = {}): Promise<Shop> {
  const pages = new Map<string, string>();
  const server = createServer((request, response) => {
    const page = pages.get(new URL(request.url ?? '/', 'http://shop').pathname);
    response.writeHead(page === undefined ? 404 : 200, {
      'content-type': 'text/html; charset=utf-8',
      ...headers,
    });
    response.end(page);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    pages,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The page of a shop with the given head. */
export const shopPage = (head: string, body = '') => `<!doctype html>
<html lang="en">
  <head><meta charset="utf-8"><title>A shop</title><link rel="icon" href="data:,">
    ${head}
  </head>
  <body><main><h1>A shop</h1><p>It sells lamps.</p><button id="buy">Buy a lamp</button>${body}</main></body>
</html>
`;
