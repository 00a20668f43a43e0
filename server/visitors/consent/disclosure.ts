import { hash } from 'node:crypto';
import { once } from '../../base/cache.ts';
import { findPanelTag, PANEL_LANGUAGES, type PanelLanguage } from '../../base/guide-languages.ts';
import { canonicalJson } from '../../base/hash-chain.ts';

/** The notice that an AI answers, part of every directive in every region. */
type AiDisclosure = {
  required: true;
  text: string;
  /** The locale of the text, which may differ from the requested one. */
  locale: string;
  /** Derived from locale and text. */
  version: string;
  show: 'before_first_message';
};

/** The texts of the consent prompt. Decisions send `copyVersion` back, and the consent log records it. */
type ConsentCopy = PanelLanguage['consent'] & {
  locale: string;
  copyVersion: string;
  direction: 'ltr' | 'rtl';
};

/** One locale (`pt-BR`) or several, best first. */
type RequestedLocales = string | readonly string[] | undefined;

/** Returns the disclosure in the wanted language: the locale itself, else its language, else English. */
export function aiDisclosure(requestedLocales: RequestedLocales): AiDisclosure {
  return selectText(getDisclosures(), requestedLocales);
}

/** Returns the consent prompt's copy in the wanted language: the locale itself, else its language, else English. */
export function consentCopy(requestedLocales: RequestedLocales): ConsentCopy {
  return selectText(getCopies(), requestedLocales);
}

export type Wording = ReturnType<typeof getWording>;

/** Returns both as the contract has them. */
export function getWording(requestedLocales: RequestedLocales) {
  const { copyVersion, gpcNotice, locale, title, text, accept, deny, notice } = consentCopy(requestedLocales);
  return {
    disclosure: aiDisclosure(requestedLocales),
    copy: { version: copyVersion, locale, title, text, accept, deny, notice, gpc_notice: gpcNotice },
  };
}

/** Returns the locale of a consent copy version; undefined for versions that this service does not show. */
export function findCopyLocale(copyVersion: string): string | undefined {
  return getLocalesByCopyVersion().get(copyVersion);
}

const RIGHT_TO_LEFT = /[\p{sc=Arab}\p{sc=Hebr}]/u;

const getDisclosures = once(
  (): ReadonlyMap<string, AiDisclosure> =>
    new Map(
      Array.from(PANEL_LANGUAGES, ([locale, { disclosure: text }]) => [
        locale,
        { required: true, text, locale, version: toVersion(locale, text), show: 'before_first_message' },
      ]),
    ),
);

const getCopies = once(
  (): ReadonlyMap<string, ConsentCopy> =>
    new Map(
      Array.from(PANEL_LANGUAGES, ([locale, { consent }]) => [
        locale,
        {
          ...consent,
          locale,
          copyVersion: toVersion(locale, consent),
          direction: RIGHT_TO_LEFT.test(consent.title) ? 'rtl' : 'ltr',
        },
      ]),
    ),
);

const getLocalesByCopyVersion = once(
  () => new Map(Array.from(getCopies().values(), (copy) => [copy.copyVersion, copy.locale])),
);

function toVersion(locale: string, text: unknown): string {
  return `${locale}+${hash('sha256', canonicalJson(text)).slice(0, 12)}`;
}

function selectText<Text>(texts: ReadonlyMap<string, Text>, wanted: RequestedLocales): Text {
  const locales = wanted === undefined ? [] : typeof wanted === 'string' ? [wanted] : wanted;
  for (const requested of locales) {
    const text = findClosestText(texts, requested);
    if (text !== undefined) return text;
  }
  return texts.get('en') as Text;
}

const findClosestText = <Text>(texts: ReadonlyMap<string, Text>, requested: string): Text | undefined =>
  texts.get(findPanelTag(requested) ?? '');
