import { Anchor, type AnchorProps, Button, type ButtonProps } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import type { ComponentPropsWithRef, ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import { isGuideError } from '../../sdk/errors.ts';
import { useArticle, useWorkspace } from '../session.ts';

type PageAddress = {
  /** The path below the workspace in the URL, such as `/articles`. */
  to: string;
  search?: Readonly<Record<string, string>>;
  hash?: string;
};

function useLinkProps({ to, search, hash }: PageAddress) {
  const { tenantId } = useWorkspace();
  return { component: Link, to: `/w/${tenantId}${to}`, search: search as never, hash } as const;
}

type PageLinkProps = PageAddress & AnchorProps & Omit<ComponentPropsWithRef<'a'>, keyof AnchorProps | 'href'>;

/** A link to another page of the workspace. */
export function PageLink({ to, search, hash, ...link }: PageLinkProps) {
  return <Anchor {...useLinkProps({ to, search, hash })} {...link} />;
}

/** A link to another page of the workspace that looks like a button. */
export function ButtonLink({ to, search, ...button }: PageAddress & ButtonProps) {
  return <Button {...useLinkProps({ to, search })} {...button} />;
}

type OpenOptions = Pick<PageAddress, 'search' | 'hash'> & { ignoreBlocker?: boolean };

/** Returns a function that opens another page of the workspace. */
export function useOpenPage() {
  const { tenantId } = useWorkspace();
  const navigate = useNavigate();
  return (to: string, { search, ...options }: OpenOptions = {}) =>
    navigate({ to: `/w/${tenantId}${to}`, search: search as never, ...options });
}

/** Links to an article by its title, or to its translation. */
export function ArticleLink({
  id,
  locale,
  name,
}: {
  id: string;
  /** The locale to link to; the article itself by default. */
  locale?: string | undefined;
  /** Shown when the article no longer exists. */
  name?: string | undefined;
}) {
  const t = useTranslations('shell');
  const article = useArticle(id, {
    staleTime: 60_000,
  });
  if (isGuideError(article.error) && article.error.status === 404) {
    return <span className="wrap">{name ?? t('deletedArticle')}</span>;
  }
  const { title = name ?? '…', locale: articleLocale, translations = [] } = article.data ?? {};
  const isTranslation = locale !== undefined && translations.some((each) => each.locale === locale);
  return (
    <ArticleTextLink
      articleId={id}
      translation={isTranslation ? locale : undefined}
      lang={articleLocale}
      className="wrap"
      fz="inherit"
    >
      {title}
    </ArticleTextLink>
  );
}

type ArticleTextLinkProps = Pick<AnchorProps, 'className' | 'fz'> & {
  articleId: string;
  /** The locale of the translation to link to; the article itself by default. */
  translation?: string | undefined;
  lang?: string | undefined;
  children: ReactNode;
};

export function ArticleTextLink({ articleId, translation, ...link }: ArticleTextLinkProps) {
  const path = `/articles/${articleId}${translation === undefined ? '' : `/translations/${translation}`}`;
  return <PageLink to={path} dir="auto" {...link} />;
}
