import { Button, Menu, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useLocale, useTranslations } from 'use-intl';
import type { ArticleSummary } from '../../../sdk/types.ts';
import { Icon } from '../../components/icon.tsx';
import { PageLink } from '../../components/links.tsx';
import {
  getPendingStatus,
  getTranslationState,
  TRANSLATION_STATES,
  TranslationIcon,
  useTranslationStateText,
} from '../../components/status-badge.tsx';
import { languageNames } from '../../languages.ts';
import { useWorkspace } from '../../session.ts';

type CellProps = { article: ArticleSummary };

const findVariant = ({ translations }: ArticleSummary, locale: string) =>
  translations.find((each) => each.locale === locale);

/** Counts the languages in which the article is live; a menu opens each of them. */
export function LanguagesCell({ article, locales }: CellProps & { locales: readonly string[] }) {
  const t = useTranslations('articles');
  const { title, translations } = article;
  const isLive = (locale: string) =>
    locale === article.locale
      ? article.status === 'published'
      : getTranslationState(findVariant(article, locale)) === 'live';
  const live = locales.filter(isLive).length;
  const isStale = translations.some(({ liveStale }) => liveStale);
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <Button
          variant="transparent"
          size="compact-sm"
          px={0}
          className="quiet"
          aria-label={t('languagesOf', { title, live, total: locales.length })}
          rightSection={isStale && <TranslationIcon variant={translations.find((each) => each.liveStale)} />}
        >
          {t('languageCount', { live, total: locales.length })}
        </Button>
      </Menu.Target>
      <Menu.Dropdown mah={320} className="scrolling">
        {locales.map((locale) => (
          <LanguageItem key={locale} article={article} locale={locale} />
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function LanguageItem({ article, locale }: CellProps & { locale: string }) {
  const { tenantId, canEdit } = useWorkspace();
  const status = useVariantText()(article, locale);
  const name = languageNames(useLocale());
  const isSource = locale === article.locale;
  const { icon, color } = TRANSLATION_STATES[getTranslationState(findVariant(article, locale))];
  const path = `/w/${tenantId}/articles/${article.id}${isSource ? '' : `/translations/${locale}`}`;
  const isMissing = !isSource && !findVariant(article, locale);
  return (
    <Menu.Item
      component={Link}
      to={path}
      disabled={isMissing && !canEdit}
      leftSection={
        <Icon name={isSource ? 'file-text' : icon} className={`status-${isSource ? 'gray' : color}`} />
      }
      rightSection={
        <Text span size="xs" c="dimmed">
          {status}
        </Text>
      }
    >
      {name(locale)}
    </Menu.Item>
  );
}

/** The status of one language: an icon that links to the text. */
export function LanguageCell({ article, locale }: CellProps & { locale: string }) {
  const t = useTranslations();
  const name = languageNames(useLocale());
  const status = useVariantText()(article, locale);
  const { canEdit } = useWorkspace();
  if (locale === article.locale) {
    return (
      <Text component="span" size="xs" c="dimmed" aria-label={status} title={status}>
        ●
      </Text>
    );
  }
  const variant = findVariant(article, locale);
  const icon = <TranslationIcon variant={variant} />;
  if (!variant && !canEdit) return icon;
  const label = variant
    ? t('articles.openTranslation', { language: name(locale), status })
    : t('articles.translateTo', { title: article.title, language: name(locale) });
  return (
    <PageLink to={`/articles/${article.id}/translations/${locale}`} aria-label={label} className="cell-link">
      {icon}
    </PageLink>
  );
}

function useVariantText() {
  const t = useTranslations('statuses');
  const text = useTranslationStateText();
  return (article: ArticleSummary, locale: string): string => {
    if (locale === article.locale) return t('source');
    const variant = findVariant(article, locale);
    const next = getPendingStatus(variant);
    return next
      ? t('liveWithPending', { status: t(`translation.${next}`) })
      : text(getTranslationState(variant));
  };
}
