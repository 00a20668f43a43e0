import { Checkbox, Select } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslations } from 'use-intl';
import type {
  AutomationArea,
  AutomationSession,
  AutomationSessionCreated,
  MemberRole,
} from '../../sdk/types.ts';
import { RelativeTime } from '../components/attribution.tsx';
import { ReasonButton } from '../components/buttons.tsx';
import { Note } from '../components/page.tsx';
import { useCursorList } from '../components/table.tsx';
import { useAction, useConfirm } from '../components/use-action.tsx';
import { ROLES, useWorkspace } from '../session.ts';
import {
  CreatedCell,
  CredentialDialog,
  CredentialList,
  CredentialPage,
  CredentialStatus,
  type CredentialValues,
  GrantBoxes,
  GrantsCell,
  toRestrictions,
  useCredentialErrors,
} from './credentials.tsx';
/** Sessions with which programs change the workspace. */
export default function AutomationPage() {
  const t = useTranslations('automation');
  const { role } = useWorkspace();
  return (
    <CredentialPage<AutomationSessionCreated>
      title={t('title')}
      lead={t('lead')}
      newLabel={t('new')}
      reason={role === 'owner' ? undefined : t('ownersOnly')}
      dialog={(close, onCreated) => <CreateDialog close={close} onCreated={onCreated} />}
      toSecret={({ name, token }) => ({
        title: t('createdTitle', { name }),
        lead: t('createdLead'),
        label: t('token'),
        secret: token,
        copyLabel: t('copyToken'),
        storedLabel: t('stored'),
      })}
    >
      {() => <Sessions />}
    </CredentialPage>
  );
}

function Sessions() {
  const t = useTranslations('automation');
  const k = useTranslations('apiKeys');
  const s = useTranslations('shell');
  const list = useCursorList(['automation-sessions', 'list'], (tenant) => tenant.automationSessions.list());
  return (
    <CredentialList
      list={list}
      hasEnded={({ active }) => !active}
      texts={{
        caption: t('caption'),
        empty: t('empty'),
        emptyLead: t('emptyLead'),
        showEnded: t('showEnded'),
      }}
      columns={[
        {
          label: t('session'),
          cell: ({ name, role }) => (
            <>
              <bdi className="wrap">{name}</bdi>
              <Note>{s(`roles.${role}`)}</Note>
            </>
          ),
        },
        {
          label: t('allowed'),
          cell: ({ areas, mayApproveOwn, allowedNetworks }) => (
            <>
              <GrantsCell grants={areas.map((area) => t(`areaNames.${area}`))} networks={allowedNetworks} />
              {mayApproveOwn && <Note>{t('mayApproveOwn')}</Note>}
            </>
          ),
        },
        { label: k('created'), cell: (session) => <CreatedCell {...session} /> },
        {
          label: k('lastUsed'),
          cell: ({ active, createdAt, lastSeenAt }) =>
            lastSeenAt && lastSeenAt !== createdAt ? (
              <RelativeTime at={lastSeenAt} />
            ) : (
              active && k('neverUsed')
            ),
        },
        {
          label: k('status'),
          cell: ({ active, expiresAt }) => (
            <CredentialStatus
              isActive={active}
              text={active ? k('active') : t('ended')}
              at={active ? expiresAt : undefined}
            />
          ),
        },
        { label: k('actions'), cell: (session) => session.active && <EndButton session={session} /> },
      ]}
    />
  );
}

function EndButton({ session: { id, name, createdBy } }: { session: AutomationSession }) {
  const t = useTranslations('automation');
  const { tenant, memberId } = useWorkspace();
  const confirm = useConfirm();
  const end = useAction(() => tenant.automationSessions.end(id), {
    changes: ['automation-sessions'],
    done: t('endedNow'),
  });
  const question = { title: t('endTitle', { name }), lead: t('endLead'), confirm: t('end') };
  return (
    <ReasonButton
      variant="default"
      aria-label={t('endOne', { name })}
      onClick={() => confirm(question, end.mutate)}
      loading={end.isPending}
      reason={createdBy === memberId ? undefined : t('onlyCreator')}
    >
      {t('end')}
    </ReasonButton>
  );
}

const AREAS = ['articles', 'translations', 'review', 'settings'] as const satisfies readonly AutomationArea[];

type SessionForm = CredentialValues & {
  role: MemberRole;
  areas: AutomationArea[];
  mayApproveOwn: boolean;
};

function useSessionForm() {
  const t = useTranslations();
  return useForm<SessionForm>({
    initialValues: {
      name: '',
      role: 'admin',
      areas: ['articles'],
      expires: '',
      networks: '',
      mayApproveOwn: false,
    },
    validate: {
      name: (value) => (/\S/.test(value) ? null : t('apiKeys.needName')),
      areas: (value) => (value.length > 0 ? null : t('automation.needArea')),
    },
  });
}

type CreateDialogProps = {
  close: () => void;
  onCreated: (session: AutomationSessionCreated) => void;
};

function CreateDialog({ close, onCreated }: CreateDialogProps) {
  const t = useTranslations('automation');
  const { tenant } = useWorkspace();
  const form = useSessionForm();
  const onError = useCredentialErrors(form, 'areas');
  const create = useAction(
    ({ name, role, areas, mayApproveOwn, ...limits }: SessionForm) =>
      tenant.automationSessions.create({ name, role, areas, mayApproveOwn, ...toRestrictions(limits) }),
    { changes: ['automation-sessions'], onDone: onCreated, onError },
  );
  const texts = {
    title: t('new'),
    nameHint: t('nameHint'),
    expires: t('expires'),
    expiresHint: t('expiresHint'),
    networksHint: t('networksHint'),
    create: t('create'),
  };
  return (
    <CredentialDialog
      form={form}
      texts={texts}
      isPending={create.isPending}
      onSubmit={form.onSubmit((values) => create.mutate(values))}
      close={close}
    >
      <GrantFields form={form} />
    </CredentialDialog>
  );
}

/** Role, areas, and whether the session may approve what it wrote. */
function GrantFields({ form }: { form: ReturnType<typeof useSessionForm> }) {
  const t = useTranslations();
  const { areas } = form.getValues();
  return (
    <>
      <Select
        label={t('members.role')}
        description={t('automation.roleHint')}
        allowDeselect={false}
        data={ROLES.map((value) => ({ value, label: t(`shell.roles.${value}`) }))}
        {...form.getInputProps('role')}
      />
      <GrantBoxes
        label={t('automation.areas')}
        grants={AREAS}
        toText={(area) => ({
          label: t(`automation.areaNames.${area}`),
          description: t(`automation.areaHints.${area}`),
        })}
        {...form.getInputProps('areas')}
      />
      {areas.includes('review') && (
        <Checkbox
          label={t('automation.mayApproveOwn')}
          description={t('automation.mayApproveOwnHint')}
          {...form.getInputProps('mayApproveOwn', { type: 'checkbox' })}
        />
      )}
    </>
  );
}
