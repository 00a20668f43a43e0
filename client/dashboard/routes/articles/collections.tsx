import { Button, Group, Modal, Select, Stack, TagsInput, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ChangeEvent, type FormEvent, useState } from 'react';
import { useTranslations } from 'use-intl';
import { ARTICLE_LIMITS } from '../../../../contract/limits/articles.ts';
import { REQUEST_LIMITS } from '../../../../contract/limits/requests.ts';
import {
  changeArticles,
  createCollection,
  deleteCollection,
  listCollections,
  listSources,
  listTags,
  renameCollection,
} from '../../../../generated/routes.ts';
import type { BulkAction, Collection } from '../../../../generated/types.ts';
import { isGuideError } from '../../../sdk/errors.ts';
import type { Article } from '../../../sdk/types.ts';
import { AudienceField } from '../../components/audience-field.tsx';
import { IconButton } from '../../components/buttons.tsx';
import { Card } from '../../components/page.tsx';
import { useAction, useDeferredAction, usePendingIds } from '../../components/use-action.tsx';
import { useWorkspace } from '../../session.ts';

/** Reads the collections, tags and sources of the workspace; empty while they load. */
export function useArticleFacets() {
  const { tenant, tenantId } = useWorkspace();
  const key = ['tenant', tenantId, 'articles'] as const;
  const collections = useQuery({
    queryKey: [...key, 'collections'],
    queryFn: ({ signal }) => tenant.call(listCollections, { signal }),
  });
  const tags = useQuery({
    queryKey: [...key, 'tags'],
    queryFn: ({ signal }) => tenant.call(listTags, { signal }),
  });
  const sources = useQuery({
    queryKey: ['tenant', tenantId, 'sources', 'filter'],
    queryFn: ({ signal }) =>
      tenant.call(listSources, { query: { limit: REQUEST_LIMITS.pageRowsMax }, signal }),
  });
  return {
    collections: collections.data?.data ?? [],
    tags: tags.data?.data ?? [],
    sources: sources.data?.data ?? [],
  };
}

type Change = Pick<BulkAction, 'action' | 'collectionId' | 'tag' | 'audience'>;

/** Collection, tags and audience of an article, which are no part of its text and revisions. */
export function CollectionAndTags({
  article: { id, collectionId, tags, audience = [] },
}: {
  article: Article;
}) {
  const t = useTranslations('articles');
  const { tenant, canEdit } = useWorkspace();
  const { collections, tags: knownTags } = useArticleFacets();
  const organize = useAction(
    async (changes: readonly Change[]) => {
      for (const change of changes)
        await tenant.call(changeArticles, { body: { ...change, articleIds: [id] } });
    },
    { changes: ['articles'], done: t('organized') },
  );
  const setAudience = (next: string[]) => organize.mutate([{ action: 'restrict', audience: next }]);
  const setTags = (next: readonly string[]) =>
    organize.mutate([
      ...next.filter((tag) => !tags.includes(tag)).map((tag) => ({ action: 'tag' as const, tag })),
      ...tags.filter((tag) => !next.includes(tag)).map((tag) => ({ action: 'untag' as const, tag })),
    ]);
  return (
    <Card title={t('collectionAndTags')} isRegion wide>
      <Select
        label={t('collection')}
        placeholder={t('noCollection')}
        clearable
        searchable
        readOnly={!canEdit}
        disabled={organize.isPending}
        value={collectionId ?? null}
        onChange={(next) => organize.mutate([{ action: 'move', collectionId: next }])}
        data={collections.map(({ id: value, name: label }) => ({ value, label }))}
      />
      <TagsInput
        label={t('tag')}
        description={canEdit ? t('tagHint') : undefined}
        readOnly={!canEdit}
        disabled={organize.isPending}
        value={tags}
        onChange={setTags}
        data={knownTags.map(({ tag }) => tag)}
      />
      <AudienceField
        value={audience}
        change={canEdit ? setAudience : undefined}
        disabled={organize.isPending}
      />
    </Card>
  );
}

/** Creates, renames and deletes collections. */
export function CollectionsDialog({ close }: { close: () => void }) {
  const t = useTranslations('articles');
  const pending = usePendingIds();
  const collections = useArticleFacets().collections.filter(({ id }) => !pending.has(id));
  return (
    <Modal opened onClose={close} title={t('manageCollections')}>
      <Stack>
        {collections.map((collection) => (
          <CollectionRow key={collection.id} collection={collection} />
        ))}
        <NewCollection />
      </Stack>
    </Modal>
  );
}

/** Handles a form with a name. Shows an error at the field when another collection has the name. */
function useNaming(save: (name: string) => Promise<unknown>, done?: string, initial = '') {
  const t = useTranslations('articles');
  const needName = useTranslations('settings.general')('needName');
  const [text, setText] = useState(initial);
  const [error, setError] = useState<string>();
  const { mutate, isPending } = useAction(save, {
    changes: ['articles'],
    done,
    onDone: () => {
      if (initial === '') setText('');
    },
    onError: (failure) => {
      const isTaken = isGuideError(failure, 'collection/name_taken');
      if (isTaken) setError(t('collectionTaken'));
      return isTaken;
    },
  });
  return {
    name: text.trim(),
    isPending,
    submit: (event: FormEvent) => {
      event.preventDefault();
      if (text.trim() === '') setError(needName);
      else mutate(text.trim());
    },
    field: {
      maxLength: ARTICLE_LIMITS.collectionNameCharsMax,
      value: text,
      error,
      onChange: ({ currentTarget }: ChangeEvent<HTMLInputElement>) => {
        setText(currentTarget.value);
        setError(undefined);
      },
    },
  };
}

function CollectionRow({ collection: { id, name, articles } }: { collection: Collection }) {
  const t = useTranslations('articles');
  const { tenant } = useWorkspace();
  const params = { collectionId: id };
  const naming = useNaming(
    (text) => tenant.call(renameCollection, { params, body: { name: text } }),
    t('collectionRenamed'),
    name,
  );
  const remove = useDeferredAction((_, options) => tenant.call(deleteCollection, { params, ...options }), {
    ids: () => [id],
    changes: ['articles'],
    done: t('collectionDeleted'),
  });
  const isRenamed = naming.name !== '' && naming.name !== name;
  return (
    <form onSubmit={naming.submit}>
      <Group align="flex-start" gap="xs" wrap="nowrap">
        <TextInput
          className="grow"
          aria-label={t('collectionName')}
          description={t('total', { count: articles })}
          inputWrapperOrder={['input', 'description', 'error']}
          {...naming.field}
        />
        {isRenamed && (
          <Button
            type="submit"
            aria-label={t('renameCollection', { name })}
            flex="none"
            loading={naming.isPending}
          >
            {t('rename')}
          </Button>
        )}
        <IconButton
          icon="trash"
          c="var(--mantine-color-error)"
          label={t('deleteCollection', { name })}
          onClick={() => remove()}
        />
      </Group>
    </form>
  );
}

function NewCollection() {
  const t = useTranslations('articles');
  const { tenant } = useWorkspace();
  const naming = useNaming((name) => tenant.call(createCollection, { body: { name } }));
  return (
    <form onSubmit={naming.submit}>
      <Group align="flex-end" gap="xs" wrap="nowrap">
        <TextInput className="grow" label={t('newCollection')} {...naming.field} />
        <Button type="submit" variant="default" flex="none" loading={naming.isPending}>
          {t('createCollection')}
        </Button>
      </Group>
    </form>
  );
}
