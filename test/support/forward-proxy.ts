import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

/** A proxy of a company network: tunnels for CONNECT, and forwards requests with an absolute address. */
export type ForwardProxy = {
  /** Host and port. */
  host: string;
  /** The first line of each request, without the version. */
  passed: readonly string[];
  /** Refuses all requests with this status. */
  refuses(status: number): void;
  close(): Promise<void>;
};

const CREDENTIALS = `Basic ${Buffer.from('user:secret-of-the-proxy').toString('base64')}`;
/** What stands before the host in the address of the proxy. */
export const PROXY_USER = 'user:secret-of-the-proxy@';

export async function openForwardProxy(): Promise<ForwardProxy> {
  const passed: string[] = [];
  let status: number | undefined;
  const findRefusal = ({ method, url, headers }: IncomingMessage) => {
    passed.push(`${method} ${url}`);
    return headers['proxy-authorization'] === CREDENTIALS ? status : 407;
  };
  const server = createServer((request, response) => {
    const refusal = findRefusal(request);
    if (refusal) response.writeHead(refusal).end();
    else forward(request, response);
  });
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.on('connect', (request, socket: Socket) => {
    const refusal = findRefusal(request);
    if (refusal) socket.end(`HTTP/1.1 ${refusal} No\r\ncontent-length: 0\r\n\r\n`);
    else tunnel(request.url!, socket);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    passed,
    refuses(refused) {
      status = refused;
    },
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function forward(request: IncomingMessage, response: ServerResponse): void {
  const { 'proxy-authorization': _, 'proxy-connection': __, ...headers } = request.headers;
  const onward = send(request.url!, { method: request.method, headers, agent: false });
  onward.on('response', (answer) => {
    response.writeHead(answer.statusCode!, answer.headers).flushHeaders();
    answer.pipe(response);
    answer.on('error', () => response.destroy());
  });
  onward.on('error', () => response.destroy());
  response.on('close', () => onward.destroy());
  request.pipe(onward);
}

function tunnel(authority: string, socket: Socket): void {
  const { hostname, port } = new URL(`http://${authority}`);
  const onward = connect({ host: hostname, port: Number(port || 443) }, () => {
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    onward.pipe(socket).pipe(onward);
  });
  for (const [one, other] of [
    [socket, onward],
    [onward, socket],
  ] as const) {
    one.on('error', () => other.destroy());
    one.on('close', () => other.destroy());
  }
}
