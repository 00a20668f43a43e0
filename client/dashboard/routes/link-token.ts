import { useQuery } from '@tanstack/react-query';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { isGuideError } from '../../sdk/errors.ts';

/**
 * Returns the `#token=` of a link from the log or a mail, and removes it at once from the address bar and the history,
 * where others could read it. A second link pasted into the same tab replaces the token.
 */
export function useLinkToken(): string | undefined {
  const { hash } = useLocation();
  const navigate = useNavigate();
  const [token, setToken] = useState(() => parseToken(hash));
  useEffect(() => {
    if (hash === '') return;
    setToken(parseToken(hash));
    void navigate({ to: '.', replace: true });
  }, [hash, navigate]);
  return token;
}

/** Reads once what a link is for: after the link was used, reading it again would fail. */
export function useLink<T>(
  kind: 'invitation' | 'password' | 'setup',
  token: string | undefined,
  read: (token: string, options: { signal: AbortSignal }) => Promise<T>,
) {
  return useQuery({
    queryKey: [kind, token],
    queryFn: ({ signal }) => read(token ?? '', { signal }),
    enabled: token !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
}

function parseToken(hash: string): string | undefined {
  return new URLSearchParams(hash).get('token')?.trim() || undefined;
}

/** True when the link itself is unknown, used, expired or malformed. */
export function isDeadLink(
  error: unknown,
  code: 'setup/not_found' | 'invitation/not_found' | 'password_reset/not_found' | 'email_change/not_found',
): boolean {
  if (isGuideError(error, code)) return true;
  return (
    isGuideError(error) && (error.issues ?? []).some(({ path }) => /\.(token|x-guidepost-link)$/.test(path))
  );
}
