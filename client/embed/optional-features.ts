import type { ChatTurn, Guide } from '../sdk/guide.ts';
import { getInternals } from '../sdk/session.ts';
import type * as actionsChunk from './actions.ts';
import type * as captureChunk from './capture.ts';
import type { LoadChunk } from './chunks.ts';
import type { Announcer } from './element.ts';
import type { Localization, TextsOf } from './language.ts';
import { fillsScreen } from './panel-frame.ts';
import type * as ratingFormChunk from './rating-form.ts';
import type * as screenshotChunk from './screenshot.ts';
import { addStyle } from './style.ts';
import type * as voiceChunk from './voice.ts';

export type OptionalFeatureDeps = {
  guide: Guide;
  load: LoadChunk;
  localization: Localization;
  announcer: Announcer;
  shadow: ShadowRoot;
  dialog: HTMLElement;
  spotlight: HTMLElement;
  form: HTMLElement;
  field: HTMLTextAreaElement;
  /** Aborts when the guide is closed. */
  signal: AbortSignal;
};

export type OptionalFeatures = {
  /** Describes the page for a turn. A page that cannot be read never stops a question. */
  capturePage: (
    deps: captureChunk.CaptureDeps,
  ) => Promise<Pick<ChatTurn, 'domDigest' | 'url'> & Partial<captureChunk.PageCapture>>;
  /** A screenshot of what the visitor sees, if the workspace and the visitor allow it. */
  takeScreenshot: () => Promise<Pick<ChatTurn, 'viewportScreenshot'>>;
  /** A button that reads a text aloud, if the workspace has voice. */
  readAloud: (text: string) => Promise<HTMLElement | undefined>;
  stopVoice: () => void;
  /** Proposes an action; undefined when its kind is unknown here. */
  createProposal: (
    action: actionsChunk.Action,
    onOutcome: actionsChunk.ActionDeps['onOutcome'],
  ) => Promise<HTMLElement | undefined>;
  clearHighlight: () => void;
  /** A form for the details of a bad rating. */
  createRatingForm: (onSend: ratingFormChunk.RatingFormDeps['onSend']) => Promise<HTMLElement | undefined>;
};

/**
 * Loads the reader of the page, voice, screenshots, actions and the form of a bad rating when they are needed. The guide works
 * without those that fail to load.
 */
export function openOptionalFeatures({ guide, load, ...deps }: OptionalFeatureDeps): OptionalFeatures {
  /** Also loads the texts that only this file needs. */
  const loadFeature = async <T extends { STYLE: string }, Texts>(name: string) => {
    const [chunk, { texts }] = await Promise.all([
      load<T>(name),
      load<{ texts: Texts }>(`${deps.localization.file}-${name}`),
    ]);
    addStyle(deps.shadow, chunk.STYLE);
    return { ...chunk, texts };
  };
  let capture: Promise<typeof captureChunk> | undefined;
  const loadCapture = () => {
    capture ??= load<typeof captureChunk>('capture');
    capture.catch(() => (capture = undefined));
    return capture;
  };
  deps.field.addEventListener('input', () => void loadCapture().catch(() => {}), { once: true });
  const voice = openVoice();
  let isReported = false;
  let actions: Promise<actionsChunk.Actions | undefined> | undefined;
  let ratingForm: Promise<typeof ratingFormChunk & { texts: TextsOf<'rating-form'> }> | undefined;

  async function openVoice(): Promise<voiceChunk.Voice | undefined> {
    if (!guide.state?.features.voice) return;
    const chunk = await loadFeature<typeof voiceChunk, TextsOf<'voice'>>('voice').catch(() => undefined);
    const internals = getInternals(guide);
    if (chunk && !deps.signal.aborted)
      return chunk.openVoice({ ...deps, texts: chunk.texts, guide, internals });
  }

  const clearHighlight = () => void actions?.then((opened) => opened?.clear());
  deps.signal.addEventListener('abort', clearHighlight);

  return {
    capturePage: async (question) => {
      try {
        return (await loadCapture()).capturePage(question);
      } catch (error) {
        if (!isReported)
          console.error('Guidepost: The page could not be read. Questions are sent without it.', error);
        isReported = true;
        const url = location.origin + location.pathname;
        return { domDigest: `title ${url}`, url };
      }
    },
    takeScreenshot: async () => {
      if (!guide.state?.features.screenshot) return {};
      const chunk = await load<typeof screenshotChunk>('screenshot').catch(() => undefined);
      const viewportScreenshot = await chunk?.takeScreenshot().catch(() => undefined);
      return viewportScreenshot ? { viewportScreenshot } : {};
    },
    readAloud: async (text) => (await voice)?.readAloud(text),
    stopVoice: () => void voice.then((opened) => opened?.stop()),
    createProposal: async (action, onOutcome) => {
      actions ??= Promise.all([
        loadFeature<typeof actionsChunk, TextsOf<'actions'>>('actions'),
        loadCapture(),
      ]).then(
        ([{ openActions, texts }, page]) =>
          openActions({ ...deps, texts, page: { ...page, fillsScreen }, onOutcome }),
        () => (actions = undefined),
      );
      return (await actions)?.createProposal(action);
    },
    clearHighlight,
    createRatingForm: async (onSend) => {
      ratingForm ??= loadFeature<typeof ratingFormChunk, TextsOf<'rating-form'>>('rating-form');
      const chunk = await ratingForm.catch(() => (ratingForm = undefined));
      return chunk?.createRatingForm({ ...deps, texts: chunk.texts, onSend });
    },
  };
}
