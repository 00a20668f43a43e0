import { createClient } from '@redis/client';

/** What a Redis server reports about itself. */
type RedisFacts = {
  version: string;
  isPrimary: boolean;
  /** Undefined when memory is unlimited or not reported. */
  eviction: string | undefined;
};

const CONNECT_MILLIS = 5_000;

/** Rejects when the server cannot be reached. */
export async function examineRedis(url: string): Promise<RedisFacts> {
  const client = createClient({
    url,
    RESP: 2,
    socket: { connectTimeout: CONNECT_MILLIS, reconnectStrategy: false },
  });
  client.on('error', () => {});
  await client.connect();
  try {
    const info = new Map(
      String(await client.sendCommand(['INFO']))
        .split('\r\n')
        .map((line) => line.split(':', 2) as [string, string]),
    );
    const isLimited = Number(info.get('maxmemory') ?? 0) > 0;
    return {
      version: info.get('redis_version') ?? '0',
      isPrimary: info.get('role') === 'master',
      eviction: isLimited ? info.get('maxmemory_policy') : undefined,
    };
  } finally {
    client.destroy();
  }
}
