import { ARTICLE_LIMITS } from '../../../contract/limits/articles.ts';
import type { BootPreview, ChatEvent, ChatRequest, HelpPage, HelpSearch } from '../../../generated/types.ts';
import { isGuideError } from '../../sdk/errors.ts';
import type { Tenant } from '../../sdk/tenant.ts';
import type { Preview } from '../../sdk/types.ts';

export type GuideFetchDeps = {
  tenant: Tenant;
  /** What the guide boots with, such as a draft of the settings. */
  boot: BootPreview;
  /** Answers a question. A new conversation has another id. */
  ask: (message: string, conversationId: string, signal: AbortSignal | undefined) => Promise<Preview>;
};

/** Longer than anybody leaves the page open. */
const TOKEN_SECONDS = 7 * 24 * 3600;

/**
 * Returns the `fetch` of a guide in the dashboard: questions are previews, so nothing is stored or counted, and it needs no
 * consent. The guide itself runs unchanged.
 */
export function createGuideFetch({ tenant, boot, ask }: GuideFetchDeps): typeof fetch {
  async function answer(address: URL, init: RequestInit | undefined): Promise<Response> {
    const path = address.pathname.slice(address.pathname.lastIndexOf('/articles'));
    if (address.pathname.endsWith('/boot'))
      return Response.json({
        ...boot,
        jwt: 'preview',
        visitor_id: 'preview',
        jwt_expires_at: Math.floor(Date.now() / 1000) + TOKEN_SECONDS,
      });
    if (address.pathname.endsWith('/chat')) {
      const { message, conversation_id, turn_idx } = JSON.parse(String(init?.body)) as ChatRequest;
      const { events } = await ask(message, conversation_id, init?.signal ?? undefined);
      return streamEvents(events, conversation_id, turn_idx);
    }
    if (path === '/articles') return Response.json(await listArticles(tenant));
    if (path === '/articles/search')
      return Response.json(await searchArticles(tenant, address.searchParams.get('q') ?? ''));
    const [, articleId] = /^\/articles\/([^/]+)$/.exec(path) ?? [];
    if (articleId) return Response.json(await readArticle(tenant, articleId));
    // Ratings and decisions are confirmed, and go nowhere.
    if (init?.method !== 'GET') return Response.json({ ok: true, recorded: true });
    return Response.json({ error: 'conversation/not_found' }, { status: 404 });
  }
  return async (input, init) => {
    try {
      return await answer(new URL(input instanceof Request ? input.url : input), init);
    } catch (error) {
      if (!isGuideError(error) || error.status === undefined) throw error;
      const { code, message, status, requestId, retryAfterSeconds } = error;
      const body = { error: code, message, request_id: requestId, retryAfterSec: retryAfterSeconds };
      return Response.json(body, { status });
    }
  };
}

/** Returns the boot as if the visitor had granted every purpose. Device storage, page actions, screenshots and voice are off. */
export function asAgreed(boot: BootPreview): BootPreview {
  const { purposes } = boot.consent_directive;
  const granted = Object.fromEntries(Object.keys(purposes).map((purpose) => [purpose, 'granted']));
  return {
    ...boot,
    region: { country_code: 'ZZ', region_code: 'ZZ', accept_language: '' },
    consent_directive: {
      ...boot.consent_directive,
      mode: 'opt_in',
      region_code: 'ZZ',
      ask: false,
      reason: 'prior_decision',
      purposes: granted as typeof purposes,
      gpc: { received: false, honored: false },
    },
    features: {
      ...boot.features,
      page_actions: false,
      screenshot: false,
      voice: false,
      persist_visitor: false,
    },
  };
}

/** Streams the events of a preview as `POST /chat` does, as the turn that the guide has sent. */
function streamEvents(events: readonly ChatEvent[], conversationId: string, turnIdx: number): Response {
  const [start] = events;
  const messageId = start?.type === 'message_start' ? start.message_id : '';
  const frames = events.map((event) => {
    const placed =
      event.type === 'message_start'
        ? { ...event, conversation_id: conversationId, turn_idx: turnIdx }
        : event.type === 'message_end'
          ? { ...event, next_turn_idx: turnIdx + 1 }
          : event;
    return `event: ${event.type}\nid: ${messageId}:${event.seq}\ndata: ${JSON.stringify(placed)}\n\n`;
  });
  return new Response(frames.join(''), { headers: { 'content-type': 'text/event-stream' } });
}

async function listArticles(tenant: Tenant): Promise<HelpPage> {
  const { data } = await tenant.articles
    .list({ status: 'published', sort: 'title_asc', limit: ARTICLE_LIMITS.helpPageRowsMax })
    .page();
  const articles = data.map(({ id, title, locale }) => toHead(id, title, locale));
  return { data: articles, collections: [] };
}

async function searchArticles(tenant: Tenant, question: string): Promise<HelpSearch> {
  const { data } = await tenant.search(question, { limit: ARTICLE_LIMITS.helpHitsMax });
  return {
    data: data.map(({ articleId, title, url, snippet, contentLocale }) => ({
      ...toHead(articleId, title, contentLocale),
      url,
      snippet,
    })),
  };
}

async function readArticle(tenant: Tenant, articleId: string) {
  const article = await tenant.articles.read(articleId);
  const { title, answer, url } = article.live?.changed
    ? await tenant.articles.revision(articleId, article.live.revision)
    : article;
  return { ...toHead(articleId, title, article.locale), answer, url };
}

const toHead = (article_id: string, title: string, locale: string) => ({
  article_id,
  title,
  requested_locale: locale,
  content_locale: locale,
  stale: false,
});
