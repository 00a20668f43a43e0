import type { ChatTurn, Guide } from '../sdk/guide.ts';
import { getInternals } from '../sdk/internals.ts';
import type { Announcer } from './announcer.ts';
import type { Load } from './chunks.ts';
import type * as picturePiece from './picture.ts';
import type { Wording } from './texts.ts';
import type * as voicePiece from './voice.ts';

export type ExtrasDeps = {
  readonly guide: Guide;
  readonly load: Load;
  readonly wording: Wording;
  readonly announcer: Announcer;
  readonly form: HTMLElement;
  readonly field: HTMLTextAreaElement;
  /** Ends with the guide. */
  readonly signal: AbortSignal;
};

export type Extras = {
  /** What the visitor sees, where workspace and visitor allow that to be looked at, and where it can be drawn. */
  readonly picture: () => Promise<Pick<ChatTurn, 'viewportScreenshot'>>;
  /** Absent where nobody may speak. */
  readonly readAloud: (text: string) => Promise<HTMLElement | undefined>;
  /** A question is asked, or the panel is closed: nobody listens or reads any more. */
  readonly quiet: () => void;
};

/** What is loaded only where the workspace allows it. What cannot be loaded is left out: the guide answers without. */
export function openExtras({ guide, load, ...deps }: ExtrasDeps): Extras {
  const voice = openedVoice();

  async function openedVoice(): Promise<voicePiece.Voice | undefined> {
    if (!guide.state?.features.voice) return;
    const piece = await load<typeof voicePiece>('voice').catch(() => undefined);
    return deps.signal.aborted
      ? undefined
      : piece?.openVoice({ ...deps, guide, internals: getInternals(guide) });
  }

  return {
    picture: async () => {
      if (!guide.state?.features.screenshot) return {};
      const piece = await load<typeof picturePiece>('picture').catch(() => undefined);
      const viewportScreenshot = await piece?.takePicture().catch(() => undefined);
      return viewportScreenshot ? { viewportScreenshot } : {};
    },
    readAloud: async (text) => (await voice)?.readAloud(text),
    quiet: () => void voice.then((opened) => opened?.quiet()),
  };
}
