import type { Telemetry } from '../../telemetry/telemetry.ts';
import type { Retriever } from './retrieve.ts';

/** Records each search as a span with what was found, never with the question. */
export function traceRetriever(retriever: Retriever, telemetry: Telemetry): Retriever {
  return {
    ...retriever,
    async retrieve(request) {
      const span = telemetry.startSpan('retrieval', {
        kind: 'internal',
        attributes: {
          'gen_ai.operation.name': 'retrieval',
          'guidepost.workspace.id': request.workspaceId,
        },
      });
      try {
        const retrieval = await span.run(() => retriever.retrieve(request));
        span.set({
          'guidepost.retrieval.found': retrieval.found,
          'guidepost.retrieval.confidence': retrieval.confidence,
          'guidepost.retrieval.results': retrieval.results.length,
          'guidepost.retrieval.locale': retrieval.requestedLocale,
        });
        return retrieval;
      } catch (error) {
        span.fail((error as Error).name);
        throw error;
      } finally {
        span.end();
      }
    },
  };
}
