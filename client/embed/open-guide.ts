import type { BootReply } from '../../generated/types.ts';
import { createGuide, type Guide, type GuideOptions } from '../sdk/guide.ts';
import { readTraceHeaders, type Settings } from './boot.ts';

export type GuideDeps = Pick<GuideOptions, 'acceptLanguage' | 'fetch'> & { settings: Settings };

/** Opens the client of the service, with the reply to a boot that was made before. */
export const openGuide = (
  { acceptLanguage, settings, fetch }: GuideDeps,
  storage: GuideOptions['storage'],
  booted: BootReply | undefined,
): Guide =>
  createGuide({
    baseUrl: settings.apiUrl,
    appId: settings.appId,
    userToken: settings.userToken,
    storage,
    booted,
    acceptLanguage,
    headers: readTraceHeaders(),
    fetch,
  });
