import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { makeKey } from '../support/export-client.ts';
import type { Harness } from '../support/harness.ts';

/** Connects an agent with the official MCP client. */

export type Version = NonNullable<NonNullable<ClientOptions['versionNegotiation']>['mode']>;

/** The last version of the protocol with a handshake, and the first one without. */
export const VERSIONS = ['legacy', { pin: '2026-07-28' }] as const satisfies readonly Version[];

export type Found = {
  found: boolean;
  articles: readonly (Variant & { quotes: readonly string[] })[];
};
export type Variant = {
  article_id: string;
  translation_id?: string;
  slug: string;
  title: string;
  requested_locale: string;
  content_locale: string;
  fallback_reason?: string;
  url?: string;
  stale: boolean;
};

export type Agent = {
  client: Client;
  /** Returns the structured content of a tool's answer. Throws the message of a tool that fails. */
  call<Content>(tool: string, input?: Record<string, unknown>): Promise<Content>;
};

export async function connectAgent(
  { baseUrl }: Pick<Harness, 'baseUrl'>,
  headers: Record<string, string>,
  mode: Version = 'legacy',
): Promise<Agent> {
  const client = new Client({ name: 'agent', version: '1.0.0' }, { versionNegotiation: { mode } });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${baseUrl}/mcp`), { requestInit: { headers } }),
  );
  return {
    client,
    async call(name, input = {}) {
      const { isError, content, structuredContent } = await client.callTool({ name, arguments: input });
      const [first] = content;
      const text = first?.type === 'text' ? first.text : '';
      if (isError) throw new Error(text);
      if (JSON.stringify(structuredContent) !== text) throw new Error(`the text differs: ${text}`);
      return structuredContent as never;
    },
  };
}

/** Creates a key that may read articles, and returns its header. */
export async function readerKey(harness: Harness, workspaceId?: string): Promise<Record<string, string>> {
  const { text } = await makeKey(harness, ['knowledge:read'], workspaceId);
  return { authorization: `Bearer ${text}` };
}
