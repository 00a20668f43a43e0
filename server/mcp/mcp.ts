import type { mcp } from '../../contract/mcp.ts';
import type { Handlers } from '../http/handler.ts';
import type { KnowledgeDeps } from './tools.ts';

/** Serves the published articles of a workspace to agents that speak the Model Context Protocol. */
export function mcpHandlers(deps: KnowledgeDeps): Handlers<typeof mcp> {
  return {
    async sendMcpMessage({ body, caller, ctx }) {
      // Most installations have no agents and never load the library.
      const { answerMessage } = await import('./answer-message.ts');
      return answerMessage(body, caller.workspace, ctx, deps);
    },
  };
}
