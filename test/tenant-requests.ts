import { newId } from '../server/ids.ts';
import { type Desk, joinAs, PASSWORD } from './dashboard/office.ts';
import { type Harness, ORIGIN } from './harness.ts';

/** A good request for every route of the dashboard: what it needs is made first, as its user would. */

export type Sample = {
  readonly path?: string;
  readonly body?: Record<string, unknown>;
  /** The file of a form, as text that has no letter above 0x7f. */
  readonly file?: string;
};
export type Signed = { readonly harness: Harness; readonly desk: Desk };

type Made = { readonly id: string; readonly revision: number };

const ARTICLE = {
  title: 'Gift wrapping',
  answer: 'Choose gift wrapping at the checkout. It costs two euros.',
};
const GERMAN = { title: 'Geschenkverpackung', answer: 'Wählen Sie die Geschenkverpackung an der Kasse.' };

async function made<T = Made>(answer: Promise<{ status: number; json: unknown; text: string }>): Promise<T> {
  const { status, json, text } = await answer;
  if (status >= 300) throw new Error(`what a request needs could not be made: ${status} ${text}`);
  return json as T;
}

const article = ({ desk }: Signed) => made(desk.post('/knowledge/articles', ARTICLE));

async function publishedArticle(signed: Signed): Promise<Made> {
  const { id, revision } = await article(signed);
  return made(signed.desk.post(`/knowledge/articles/${id}/publish`, { baseRevision: revision }));
}

type Translated = Made & { readonly path: string };

async function translation(signed: Signed): Promise<Translated> {
  const { id } = await publishedArticle(signed);
  const base = `/knowledge/articles/${id}/translations`;
  const draft = await made(signed.desk.post(base, { locale: 'de', ...GERMAN }));
  return { ...draft, path: `${base}/${draft.id}` };
}

async function after(
  signed: Signed,
  { path, revision }: Translated,
  step: string,
  body: Record<string, unknown> = {},
): Promise<Translated> {
  const next = await made(signed.desk.post(`${path}/${step}`, { baseRevision: revision, ...body }));
  return { ...next, path };
}

const submitted = async (signed: Signed) => after(signed, await translation(signed), 'submit-review');
const approved = async (signed: Signed) =>
  after(signed, await submitted(signed), 'review', { decision: 'approve' });
const archived = async (signed: Signed) => after(signed, await translation(signed), 'archive');

const below = (path: string): Sample => ({ path: `/api/tenants/:tenantId${path}` });

/** A step of the article or translation that was made for it. */
function stepOf(
  make: (signed: Signed) => Promise<Translated>,
  step: string,
  body: Record<string, unknown> = {},
) {
  return async (signed: Signed): Promise<Sample> => {
    const { path, revision } = await make(signed);
    return { ...below(`${path}${step}`), body: { baseRevision: revision, ...body } };
  };
}

const ofArticle = (make: typeof article, rest: string) => async (signed: Signed) =>
  below(`/knowledge/articles/${(await make(signed)).id}${rest}`);

async function invitationToken({ desk }: Signed): Promise<string> {
  const email = `${newId('usr')}@shop.example`;
  const { link } = await made<{ link: string }>(desk.post('/invitations', { email, role: 'member' }));
  return link.split('token=')[1]!;
}

export async function conversationOf({ harness }: Signed): Promise<string> {
  const { jwt, visitor_id, config } = await harness.boot();
  // Only what a visitor agreed to is kept for others to read.
  const decision = {
    visitor_id,
    url: `${ORIGIN}/`,
    copy_version: config.consent.copy.version,
    decision: 'accepted',
  };
  const headers = { authorization: `Bearer ${jwt}` };
  await harness.fetch('/consent', { json: { ...decision, at: harness.clock.now() }, headers });
  const id = `conv-${newId('conv')}`;
  await harness.ask(jwt, { conversation_id: id });
  return id;
}

export const tenantSamples = {
  signIn: ({ desk }: Signed) => ({ body: { email: desk.email, password: PASSWORD } }),
  readSession: () => ({}),
  signOut: () => ({}),
  confirmPassword: () => ({ body: { password: PASSWORD } }),
  listSessions: () => ({}),
  revokeSession: async ({ desk }: Signed) => {
    const { data } = await made<{ data: { id: string }[] }>(desk.get('/api/sessions'));
    return { path: `/api/sessions/${data[0]!.id}` };
  },
  changePassword: () => ({
    body: { currentPassword: PASSWORD, newPassword: 'eleven green lamps at dusk' },
  }),
  setUp: () => ({
    body: {
      token: 'a-link-that-nobody-made-in-the-first-place-',
      email: 'ada@shop.example',
      password: PASSWORD,
      workspaceName: 'Shop',
      allowedOrigins: ['https://shop.example.com'],
    },
  }),

  readTenant: () => ({}),
  readInstallation: () => ({}),
  listConsentDirectives: () => below('/consent-directives?region=DE'),
  previewAnswer: () => ({ body: { message: 'How do I reset my password?', locale: 'de', region: 'DE' } }),
  changeTenant: () => ({ body: { name: `Shop ${newId('ws')}` } }),
  listAudit: () => ({}),
  readUsage: () => ({}),
  exportTenant: () => ({}),
  // Under another name, since others ask this workspace as well: what deletes it has tests of its own.
  deleteTenant: () => below('?confirmName=another'),

  listMembers: () => ({}),
  changeMemberRole: async ({ harness }: Signed) => {
    const other = await joinAs(harness, harness.workspace, 'member');
    return { ...below(`/members/${other.memberId}`), body: { role: 'admin' } };
  },
  removeMember: ({ desk }: Signed) => below(`/members/${desk.memberId}`),
  createInvitation: () => ({ body: { email: `${newId('usr')}@shop.example`, role: 'member' } }),
  listInvitations: () => ({}),
  withdrawInvitation: async ({ desk }: Signed) => {
    const email = `${newId('usr')}@shop.example`;
    const { id } = await made(desk.post('/invitations', { email, role: 'member' }));
    return below(`/invitations/${id}`);
  },
  readInvitation: async (signed: Signed) => ({ body: { token: await invitationToken(signed) } }),
  acceptInvitation: async (signed: Signed) => ({
    body: { token: await invitationToken(signed), password: PASSWORD },
  }),

  createApiKey: () => ({ body: { name: 'Nightly report', scopes: ['events:read'] } }),
  listApiKeys: () => ({}),
  revokeApiKey: async ({ desk }: Signed) => {
    const { id } = await made(desk.post('/api-keys', { name: 'Report', scopes: ['analytics:read'] }));
    return below(`/api-keys/${id}`);
  },

  listArticles: () => ({}),
  createArticle: () => ({ body: ARTICLE }),
  readArticle: ofArticle(article, ''),
  editArticle: async (signed: Signed) => {
    const { id, revision } = await article(signed);
    const body = { baseRevision: revision, ...ARTICLE, title: 'Wrapping a present' };
    return { ...below(`/knowledge/articles/${id}`), body };
  },
  deleteArticle: ofArticle(article, ''),
  publishArticle: async (signed: Signed) => {
    const { id, revision } = await article(signed);
    return { ...below(`/knowledge/articles/${id}/publish`), body: { baseRevision: revision } };
  },
  unpublishArticle: async (signed: Signed) => {
    const { id, revision } = await publishedArticle(signed);
    return { ...below(`/knowledge/articles/${id}/unpublish`), body: { baseRevision: revision } };
  },
  listArticleRevisions: ofArticle(article, '/revisions'),
  readArticleRevision: ofArticle(article, '/revisions/1'),
  listWaiting: () => ({}),
  readCoverage: () => ({}),
  searchKnowledge: () => below('/knowledge/search?q=password&locale=de'),

  listTranslations: ofArticle(article, '/translations'),
  createTranslation: async (signed: Signed) => {
    const { id } = await article(signed);
    return { ...below(`/knowledge/articles/${id}/translations`), body: { locale: 'de', ...GERMAN } };
  },
  readTranslation: async (signed: Signed) => below((await translation(signed)).path),
  editTranslation: stepOf(translation, '', { ...GERMAN, title: 'Als Geschenk verpackt' }),
  submitTranslation: stepOf(translation, '/submit-review'),
  reviewTranslation: stepOf(submitted, '/review', { decision: 'approve' }),
  publishTranslation: stepOf(approved, '/publish'),
  archiveTranslation: stepOf(translation, '/archive'),
  restoreTranslation: stepOf(archived, '/restore'),

  listTenantConversations: () => ({}),
  readTenantConversation: async (signed: Signed) => below(`/conversations/${await conversationOf(signed)}`),
  listFeedback: () => ({}),
  readAnalytics: () => ({}),
};
