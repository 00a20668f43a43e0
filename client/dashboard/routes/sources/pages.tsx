import type { ComponentType } from 'react';
import { IntlProvider, useLocale, useMessages, useTimeZone } from 'use-intl';
import type { Language } from '../../catalogs.ts';
import { ConflictsPage as Conflicts } from './conflicts.tsx';
import { ImportFilesPage as ImportFiles } from './import-files.tsx';
import { RunPage as Run } from './run.tsx';
import { SourcePage as Source } from './source.tsx';
import { SourcesPage as Sources } from './sources.tsx';
import { SOURCE_TEXTS } from './texts.ts';
import { NewWebsitePage as NewWebsite } from './website-form.tsx';

/** The pages of sources, with their texts: a part of the catalog that other pages do not need. */

const sources = await SOURCE_TEXTS[document.documentElement.lang as Language]();

function withTexts(Page: ComponentType) {
  return () => {
    const messages = useMessages();
    const timeZone = useTimeZone();
    return (
      <IntlProvider locale={useLocale()} messages={{ ...messages, sources }} {...(timeZone && { timeZone })}>
        <Page />
      </IntlProvider>
    );
  };
}

export const ConflictsPage = withTexts(Conflicts);
export const ImportFilesPage = withTexts(ImportFiles);
export const NewWebsitePage = withTexts(NewWebsite);
export const RunPage = withTexts(Run);
export const SourcePage = withTexts(Source);
export const SourcesPage = withTexts(Sources);
