import type { BootReply } from '../../generated/types.ts';
import type { InstallError, Settings } from './boot.ts';
import type { LoadChunk } from './chunks.ts';
import type { Emit } from './conversation.ts';
import type { Localization } from './language.ts';
import type { GuideElement, GuidepostContext } from './public-api.ts';

/** What the launcher gives the panel. */
export type PanelDeps = {
  host: GuideElement;
  shadow: ShadowRoot;
  aside: HTMLElement;
  settings: Settings;
  localization: Localization;
  /** The visitor's languages, if they differ from those of the browser. */
  acceptLanguage: string | undefined;
  /** The reply to the boot of the launcher. */
  booted: BootReply | undefined;
  /** The context that the page has set. */
  context: () => GuidepostContext | undefined;
  emit: Emit;
  load: LoadChunk;
  fetch: typeof globalThis.fetch;
  /** Called when the panel has a boot reply. Settles when it is known how the guide appears on this page. */
  onBoot: (reply: BootReply) => Promise<void>;
  /** The first questions that this page suggests. */
  suggestions: () => readonly string[];
  /** Called when the visitor closes the panel. */
  onClose: () => void;
  /** Explains to the page's developer why the guide cannot start. */
  reportError: (error: InstallError) => void;
};
