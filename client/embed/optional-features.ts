import type { ChatTurn, Guide } from '../sdk/guide.ts';
import type * as actionsChunk from './actions.ts';
import { getAddress } from './address.ts';
import type * as captureChunk from './capture.ts';
import type { Announcer } from './element.ts';
import type * as handoverChunk from './handover.ts';
import type { TextsOf } from './language.ts';
import { type FeatureDeps, loadFeature } from './load-feature.ts';
import { fillsScreen } from './panel-frame.ts';
import type * as ratingFormChunk from './rating-form.ts';
import type * as screenshotChunk from './screenshot.ts';

export type OptionalFeatureDeps = FeatureDeps & {
  guide: Guide;
  announcer: Announcer;
  dialog: HTMLElement;
  spotlight: HTMLElement;
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
  /** Proposes an action; undefined when its kind is unknown here. */
  createProposal: (
    action: actionsChunk.Action,
    onOutcome: actionsChunk.ActionDeps['onOutcome'],
  ) => Promise<HTMLElement | undefined>;
  clearHighlight: () => void;
  /** A form for the details of a bad rating. */
  createRatingForm: (onSend: ratingFormChunk.RatingFormDeps['onSend']) => Promise<HTMLElement | undefined>;
  /** The form that asks a person, and the messages that were sent; undefined when it failed to load. */
  loadHandover: () => Promise<(typeof handoverChunk & { texts: TextsOf<'handover'> }) | undefined>;
};

/**
 * Loads the reader of the page, screenshots, actions and the form of a bad rating when they are needed. The guide works without
 * those that fail to load.
 */
export function openOptionalFeatures(deps: OptionalFeatureDeps): OptionalFeatures {
  const { guide, load } = deps;
  let capture: Promise<typeof captureChunk> | undefined;
  const loadCapture = () => {
    capture ??= load<typeof captureChunk>('capture');
    capture.catch(() => (capture = undefined));
    return capture;
  };
  void loadCapture().catch(() => {});
  let isReported = false;
  let actions: Promise<actionsChunk.Actions | undefined> | undefined;
  let ratingForm: Promise<typeof ratingFormChunk & { texts: TextsOf<'rating-form'> }> | undefined;

  let handover: Promise<typeof handoverChunk & { texts: TextsOf<'handover'> }> | undefined;

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
        const { origin, pathname } = getAddress();
        const url = origin + pathname;
        return { domDigest: `title ${url}`, url };
      }
    },
    takeScreenshot: async () => {
      if (!guide.state?.features.screenshot) return {};
      const chunk = await load<typeof screenshotChunk>('screenshot').catch(() => undefined);
      const viewportScreenshot = await chunk?.takeScreenshot().catch(() => undefined);
      return viewportScreenshot ? { viewportScreenshot } : {};
    },
    createProposal: async (action, onOutcome) => {
      actions ??= Promise.all([
        loadFeature<typeof actionsChunk, TextsOf<'actions'>>(deps, 'actions'),
        loadCapture(),
      ]).then(
        ([{ openActions, texts }, page]) =>
          openActions({ ...deps, texts, page: { ...page, fillsScreen }, onOutcome }),
        () => (actions = undefined),
      );
      return (await actions)?.createProposal(action);
    },
    clearHighlight,
    loadHandover: async () => {
      handover ??= loadFeature<typeof handoverChunk, TextsOf<'handover'>>(deps, 'handover');
      return handover.catch(() => (handover = undefined));
    },
    createRatingForm: async (onSend) => {
      ratingForm ??= loadFeature<typeof ratingFormChunk, TextsOf<'rating-form'>>(deps, 'rating-form');
      const chunk = await ratingForm.catch(() => (ratingForm = undefined));
      return chunk?.createRatingForm({ ...deps, texts: chunk.texts, onSend });
    },
  };
}
