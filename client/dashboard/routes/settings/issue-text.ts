import { useTranslations } from 'use-intl';

/** What the service has against a field. Its limits are in its words only, so that they are taken from there. */
export function useIssueText(): (issue: { readonly code: string; readonly message: string }) => string {
  const t = useTranslations('settings');
  return ({ code, message }) => {
    const limit = Number(/[<>]=?(\d+)/.exec(message)?.[1]);
    if (code === 'too_big' && limit >= 0) return t('tooBig', { limit });
    if (code === 'too_small' && limit >= 0) return t('tooSmall', { limit });
    return t('invalid', { message });
  };
}
