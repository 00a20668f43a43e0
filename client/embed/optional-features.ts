import type { ChatTurn, Guide } from '../sdk/guide.ts';
import { getInternals } from '../sdk/session.ts';
import type * as actionsChunk from './actions.ts';
import { readPage } from './capture.ts';
import type { LoadChunk } from './chunks.ts';
import type { Announcer } from './element.ts';
import type { Localization } from './language.ts';
import { fillsScreen } from './panel-frame.ts';
import type * as pictureChunk from './picture.ts';
import { getVisiblePart } from './readable.ts';
import { addStyle } from './style.ts';
import { findTarget } from './targets.ts';
import type * as voiceChunk from './voice.ts';

export type OptionalFeatureDeps = {
  readonly guide: Guide;
  readonly load: LoadChunk;
  readonly localization: Localization;
  readonly announcer: Announcer;
  readonly shadow: ShadowRoot;
  readonly dialog: HTMLElement;
  readonly spotlight: HTMLElement;
  readonly form: HTMLElement;
  readonly field: HTMLTextAreaElement;
  /** Aborts when the guide is closed. */
  readonly signal: AbortSignal;
};

export type OptionalFeatures = {
  /** A picture of what the visitor sees, if the workspace and the visitor allow it. */
  readonly takePicture: () => Promise<Pick<ChatTurn, 'viewportScreenshot'>>;
  /** A button that reads a text aloud, if the workspace has voice. */
  readonly readAloud: (text: string) => Promise<HTMLElement | undefined>;
  readonly stopVoice: () => void;
  /** Proposes an action; undefined when its kind is unknown here. */
  readonly createProposal: (
    action: actionsChunk.Action,
    onOutcome: actionsChunk.ActionDeps['onOutcome'],
  ) => Promise<HTMLElement | undefined>;
  readonly clearHighlight: () => void;
};

/** Has access to the modules of this bundle. */
const page: actionsChunk.ActionDeps['page'] = {
  findElement: (gpId) => findTarget(gpId, () => readPage().candidates),
  getVisiblePart,
  fillsScreen,
};

/** Loads voice, screenshots and actions when they are needed. The guide works without what cannot be loaded. */
export function openOptionalFeatures({ guide, load, ...deps }: OptionalFeatureDeps): OptionalFeatures {
  const loadStyled = async <T extends { readonly STYLE: string }>(name: string) => {
    const chunk = await load<T>(name);
    addStyle(deps.shadow, chunk.STYLE);
    return chunk;
  };
  const voice = openVoice();
  let actions: Promise<actionsChunk.Actions | undefined> | undefined;

  async function openVoice(): Promise<voiceChunk.Voice | undefined> {
    if (!guide.state?.features.voice) return;
    const chunk = await loadStyled<typeof voiceChunk>('voice').catch(() => undefined);
    const internals = getInternals(guide);
    return deps.signal.aborted ? undefined : chunk?.openVoice({ ...deps, guide, internals });
  }

  const clearHighlight = () => void actions?.then((opened) => opened?.clear());
  deps.signal.addEventListener('abort', clearHighlight);

  return {
    takePicture: async () => {
      if (!guide.state?.features.screenshot) return {};
      const chunk = await load<typeof pictureChunk>('picture').catch(() => undefined);
      const viewportScreenshot = await chunk?.takePicture().catch(() => undefined);
      return viewportScreenshot ? { viewportScreenshot } : {};
    },
    readAloud: async (text) => (await voice)?.readAloud(text),
    stopVoice: () => void voice.then((opened) => opened?.stop()),
    createProposal: async (action, onOutcome) => {
      actions ??= loadStyled<typeof actionsChunk>('actions').then(
        (chunk) => chunk.openActions({ ...deps, page, onOutcome }),
        () => (actions = undefined),
      );
      return (await actions)?.createProposal(action);
    },
    clearHighlight,
  };
}
