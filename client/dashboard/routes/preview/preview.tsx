import { Alert, Checkbox, Grid, Group, Select, Stack, useComputedColorScheme } from '@mantine/core';
import { keepPreviousData, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useLocale, useTranslations } from 'use-intl';
import { CHAT_LIMITS } from '../../../../contract/limits/chat.ts';
import type { Preview, PreviewQuestion } from '../../../sdk/types.ts';
import { AudienceField } from '../../components/audience-field.tsx';
import { ErrorMessage, Loading } from '../../components/loading.tsx';
import { Page } from '../../components/page.tsx';
import { GuideFrame } from '../../guide/guide-frame.tsx';
import { languageChoices, regionNames } from '../../languages.ts';
import { signedInAgain, useTenantQuery, useWorkspace } from '../../session.ts';
import { Consent, PreviewResult, type Turn, Turns } from './debug-pane.tsx';

type Conversation = NonNullable<PreviewQuestion['conversation']>;

const FRAME_PIXELS = 640;

const toConversation = (turns: readonly Turn[]): Conversation =>
  turns.slice(-CHAT_LIMITS.previewTurnsMax).map(({ question, preview: { answer, citations } }) => ({
    question: question.message,
    answer: answer.slice(0, CHAT_LIMITS.previewTurnAnswerCharsMax).toWellFormed(),
    articleIds: [...new Set(citations.map(({ articleId }) => articleId))],
  }));

/** The guide itself, as a visitor of any language and region sees it, beside what led to its answers. */
export default function PreviewPage() {
  const t = useTranslations('preview');
  const [visitor, setVisitor] = useState<Visitor>({
    locale: null,
    region: null,
    gpc: false,
    audience: [],
    allRules: false,
  });
  const { locale, region, gpc } = visitor;
  const boot = useTenantQuery(
    ['preview-boot', { locale, region, gpc }],
    (tenant, options) =>
      tenant.previewBoot({
        ...options,
        locale: locale ?? undefined,
        region: region ?? undefined,
        gpc: gpc || undefined,
      }),
    { placeholderData: keepPreviousData },
  );
  const { ask, turns, shownIndex, show } = useConversation(visitor);
  const theme = useComputedColorScheme('light');
  const current = turns[shownIndex];
  return (
    <Page title={t('title')} lead={t('lead')}>
      <VisitorFields visitor={visitor} change={(part) => setVisitor((before) => ({ ...before, ...part }))} />
      {boot.isPending && <Loading />}
      {boot.isError && <ErrorMessage error={boot.error} retry={boot.refetch} />}
      {boot.data && (
        <Grid gap="lg">
          <Grid.Col span={{ base: 12, md: 5 }}>
            <GuideFrame
              title={t('frame')}
              boot={boot.data}
              ask={ask}
              view="inline"
              theme={theme}
              locale={locale ?? boot.data.config.content_locale}
              height={FRAME_PIXELS}
            />
          </Grid.Col>
          <Grid.Col span={{ base: 12, md: 7 }}>
            <Stack gap="lg">
              {turns.length > 1 && <Turns turns={turns} shownIndex={shownIndex} show={show} />}
              {current ? (
                <PreviewResult key={current.number} question={current.question} preview={current.preview} />
              ) : (
                <Alert color="gray">{t('askFirst')}</Alert>
              )}
              <Consent directive={boot.data.consent_directive} />
            </Stack>
          </Grid.Col>
        </Grid>
      )}
    </Page>
  );
}

/** The conversation in the frame, with the result of each question. The guide begins another with another id. */
function useConversation({ locale, region, gpc, audience, allRules }: Visitor) {
  const { tenant, tenantId } = useWorkspace();
  const queries = useQueryClient();
  const [turns, setTurns] = useState<readonly Turn[]>([]);
  const [shownIndex, show] = useState(0);
  const current = useRef<{ id: string; turns: readonly Turn[] }>({ id: '', turns: [] });

  async function ask(
    message: string,
    conversationId: string,
    signal: AbortSignal | undefined,
  ): Promise<Preview> {
    if (current.current.id !== conversationId) current.current = { id: conversationId, turns: [] };
    const before = current.current.turns;
    const question: PreviewQuestion = {
      message,
      locale: locale ?? undefined,
      region: region ?? undefined,
      gpc: gpc || undefined,
      audience: audience.length > 0 ? [...audience] : undefined,
      includeDisabledRules: allRules || undefined,
      conversation: before.length > 0 ? toConversation(before) : undefined,
    };
    try {
      const preview = await tenant.preview(question, { signal });
      const after = [...before, { number: before.length + 1, question, preview }];
      current.current = { id: conversationId, turns: after };
      setTurns(after);
      show(after.length - 1);
      void queries.invalidateQueries({ queryKey: ['tenant', tenantId, 'usage'] });
      return preview;
    } catch (error) {
      if (await signedInAgain(error)) return await ask(message, conversationId, signal);
      throw error;
    }
  }
  return { ask, turns, shownIndex, show };
}

type Visitor = {
  locale: string | null;
  region: string | null;
  gpc: boolean;
  /** What the site says of a customer. Empty: not signed in. */
  audience: readonly string[];
  /** Whether rules that are off are tried, too. */
  allRules: boolean;
};

function VisitorFields({ visitor, change }: { visitor: Visitor; change: (part: Partial<Visitor>) => void }) {
  const t = useTranslations('preview');
  return (
    <Group align="flex-end">
      <Select
        label={t('language')}
        searchable
        clearable
        placeholder={t('anyLanguage')}
        value={visitor.locale}
        onChange={(locale) => change({ locale })}
        data={languageChoices(useLocale())}
      />
      <Select
        label={t('region')}
        searchable
        clearable
        placeholder={t('unknownRegion')}
        value={visitor.region}
        onChange={(region) => change({ region })}
        data={useRegions()}
      />
      <AudienceField
        texts={{ label: t('audience'), placeholder: t('notSignedIn') }}
        value={visitor.audience}
        change={(audience) => change({ audience })}
      />
      <Checkbox
        label={t('gpc')}
        checked={visitor.gpc}
        onChange={({ currentTarget }) => change({ gpc: currentTarget.checked })}
        mb={8}
      />
      <Checkbox
        label={t('allRules')}
        checked={visitor.allRules}
        onChange={({ currentTarget }) => change({ allRules: currentTarget.checked })}
        mb={8}
      />
    </Group>
  );
}

/** Regions with a consent rule. */
function useRegions() {
  const name = regionNames(useLocale());
  const { compare } = new Intl.Collator(useLocale());
  const { data } = useTenantQuery(
    ['directives', {}],
    (tenant, options) => tenant.settings.directives(options),
    { staleTime: 300_000 },
  );
  return (data?.data ?? [])
    .filter(({ region }) => region !== 'ZZ')
    .map(({ region }) => ({ value: region, label: name(region) }))
    .sort((one, other) => compare(one.label, other.label));
}
