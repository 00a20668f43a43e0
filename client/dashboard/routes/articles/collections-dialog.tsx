import { ActionIcon, Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { type ChangeEvent, type FormEvent, useState } from 'react';
import { useTranslations } from 'use-intl';
import type { LIMITS } from '../../../../contract/limits.ts';
import { createCollection, deleteCollection, renameCollection } from '../../../../generated/routes.ts';
import type { Collection } from '../../../../generated/types.ts';
import { isGuideError } from '../../../sdk/errors.ts';
import { usePendingIds } from '../../components/deferred.ts';
import { useAction, useDeferredAction } from '../../components/use-action.tsx';
import { useWorkspace } from '../../session.ts';
import { useArticleFacets } from './article-facets.ts';

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
    ...(done && { done }),
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
      maxLength: NAME_CHARS_MAX,
      value: text,
      error,
      onChange: ({ currentTarget }: ChangeEvent<HTMLInputElement>) => {
        setText(currentTarget.value);
        setError(undefined);
      },
    },
  };
}

const NAME_CHARS_MAX: (typeof LIMITS)['collectionNameCharsMax'] = 80;

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
        <ActionIcon
          variant="default"
          c="var(--mantine-color-error)"
          size={36}
          aria-label={t('deleteCollection', { name })}
          onClick={() => remove()}
        >
          <IconTrash size={18} aria-hidden />
        </ActionIcon>
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
