import { ActionIcon, Group, Tooltip } from '@mantine/core';
import { IconFilter } from '@tabler/icons-react';
import { useTranslations } from 'use-intl';
import type { AuditRow } from '../../../sdk/types.ts';
import { ArticleLink } from '../../components/article-link.tsx';
import { Person } from '../../components/person.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { useFilters } from '../../components/use-filters.ts';
import type { AuditSearch } from '../../router.tsx';
import { useWorkspace } from '../../session.ts';
import { textIn } from './details.ts';

type SubjectProps = { readonly row: AuditRow };

/** What something was done to, and the way to everything else that was done to it. */
export function Subject({ row }: SubjectProps) {
  const t = useTranslations('audit');
  const { change } = useFilters<AuditSearch>();
  return (
    <Group gap="xs" wrap="nowrap" align="flex-start">
      <span>
        <Named row={row} />
      </span>
      <Tooltip label={t('onlyThis')}>
        <ActionIcon
          variant="subtle"
          color="gray"
          size={28}
          aria-label={t('onlyThis')}
          onClick={() => change({ subject: row.subject })}
        >
          <IconFilter size={16} aria-hidden />
        </ActionIcon>
      </Tooltip>
    </Group>
  );
}

/** Ids say by their beginning what they are of. */
function Named({ row: { subject, details } }: SubjectProps) {
  const t = useTranslations('audit.subjects');
  const { tenantId } = useWorkspace();
  const settings = (page: string, name: string) => (
    <TextLink to={`/w/${tenantId}/settings${page}` as '/'} fz="inherit">
      {name}
    </TextLink>
  );
  const name = textIn(details, 'slug');
  switch (subject.split('_')[0]) {
    case 'art':
      return <ArticleLink id={subject} name={name} />;
    case 'tr': {
      const articleId = textIn(details, 'articleId');
      return articleId ? <ArticleLink id={articleId} locale={textIn(details, 'locale')} /> : t('translation');
    }
    case 'ws':
      return settings('', t('workspace'));
    case 'mem':
      return textIn(details, 'email') ? settings('/members', t('member')) : <Person id={subject} />;
    case 'inv':
      return settings('/members', t('invitation'));
    case 'key':
      return settings('/api-keys', textIn(details, 'name') ?? t('apiKey'));
    case 'usr':
      return t('account');
    default:
      return <span className="wrap">{subject}</span>;
  }
}
