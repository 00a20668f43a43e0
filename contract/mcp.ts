import { z } from 'zod';
import { namedObject, text } from './fields.ts';
import { route, router } from './route.ts';

/**
 * Messages of the Model Context Protocol (https://modelcontextprotocol.io/specification). The protocol's library
 * validates the fields that these schemas leave open.
 */

const jsonrpc = z.literal('2.0');
const id = z.unknown().optional();

const mcpMessage = namedObject('McpMessage', 'A request or notification of MCP.', {
  jsonrpc,
  id: id.describe('Absent in a notification.').meta({ example: 1 }),
  method: text(128).meta({ example: 'tools/call' }),
  params: z
    .unknown()
    .optional()
    .meta({ example: { name: 'search_articles', arguments: { query: 'How do I reset my password?' } } }),
});

const mcpReply = namedObject('McpReply', 'A reply of MCP to a request.', {
  jsonrpc,
  id: id.meta({ example: 1 }),
  result: z
    .unknown()
    .optional()
    .describe('Absent on an error.')
    .meta({ example: { content: [] } }),
  error: z.unknown().optional().describe('Absent on success.'),
});

export const mcp = router('Articles', {
  sendMcpMessage: route({
    method: 'POST',
    path: '/mcp',
    summary: 'Answer an agent by the Model Context Protocol (MCP)',
    description:
      'Offers the published articles to agents, by Streamable HTTP without sessions and streams. Notifications get 202 and no body; ' +
      "the protocol's own errors are JSON-RPC errors, with its statuses. See https://modelcontextprotocol.io/specification.",
    body: mcpMessage,
    responses: { 200: mcpReply },
    meta: {
      credential: 'api-key',
      unauthorized: 'export/unauthorized',
      scope: 'knowledge:read',
      worksReadOnly: true,
      limits: ['mcp/key-burst'],
      limitsWithoutCredential: ['mcp/ip-rate-limited'],
      protocol: 'mcp',
    },
  }),
});
