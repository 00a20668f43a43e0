import { Alert, Group, List, PasswordInput, Select, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import type { ModelInUse, ModelTest, WorkspaceModelChange } from '../../../sdk/types.ts';
import { RelativeTime } from '../../components/attribution.tsx';
import { Form, trim, useFields } from '../../components/form.tsx';
import { Icon } from '../../components/icon.tsx';
import { Loaded } from '../../components/loading.tsx';
import { Card, Muted, Note } from '../../components/page.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { useAction } from '../../components/use-action.tsx';
import { useTenantQuery, useWorkspace } from '../../session.ts';
import { TryAndRemove } from './try-and-remove.tsx';
import { useUsage } from './usage.tsx';

/** The language model of the workspace. */

/** Without a language model, some settings have no effect. */
export function NoModelNotice() {
  const t = useTranslations('settings.guide');
  const { data } = useUsage();
  if (data?.engine !== 'extractive') return null;
  return (
    <Alert color="blue" icon={<Icon name="info-circle" size={18} />} title={t('noModel')} maw={820}>
      {t('noModelLead')}
    </Alert>
  );
}

export function ModelCard() {
  const t = useTranslations('settings.model');
  const { canEdit } = useWorkspace();
  const query = useTenantQuery(['model'], (tenant, options) => tenant.model.read(options));
  return (
    <Card isRegion title={t('title')} lead={t('lead')}>
      <Loaded query={query}>
        {(model) => (
          <>
            <Text>{t(`sources.${model.source}`)}</Text>
            {canEdit ? (
              <ModelForm key={JSON.stringify(model)} model={model} />
            ) : (
              model.own && (
                <Text>
                  <bdi>{model.own.model}</bdi> · <bdi dir="ltr">{model.own.baseUrl}</bdi>
                </Text>
              )
            )}
          </>
        )}
      </Loaded>
    </Card>
  );
}

const PROVIDERS = ['openai', 'anthropic'] as const satisfies readonly WorkspaceModelChange['provider'][];
type ModelValues = {
  provider: (typeof PROVIDERS)[number];
  baseUrl: string;
  key: string;
  model: string;
  rewriteModel: string;
};

function ModelForm({ model: { source, own } }: { model: ModelInUse }) {
  const t = useTranslations('settings.model');
  const { tenant } = useWorkspace();
  const needs = (text: string) => text === '' && t('needed');
  const state = useFields<ModelValues>({
    section: 'settings.model',
    initialValues: {
      provider: own?.provider ?? 'openai',
      baseUrl: own?.baseUrl ?? '',
      key: '',
      model: own?.model ?? '',
      rewriteModel: own?.rewriteModel ?? '',
    },
    fields: [
      {
        name: 'provider',
        as: Select,
        input: {
          data: PROVIDERS.map((value) => ({ value, label: t(`providers.${value}`) })),
          allowDeselect: false,
        },
      },
      {
        name: 'baseUrl',
        as: TextInput,
        clean: trim,
        check: needs,
        input: { dir: 'ltr', inputMode: 'url' },
        explainIssue: () => t('badAddress'),
      },
      {
        name: 'key',
        as: PasswordInput,
        clean: trim,
        input: { dir: 'ltr', autoComplete: 'off' },
        below: own?.keySetAt && (
          <Note>{t.rich('keySet', { when: () => <RelativeTime at={own.keySetAt!} /> })}</Note>
        ),
        explainIssue: ({ code }) => t(code === 'key_required' ? 'keyNeeded' : 'badKey'),
      },
      { name: 'model', as: TextInput, clean: trim, check: needs, input: { dir: 'ltr' } },
      { name: 'rewriteModel', as: TextInput, clean: trim, input: { dir: 'ltr' } },
    ],
  });
  const changes = ['model', 'usage'];
  const remove = useAction(() => tenant.model.remove(), { changes, done: t('removed') });
  const save = useAction((values: ModelValues) => tenant.model.set(toChange(values)), {
    changes,
    done: t('saved'),
    onError: (error) => state.showError(error),
  });
  const [result, setResult] = useState<ModelTest>();
  const test = useAction((draft: WorkspaceModelChange | undefined) => tenant.model.test(draft), {
    changes: ['usage'],
    onDone: setResult,
    onError: (error) => state.showError(error),
  });
  /** Tests the values of the form, or the installation's model where there are none. */
  function sendTest(): void {
    const values = state.clean();
    const isEmpty = [values.baseUrl, values.key, values.model].every((text) => text === '');
    if (isEmpty && source !== 'none') test.mutate(undefined);
    else if (state.check(values)) test.mutate(toChange(values));
  }
  const question = { title: t('removeTitle'), lead: t('removeLead'), confirm: t('remove') };
  return (
    <>
      <Form state={state} send={save.mutate} isPending={save.isPending} submitLabel={t('save')}>
        <TryAndRemove
          tryLabel={t('test')}
          trial={test}
          onTry={sendTest}
          question={own && question}
          removal={remove}
        />
        <Muted role="status">{test.isPending ? t('testing') : result ? t('tested') : t('testLead')}</Muted>
      </Form>
      {result && <Checks checks={result.checks} />}
    </>
  );
}

const toChange = ({ key, rewriteModel, ...values }: ModelValues): WorkspaceModelChange => ({
  ...values,
  key: key || undefined,
  rewriteModel: rewriteModel || undefined,
});

const COLORS = { ok: 'green', warning: 'orange', failed: 'grape' } as const;
const ICONS = { ok: 'check', warning: 'alert-triangle', failed: 'ban' } as const;

function Checks({ checks }: ModelTest) {
  const t = useTranslations('settings.model');
  return (
    <List listStyleType="none" spacing="sm" aria-label={t('results')}>
      {checks.map((check) => (
        <List.Item key={check.name}>
          <Group gap="xs">
            <StatusBadge
              color={COLORS[check.status as keyof typeof COLORS]}
              icon={ICONS[check.status as keyof typeof ICONS]}
            >
              {t(`statuses.${check.status as keyof typeof COLORS}`)}
            </StatusBadge>
            <Text size="sm">
              {t(`checks.${check.name as 'answer'}`)}
              {check.name === 'first_text' &&
                check.millis !== undefined &&
                ` · ${t('millis', { millis: check.millis })}`}
              {check.tokensPerSecond !== undefined && ` · ${t('speed', { tokens: check.tokensPerSecond })}`}
              {check.contextTokens !== undefined && ` · ${t('context', { tokens: check.contextTokens })}`}
            </Text>
          </Group>
          <Fault check={check} />
        </List.Item>
      ))}
    </List>
  );
}

type Check = ModelTest['checks'][number];

/** What is wrong, the server's words for it, and the setting to change. */
function Fault({ check: { reason, error, networkCode, setting } }: { check: Check }) {
  const t = useTranslations('settings.model');
  if (reason === undefined) return null;
  const words = [networkCode, error?.status, error?.code, error?.type, error?.param]
    .filter(Boolean)
    .join(' · ');
  const known = `faults.${reason}` as 'faults.unreachable';
  return (
    <Stack gap={2}>
      <Text size="sm">{t.has(known) ? t(known) : reason}</Text>
      {words && (
        <Note>
          <bdi dir="ltr">{words}</bdi>
        </Note>
      )}
      {setting && (
        <Note>{t('change', { setting: t(setting === 'address' ? 'baseUrl' : (setting as 'key')) })}</Note>
      )}
    </Stack>
  );
}
