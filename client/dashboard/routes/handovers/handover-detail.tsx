import { Anchor, Button, Group, List, Paper, Stack, Text } from '@mantine/core';
import { useLocale, useTranslations } from 'use-intl';
import { HANDOVER_LIMITS } from '../../../../contract/limits/handovers.ts';
import { addHandoverNote, deleteHandoverNote } from '../../../../generated/routes.ts';
import type { Handover, HandoverChange, HandoverSummary } from '../../../../generated/types.ts';
import { Assignee } from '../../components/assignee.tsx';
import { RelativeTime } from '../../components/attribution.tsx';
import { PageLink } from '../../components/links.tsx';
import { Loaded } from '../../components/loading.tsx';
import { Notes } from '../../components/notes.tsx';
import { Heading, Muted } from '../../components/page.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { TextForm, Written } from '../../components/text-form.tsx';
import { useAction } from '../../components/use-action.tsx';
import { languageNames } from '../../languages.ts';
import { useTenantQuery, useWorkspace } from '../../session.ts';

const CHANGES = ['handovers'] as const;
const COLORS = { open: 'orange', answered: 'green', closed: 'gray' } as const;

/** Reads a handover; nothing without an id. */
export const useHandover = (id: string | undefined) =>
  useTenantQuery(['handovers', 'one', id], (tenant, options) => tenant.handovers.read(id ?? '', options), {
    enabled: id !== undefined,
  });

type Changing = { handover: HandoverSummary; change: HandoverChange };

export function useHandoverChange() {
  const t = useTranslations('inbox');
  const { tenant } = useWorkspace();
  return useAction(({ handover, change }: Changing) => tenant.handovers.change(handover.id, change), {
    changes: CHANGES,
    done: () => t('saved'),
    undo:
      (_, { handover: { id, state, assigneeId = null } }) =>
      () =>
        tenant.handovers.change(id, { state, assigneeId }),
  });
}

/** Shows a handover: the visitor, the message, the transcript, the replies and the notes. */
export function HandoverDetail({ id }: { id: string }) {
  const query = useHandover(id);
  return (
    <Loaded query={query} shape="page">
      {(handover) => (
        <Stack>
          <Heading>
            <span dir="auto" lang={handover.locale} className="wrapped">
              {handover.message}
            </span>
          </Heading>
          <About handover={handover} />
          <Actions handover={handover} />
          <Transcript handover={handover} />
          <Replies handover={handover} />
          <HandoverNotes handover={handover} />
        </Stack>
      )}
    </Loaded>
  );
}

type Props = { handover: Handover };

function About({ handover }: Props) {
  const t = useTranslations();
  const language = languageNames(useLocale());
  const { state, name, email, pageUrl, locale, createdAt, conversationId } = handover;
  const change = useHandoverChange();
  const assign = (assigneeId: string | null) => change.mutate({ handover, change: { assigneeId } });
  return (
    <Stack gap={4}>
      <Group gap="xs">
        <StatusBadge color={COLORS[state]}>{t(`handovers.states.${state}`)}</StatusBadge>
        <Muted span>
          {name && <bdi>{name} · </bdi>}
          <Anchor href={`mailto:${email}`} size="sm" dir="ltr" className="wrap">
            {email}
          </Anchor>
        </Muted>
      </Group>
      <Muted component="div">
        <RelativeTime at={createdAt} /> · {language(locale)} ·{' '}
        <Anchor href={pageUrl} target="_blank" rel="noreferrer" size="sm" dir="ltr" className="wrap">
          {pageUrl}
        </Anchor>
      </Muted>
      <Muted component="div">
        {t('inbox.assignedTo')} <Assignee assigneeId={handover.assigneeId} assign={assign} />
        {conversationId && (
          <>
            {' · '}
            <PageLink to={`/conversations/${encodeURIComponent(conversationId)}`} size="sm">
              {t('handovers.conversation')}
            </PageLink>
          </>
        )}
      </Muted>
    </Stack>
  );
}

function Actions({ handover }: Props) {
  const t = useTranslations();
  const change = useHandoverChange();
  const setState = (state: Handover['state']) => change.mutate({ handover, change: { state } });
  return (
    <Group gap="xs">
      {handover.state === 'open' ? (
        <Button variant="default" onClick={() => setState('answered')}>
          {t('handovers.markAnswered')}
        </Button>
      ) : (
        <Button variant="default" onClick={() => setState('open')}>
          {t('inbox.reopen')}
        </Button>
      )}
      {handover.state !== 'closed' && (
        <Button variant="default" onClick={() => setState('closed')}>
          {t('handovers.close')}
        </Button>
      )}
    </Group>
  );
}

/** What the visitor agreed to send of the conversation. */
function Transcript({ handover: { transcript, summary, locale } }: Props) {
  const t = useTranslations();
  if (!transcript) return <Muted>{t('handovers.noTranscript')}</Muted>;
  return (
    <Stack gap="xs">
      {summary && (
        <Paper withBorder p="sm">
          <Muted>{t('handovers.summary')}</Muted>
          <Text size="sm" dir="auto" className="wrapped">
            {summary}
          </Text>
        </Paper>
      )}
      <Text fw={600} size="sm">
        {t('handovers.transcript')}
      </Text>
      <List listStyleType="none" spacing="xs" size="sm">
        {transcript.map(({ question, answer }) => (
          <List.Item key={question + answer}>
            <Text size="sm" fw={500} dir="auto" lang={locale} className="wrapped">
              {question}
            </Text>
            <Text size="sm" dir="auto" className="wrapped">
              {answer}
            </Text>
          </List.Item>
        ))}
      </List>
    </Stack>
  );
}

function Replies({ handover: { id: handoverId, replies } }: Props) {
  const t = useTranslations('handovers');
  const { tenant } = useWorkspace();
  return (
    <Stack gap="sm">
      {replies.length > 0 && (
        <Stack component="ul" gap="xs" className="plain-list" aria-label={t('replies')}>
          {replies.map((reply) => (
            <Paper key={reply.id} component="li" withBorder p="sm">
              <Written {...reply} />
            </Paper>
          ))}
        </Stack>
      )}
      <TextForm
        label={t('reply')}
        description={t('replyHint')}
        minRows={3}
        maxLength={HANDOVER_LIMITS.replyCharsMax}
        save={(text) => tenant.handovers.reply(handoverId, { text })}
        button={t('send')}
        changes={CHANGES}
        done={t('sent')}
      />
    </Stack>
  );
}

function HandoverNotes({ handover: { id: handoverId, notes } }: Props) {
  const t = useTranslations('handovers');
  const { tenant } = useWorkspace();
  return (
    <Notes
      lead={t('notesLead')}
      notes={notes}
      add={(text) => tenant.call(addHandoverNote, { params: { handoverId }, body: { text } })}
      remove={(noteId) => tenant.call(deleteHandoverNote, { params: { handoverId, noteId } })}
      changes={CHANGES}
    />
  );
}
