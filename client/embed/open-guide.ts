import type { BootReply } from '../../generated/types.ts';
import { createGuide, type Guide, type GuideOptions } from '../sdk/guide.ts';
import { getAddress } from './address.ts';
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
    // The client says by itself where a page is that has an address.
    ...(getAddress() === location ? {} : { origin: window.origin, path: '/' }),
    acceptLanguage,
    headers: readTraceHeaders(),
    fetch,
  });
