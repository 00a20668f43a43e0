import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { deleteCollection, renameCollection } from '../../../../generated/routes.ts';
import type { Collection } from '../../../../generated/types.ts';
import { isGuideError } from '../../../sdk/errors.ts';
import { usePendingIds } from '../../components/deferred.ts';
import { useAction, useDeferredAction } from '../../components/use-action.tsx';
import { useWorkspace } from '../../session.ts';
import { useFiling } from './filing.ts';

/** Renames and deletes collections. */
export function CollectionsDialog({ close }: { readonly close: () => void }) {
  const t = useTranslations('articles');
  const pending = usePendingIds();
  const collections = useFiling().collections.filter(({ id }) => !pending.has(id));
  return (
    <Modal opened onClose={close} title={t('manageCollections')}>
      <Stack>
        {collections.map((collection) => (
          <CollectionRow key={collection.id} collection={collection} />
        ))}
        {collections.length === 0 && <Text>{t('noCollection')}</Text>}
      </Stack>
    </Modal>
  );
}

function CollectionRow({ collection: { id, name, articles } }: { readonly collection: Collection }) {
  const t = useTranslations('articles');
  const { tenant, tenantId } = useWorkspace();
  const [text, setText] = useState(name);
  const [error, setError] = useState<string>();
  const changes = [['tenant', tenantId, 'articles']];
  const params = { collectionId: id };
  const rename = useAction(() => tenant.call(renameCollection, { params, body: { name: text.trim() } }), {
    changes,
    done: t('collectionRenamed'),
    onError: (failure) => {
      const isTaken = isGuideError(failure, 'collection/name_taken');
      if (isTaken) setError(t('collectionTaken'));
      return isTaken;
    },
  });
  const remove = useDeferredAction((_, options) => tenant.call(deleteCollection, { params, ...options }), {
    ids: () => [id],
    changes,
    done: t('collectionDeleted'),
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        rename.mutate();
      }}
    >
      <Group align="flex-end" gap="xs">
        <TextInput
          className="grow"
          label={t('collectionName')}
          description={t('total', { count: articles })}
          maxLength={80}
          value={text}
          error={error}
          onChange={({ currentTarget }) => {
            setText(currentTarget.value);
            setError(undefined);
          }}
        />
        <Button
          type="submit"
          variant="default"
          aria-label={t('renameCollection', { name })}
          loading={rename.isPending}
          disabled={text.trim() === '' || text.trim() === name}
        >
          {t('rename')}
        </Button>
        <Button
          variant="default"
          c="red"
          aria-label={t('deleteCollection', { name })}
          onClick={() => remove()}
        >
          {t('delete')}
        </Button>
      </Group>
    </form>
  );
}
