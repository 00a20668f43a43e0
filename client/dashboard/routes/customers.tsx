import { Button, Group, Modal, Select, Stack, TagsInput, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useFormatter, useTranslations } from 'use-intl';
import { CUSTOMER_LIMITS } from '../../../contract/limits/customers.ts';
import type { CustomerAttribute, CustomerKey, CustomerKeyCreated, NewCustomerKey } from '../../sdk/types.ts';
import { IconButton } from '../components/buttons.tsx';
import { Form, trim, useFields } from '../components/form.tsx';
import { Icon } from '../components/icon.tsx';
import { PageLink } from '../components/links.tsx';
import { Loaded } from '../components/loading.tsx';
import { Card } from '../components/page.tsx';
import { DataTable } from '../components/table.tsx';
import { useAction, useConfirm } from '../components/use-action.tsx';
import { LISTED } from '../languages.ts';
import { useTenantQuery, useWorkspace } from '../session.ts';
import { CreatedCell, CredentialPage } from './credentials.tsx';
import { TokenCheck } from './user-token-check.tsx';

const KEYS = ['customer-keys'] as const;

/** What the site says of visitors whom it has signed in: its keys, the attributes that are kept, and one customer's data. */
export default function CustomersPage() {
  const t = useTranslations('customers');
  return (
    <CredentialPage<CustomerKeyCreated>
      title={t('title')}
      lead={t('lead')}
      newLabel={t('new')}
      dialog={(close, onCreated) => (
        <KeyDialog close={close} onCreated={(created) => (created.secret ? onCreated(created) : close())} />
      )}
      toSecret={({ secret = '' }) => ({
        title: t('secretTitle'),
        lead: t('secretLead'),
        label: t('secret'),
        secret,
        copyLabel: t('copySecret'),
        storedLabel: t('stored'),
      })}
    >
      {() => (
        <Stack>
          <Keys />
          <TokenCheck />
          <Attributes />
          <OneCustomer />
        </Stack>
      )}
    </CredentialPage>
  );
}

function Keys() {
  const t = useTranslations('customers');
  const { tenant } = useWorkspace();
  const confirm = useConfirm();
  const keys = useTenantQuery(KEYS, (tenant, options) => tenant.customers.keys(options));
  const remove = useAction((id: string) => tenant.customers.deleteKey(id), {
    changes: KEYS,
    done: t('keyDeleted'),
  });
  const question = { title: t('deleteKeyTitle'), lead: t('deleteKeyLead'), confirm: t('deleteKey') };
  const toName = ({ kind, url }: CustomerKey) => url ?? t(`kinds.${kind}`);
  return (
    <Card isRegion wide title={t('keys')} lead={t('keysLead')}>
      <Loaded query={keys} shape="table">
        {({ data }) =>
          data.length === 0 ? (
            <Text>{t('noKeys')}</Text>
          ) : (
            <DataTable
              caption={t('keys')}
              minWidth={520}
              rows={data}
              columns={[
                {
                  label: t('kind'),
                  cell: (key) => (
                    <bdi dir={key.url && 'ltr'} className="wrap">
                      {toName(key)}
                    </bdi>
                  ),
                },
                { label: t('created'), cell: (key) => <CreatedCell {...key} /> },
                {
                  label: t('actions'),
                  cell: (key) => (
                    <IconButton
                      icon="trash"
                      label={t('deleteKeyOf', { name: toName(key) })}
                      onClick={() => confirm(question, () => remove.mutate(key.id))}
                    />
                  ),
                },
              ]}
            />
          )
        }
      </Loaded>
    </Card>
  );
}

type KeyDialogProps = { close: () => void; onCreated: (created: CustomerKeyCreated) => void };

function KeyDialog({ close, onCreated }: KeyDialogProps) {
  const t = useTranslations('customers');
  const { tenant } = useWorkspace();
  const data = (['secret', 'key_set'] as const).map((value) => ({ value, label: t(`kinds.${value}`) }));
  const state = useFields<{ kind: NewCustomerKey['kind']; url: string }>({
    section: 'customers',
    initialValues: { kind: 'secret', url: '' },
    fields: [
      { name: 'kind', as: Select, input: { data, allowDeselect: false, 'data-autofocus': true } },
      {
        name: 'url',
        render: (form) =>
          form.values.kind === 'key_set' && (
            <TextInput
              label={t('url')}
              description={t('urlHint')}
              type="url"
              dir="ltr"
              autoComplete="off"
              {...form.getInputProps('url')}
            />
          ),
        clean: trim,
        explainIssue: () => t('badUrl'),
      },
    ],
  });
  const create = useAction(
    ({ kind, url }: typeof state.form.values) =>
      tenant.customers.createKey({ kind, ...(kind === 'key_set' && { url }) }),
    { changes: KEYS, onDone: onCreated, onError: (error) => state.showError(error) },
  );
  return (
    <Modal opened onClose={close} title={t('newTitle')}>
      <Form
        state={state}
        send={create.mutate}
        isPending={create.isPending}
        submitLabel={t('create')}
        cancel={close}
      />
    </Modal>
  );
}

function Attributes() {
  const t = useTranslations('customers');
  const format = useFormatter();
  const { tenant, tenantId } = useWorkspace();
  const client = useQueryClient();
  const confirm = useConfirm();
  const [isAdding, setAdding] = useState(false);
  const settings = useTenantQuery(['settings'], (tenant, options) => tenant.settings.read(options));
  const attributes = settings.data?.customerAttributes ?? [];
  const save = async (customerAttributes: readonly CustomerAttribute[]) => {
    const changed = await tenant.settings.change({ customerAttributes: [...customerAttributes] });
    client.setQueryData(['tenant', tenantId, 'settings'], changed);
  };
  const remove = useAction((name: string) => save(attributes.filter((each) => each.name !== name)), {
    done: t('saved'),
  });
  return (
    <Card
      isRegion
      wide
      title={t('attributes')}
      lead={t('attributesLead')}
      aside={
        attributes.length < CUSTOMER_LIMITS.attributesMax && (
          <Button variant="default" leftSection={<Icon name="plus" />} onClick={() => setAdding(true)}>
            {t('addAttribute')}
          </Button>
        )
      }
    >
      {attributes.length === 0 ? (
        <Text>{t('noAttributes')}</Text>
      ) : (
        <DataTable
          caption={t('attributes')}
          minWidth={520}
          rows={attributes}
          getKey={({ name }) => name}
          columns={[
            { label: t('name'), cell: ({ name }) => <bdi dir="ltr">{name}</bdi> },
            {
              label: t('type'),
              className: 'whole',
              cell: ({ type, values }) => (values ? format.list(values, LISTED) : t(`types.${type}`)),
            },
            {
              label: t('actions'),
              cell: ({ name }) => (
                <IconButton
                  icon="trash"
                  label={t('removeAttribute', { name })}
                  onClick={() =>
                    confirm(
                      { title: t('removeAttribute', { name }), lead: t('removeLead'), confirm: t('remove') },
                      () => remove.mutate(name),
                    )
                  }
                />
              ),
            },
          ]}
        />
      )}
      {isAdding && (
        <AttributeDialog
          close={() => setAdding(false)}
          save={(attribute) => save([...attributes, attribute])}
        />
      )}
    </Card>
  );
}

type AttributeDialogProps = { close: () => void; save: (attribute: CustomerAttribute) => Promise<unknown> };

function AttributeDialog({ close, save }: AttributeDialogProps) {
  const t = useTranslations('customers');
  const data = (['text', 'boolean', 'one_of'] as const).map((value) => ({
    value,
    label: t(`types.${value}`),
  }));
  const state = useFields<{ name: string; type: CustomerAttribute['type']; values: string[] }>({
    section: 'customers',
    initialValues: { name: '', type: 'text', values: [] },
    explain: () => ({ name: t('badName') }),
    fields: [
      {
        name: 'name',
        as: TextInput,
        clean: trim,
        input: {
          dir: 'ltr',
          autoComplete: 'off',
          maxLength: CUSTOMER_LIMITS.attributeNameCharsMax,
          'data-autofocus': true,
        },
        check: (name: string) => !/^[a-z][a-z0-9_]*$/.test(name) && t('badName'),
      },
      { name: 'type', as: Select, input: { data, allowDeselect: false } },
      {
        name: 'values',
        render: (form) =>
          form.values.type === 'one_of' && (
            <TagsInput
              label={t('values')}
              description={t('valuesHint')}
              acceptValueOnBlur
              {...form.getInputProps('values')}
            />
          ),
      },
    ],
  });
  const add = useAction(
    ({ name, type, values }: typeof state.form.values) =>
      save({ name, type, ...(type === 'one_of' && { values }) }),
    { done: t('saved'), onDone: close, onError: (error) => state.showError(error) },
  );
  return (
    <Modal opened onClose={close} title={t('addAttribute')}>
      <Form
        state={state}
        send={(values) =>
          values.type === 'one_of' && values.values.length === 0
            ? state.showErrors({ values: t('needValues') })
            : add.mutate(values)
        }
        isPending={add.isPending}
        submitLabel={t('save')}
        cancel={close}
      />
    </Modal>
  );
}

/** Finds the data of one customer by the id of the site, and erases it. */
function OneCustomer() {
  const t = useTranslations('customers');
  const { tenant } = useWorkspace();
  const confirm = useConfirm();
  const [sub, setSub] = useState('');
  const find = useAction((id: string) => tenant.customers.find({ sub: id }));
  const erase = useAction((id: string) => tenant.customers.erase({ sub: id }), {
    changes: ['conversations', 'handovers', 'inbox'],
    done: t('erased'),
    onDone: () => {
      find.reset();
      setSub('');
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (sub !== '') find.mutate(sub);
  };
  const question = { title: t('eraseTitle'), lead: t('eraseLead'), confirm: t('erase') };
  return (
    <Card isRegion title={t('oneCustomer')} lead={t('oneCustomerLead')}>
      <form onSubmit={submit}>
        <Group align="flex-end">
          <TextInput
            className="grow"
            label={t('sub')}
            dir="ltr"
            autoComplete="off"
            value={sub}
            onChange={({ currentTarget }) => {
              setSub(currentTarget.value);
              find.reset();
            }}
          />
          <Button type="submit" variant="default" loading={find.isPending}>
            {t('find')}
          </Button>
        </Group>
      </form>
      {find.data && (
        <Group role="status">
          <PageLink to="/conversations" search={{ visitor: find.data.visitorId }}>
            {t('showConversations')}
          </PageLink>
          <Text size="sm">
            {t('pseudonym')} <bdi dir="ltr">{find.data.visitorId}</bdi>
          </Text>
          <Button
            color="red"
            variant="outline"
            loading={erase.isPending}
            onClick={() => confirm(question, () => erase.mutate(sub))}
          >
            {t('erase')}
          </Button>
        </Group>
      )}
    </Card>
  );
}
