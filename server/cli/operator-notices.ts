import type { NoticeDeps } from '../accounts/notices.ts';
import { toBaseUrl } from '../base/network.ts';
import { type ComposeMail, createComposer } from '../people/compose-mail.ts';
import type { Config } from '../settings/config.ts';
import type { Store } from '../storage/store.ts';
import { KeyRingRefused } from '../tokens/key-ring.ts';
import { openRing } from '../tokens/open-ring.ts';
import { createSecretBox } from '../tokens/sealed-text.ts';
import type { Terminal } from './terminal.ts';

/** Returns what composes mails about accounts that a command has changed. The server sends them. */
export async function openOperatorNotices(
  { clock, stderr }: Terminal,
  store: Store,
  config: Config,
): Promise<NoticeDeps> {
  let composeMail: ComposeMail = async () => undefined;
  if (config.mail) {
    try {
      const ring = await openRing(store, config, clock.now());
      composeMail = createComposer({ secrets: createSecretBox(ring.visitorIdKey), clock, isOn: true });
    } catch (error) {
      if (!(error instanceof KeyRingRefused)) throw error;
      stderr.write(`guidepost: Warning: no mail tells of this change: ${error.message}\n`);
    }
  }
  return { composeMail, clock, baseUrl: () => toBaseUrl(config, config.port) };
}
