import { Checkbox, Group, Modal, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { type ElementType, type FocusEvent, useState } from 'react';
import { useTranslations } from 'use-intl';
import { CopyText, ReasonButton } from './buttons.tsx';
import { useLeaveGuard } from './use-action.tsx';

type SecretDialogProps = {
  title: string;
  lead: string;
  label: string;
  /** Of one or several lines. */
  secret: string;
  copyLabel: string;
  /** A box to confirm that the secret was stored, without which the dialog does not close. */
  storedLabel?: string;
  closeLabel: string;
  close: () => void;
};

/** Shows a secret once, so a stray click must not close the dialog. */
export function SecretDialog(props: SecretDialogProps) {
  const { title, lead, label, secret, copyLabel, storedLabel, closeLabel, close } = props;
  const t = useTranslations('apiKeys');
  const [stored, setStored] = useState(storedLabel === undefined);
  useLeaveGuard(!stored);
  const lines = secret.split('\n').length;
  const Input: ElementType = lines > 1 ? Textarea : TextInput;
  return (
    <Modal
      opened
      onClose={close}
      title={title}
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
      size="lg"
    >
      <Stack>
        <Text>{lead}</Text>
        <Input
          label={label}
          value={secret}
          readOnly
          dir="ltr"
          ff="monospace"
          translate="no"
          autoComplete="off"
          spellCheck={false}
          onFocus={({ currentTarget }: FocusEvent<HTMLInputElement>) => currentTarget.select()}
          {...(lines > 1 && { rows: lines })}
        />
        <CopyText text={secret} label={copyLabel} variant="filled" className="self-start" data-autofocus />
        <Group justify="space-between">
          {storedLabel && (
            <Checkbox
              label={storedLabel}
              checked={stored}
              onChange={(event) => setStored(event.currentTarget.checked)}
            />
          )}
          <ReasonButton variant="default" onClick={close} reason={stored ? undefined : t('storeFirst')}>
            {closeLabel}
          </ReasonButton>
        </Group>
      </Stack>
    </Modal>
  );
}
