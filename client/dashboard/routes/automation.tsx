import { Checkbox, Select } from '@mantine/core';
import { useTranslations } from 'use-intl';
import type {
  AutomationArea,
  AutomationSession,
  AutomationSessionCreated,
  MemberRole,
} from '../../sdk/types.ts';
import { RelativeTime } from '../components/attribution.tsx';
import { ReasonButton } from '../components/buttons.tsx';
import type { Field } from '../components/form.tsx';
import { Note } from '../components/page.tsx';
import { useCursorList } from '../components/table.tsx';
import { useAction, useConfirm } from '../components/use-action.tsx';
import { ROLES, useWorkspace } from '../session.ts';
import {
  CheckboxField,
  CreatedCell,
  CredentialDialog,
  CredentialList,
  CredentialPage,
  CredentialStatus,
  type CredentialValues,
  GrantsCell,
  NO_CREDENTIAL,
  toRestrictions,
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
          className: 'whole',
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

type SessionValues = CredentialValues & {
  role: MemberRole;
  areas: AutomationArea[];
  mayApproveOwn: boolean;
};

const INITIAL: SessionValues = { ...NO_CREDENTIAL, role: 'admin', areas: ['articles'], mayApproveOwn: false };

type CreateDialogProps = {
  close: () => void;
  onCreated: (session: AutomationSessionCreated) => void;
};

function CreateDialog(props: CreateDialogProps) {
  const t = useTranslations('automation');
  const { tenant } = useWorkspace();
  return (
    <CredentialDialog<SessionValues, AutomationSessionCreated>
      section="automation"
      title={t('new')}
      initialValues={INITIAL}
      grants={useGrantFields()}
      create={({ name, role, areas, mayApproveOwn, ...limits }) =>
        tenant.automationSessions.create({ name, role, areas, mayApproveOwn, ...toRestrictions(limits) })
      }
      changes={['automation-sessions']}
      {...props}
    />
  );
}

/** Role, areas, and whether the session may approve what it wrote. */
function useGrantFields(): readonly Field<SessionValues>[] {
  const t = useTranslations();
  const roles = ROLES.map((value) => ({ value, label: t(`shell.roles.${value}`) }));
  const areas = AREAS.map((value) => ({
    value,
    label: t(`automation.areaNames.${value}`),
    description: t(`automation.areaHints.${value}`),
  }));
  return [
    { name: 'role', as: Select, input: { label: t('members.role'), allowDeselect: false, data: roles } },
    {
      name: 'areas',
      as: CheckboxField,
      input: { choices: areas },
      check: (chosen: readonly AutomationArea[]) => chosen.length === 0 && t('automation.needArea'),
    },
    {
      name: 'mayApproveOwn',
      render: ({ values, getInputProps }) =>
        values.areas.includes('review') && (
          <Checkbox
            label={t('automation.mayApproveOwn')}
            description={t('automation.mayApproveOwnHint')}
            {...getInputProps('mayApproveOwn', { type: 'checkbox' })}
          />
        ),
    },
  ];
}
