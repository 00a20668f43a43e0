import { composeOperatorNotice } from '../accounts/notices.ts';
import { toBaseUrl } from '../base/network.ts';
import { type ComposeMail, createComposer } from '../people/compose-mail.ts';
import type { Config } from '../settings/config.ts';
import type { Store } from '../storage/store.ts';
import { KeyRingRefused } from '../tokens/key-ring.ts';
import { openRing } from '../tokens/open-ring.ts';
import { createSecretBox } from '../tokens/sealed-text.ts';
import type { Terminal } from './terminal.ts';

type Notice = Parameters<typeof composeOperatorNotice>;

/** Returns what composes mails about accounts that a command has changed. The server sends them. */
export async function openOperatorNotices(
  { clock, stderr }: Terminal,
  store: Store,
  config: Config,
): Promise<(...notice: [Notice[0], Notice[1], Notice[2], Notice[4]?]) => ReturnType<ComposeMail>> {
  const baseUrl = () => toBaseUrl(config, config.port);
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
  return (template, reader, command, values) =>
    composeOperatorNotice(template, reader, command, { composeMail, clock, baseUrl }, values);
}
