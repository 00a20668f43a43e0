import type { IncomingHttpHeaders } from 'node:http';
import type { VisitorTokens } from '../tokens/visitor-token.ts';
import type { Admission, VisitorCaller } from './handler.ts';

export type Resolved =
  | { readonly ok: true; readonly caller: VisitorCaller }
  | { readonly ok: false; readonly expired: boolean; readonly because: string };

/** Bearer token to visitor: signature, expiry, workspace still serving, origin still allowed and the request's own. */
export async function resolveVisitor(
  headers: IncomingHttpHeaders,
  needs: { readonly tokens: VisitorTokens; readonly admission: Admission },
): Promise<Resolved> {
  const invalid = (because: string): Resolved => ({ ok: false, expired: false, because });
  const jwt = bearerOf(headers.authorization);
  if (!jwt) return invalid('no bearer token');
  const verdict = await needs.tokens.verify(jwt);
  if (!verdict.ok) return verdict;
  const { claims } = verdict;
  if (headers.origin !== undefined && !needs.admission.isSameOrigin(headers.origin, claims.origin)) {
    return invalid('token used from another origin');
  }
  const workspace = await needs.admission.admits(claims.workspaceId, claims.origin);
  if (!workspace) return invalid('workspace or origin no longer served');
  const { workspaceId: _, expiresAtSeconds: __, ...visitor } = claims;
  return { ok: true, caller: { kind: 'visitor', workspace, ...visitor } };
}

function bearerOf(authorization: string | undefined): string | undefined {
  return /^Bearer ([^\s,]+)$/i.exec(authorization ?? '')?.[1];
}
