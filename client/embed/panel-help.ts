import type { Guide } from '../sdk/guide.ts';
import type { InstallError, Settings } from './boot.ts';
import { addQuestion } from './draft.ts';
import { type Announcer, button } from './element.ts';
import { createTrouble, toErrorMessage } from './error-message.ts';
import type * as helpChunk from './help.ts';
import type { TextsOf } from './language.ts';
import { type FeatureDeps, loadFeature } from './load-feature.ts';
import type { GuideElement } from './public-api.ts';
import type { Views } from './views.ts';

export type PanelHelpDeps = FeatureDeps & {
  host: GuideElement;
  aside: HTMLElement;
  settings: Pick<Settings, 'apiUrl'>;
  guide: () => Guide;
  signal: () => AbortSignal;
  announcer: Announcer;
  views: Views;
  field: HTMLTextAreaElement;
  /** The button that shows the articles. */
  help: HTMLElement;
  onAsk: (question: string) => void;
  reportError: (error: InstallError) => void;
};

/** Loads the articles when they are wanted: in the place of the conversation, or in a dialog of their own. */
export function openPanelHelp(deps: PanelHelpDeps) {
  const { host, aside, localization, views, field } = deps;
  let loading: Promise<typeof helpChunk & { texts: TextsOf<'help'> }> | undefined;

  /** Returns nothing when the file could not be loaded, and says so. */
  async function load(calls: Pick<helpChunk.HelpDeps, 'onAsk' | 'onAskAbout'>) {
    loading ??= loadFeature<typeof helpChunk, TextsOf<'help'>>(deps, 'help');
    const loaded = await loading.catch(() => (loading = undefined));
    if (!loaded) {
      deps.announcer.say(localization.texts.failed);
      return deps.reportError({ code: 'chunk' });
    }
    const { texts, ...chunk } = loaded;
    const helpDeps: helpChunk.HelpDeps = {
      ...calls,
      guide: deps.guide(),
      localization,
      texts,
      baseUrl: deps.settings.apiUrl,
      createTrouble: (error, retry) =>
        createTrouble(
          toErrorMessage(error, localization),
          localization.texts,
          button(localization.texts.retry, { class: 'action' }, retry),
        ),
      signal: deps.signal(),
    };
    return { ...chunk, deps: helpDeps };
  }

  return {
    show: async (): Promise<void> => {
      const help = await load({
        onAsk: deps.onAsk,
        onAskAbout: (title) => {
          views.close();
          addQuestion(field, `${title}: `);
          field.focus();
        },
      });
      if (help) views.show(help.openHelp(help.deps, views.back).root, deps.help);
    },
    /** Opens the search in a dialog of its own; the panel stays as it is. */
    search: async (): Promise<void> => {
      const help = await load({
        onAsk: (question) => host.ask(question),
        onAskAbout: (title) => host.open(`${title}: `),
      });
      if (!help) return;
      // Both have a list of results, with the same ids.
      views.close();
      help.openSearchDialog(help.deps, aside);
    },
  };
}
