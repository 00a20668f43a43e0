import { Button, Checkbox, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { modals } from '@mantine/modals';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import type { ApiKeyCreated } from '../../../sdk/types.ts';
import { Copy } from '../../components/copy.tsx';
import { useLeaveGuard } from '../settings/leave-guard.tsx';
import { useRevoke } from './key-row.tsx';

/** A key with its secret, and the one that it takes over from. */
export type FreshKey = {
  readonly key: ApiKeyCreated;
  readonly replaces?: { readonly id: string; readonly lastFour: string };
};

/** The whole key is here and never again: only who says that they have it goes on. */
export function Secret({ fresh, close }: { readonly fresh: FreshKey; readonly close: () => void }) {
  const t = useTranslations('apiKeys');
  const [stored, setStored] = useState(false);
  const revoke = useRevoke();
  const { key, replaces } = fresh;
  useLeaveGuard(!stored);
  function goOn() {
    close();
    if (!replaces) return;
    modals.openConfirmModal({
      title: t('oldTitle'),
      children: <Text>{t('oldLead', { lastFour: replaces.lastFour })}</Text>,
      labels: { confirm: t('revoke'), cancel: t('later') },
      confirmProps: { color: 'red' },
      cancelProps: { 'data-autofocus': true },
      onConfirm: () => revoke.mutate(replaces.id),
    });
  }
  return (
    <Modal
      opened
      onClose={close}
      title={t('secretTitle', { name: key.name })}
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
      size="lg"
    >
      <Stack>
        <Text>{t('secretLead')}</Text>
        <TextInput
          label={t('secret')}
          value={key.key}
          readOnly
          dir="ltr"
          ff="monospace"
          translate="no"
          autoComplete="off"
          spellCheck={false}
          onFocus={(event) => event.currentTarget.select()}
        />
        <Copy text={key.key} label={t('copySecret')} variant="filled" className="self-start" data-autofocus />
        <Group justify="space-between">
          <Checkbox
            label={t('stored')}
            checked={stored}
            onChange={(event) => setStored(event.currentTarget.checked)}
          />
          <Button variant="default" onClick={goOn} disabled={!stored}>
            {t('done')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
