import { z } from 'zod';
import { moment, namedObject, pattern, webAddress, workspaceId } from './fields.ts';
import { MODEL_PROVIDERS, WORKSPACE_LIMITS } from './limits/workspace.ts';
import { EDITOR_ROLES, editRoute, readRoute, route, router } from './route.ts';

/** The language model of a workspace, in place of the installation's. */

const provider = z.enum(MODEL_PROVIDERS).meta({
  id: 'ModelProvider',
  description: 'The protocol of the server: `openai` is that of OpenAI, which most servers speak.',
});

const baseUrl = webAddress(WORKSPACE_LIMITS.modelAddressCharsMax)
  .describe('Address of the server up to its version, without user, query and fragment.')
  .meta({ example: 'https://api.openai.com/v1' });

const modelName = pattern(/^[\w.:/@+-]+$/, WORKSPACE_LIMITS.modelNameCharsMax);
const model = modelName.meta({
  description: 'Name of the model that writes the answers.',
  example: 'gpt-5-mini',
});
const rewriteModel = modelName.meta({
  description: 'Name of a faster model of the same server, which rewrites follow-ups before the search.',
  example: 'gpt-5-nano',
});

const key = pattern(/^[\x21-\x7e]+$/, WORKSPACE_LIMITS.modelKeyCharsMax).meta({
  description:
    'API key of the server; any word if it needs none. If absent, the stored key is kept, for the same address only. It is never returned.',
  example: 'sk-of-this-workspace',
});

const modelSource = z.enum(['workspace', 'installation', 'none']).meta({
  id: 'ModelSource',
  description:
    'Whose language model answers: that of the workspace, that of the installation, or none, so that answers are quoted from articles.',
});

const workspaceModel = namedObject('WorkspaceModel', 'Language model of the workspace, without its key.', {
  provider,
  baseUrl,
  model,
  rewriteModel: rewriteModel.optional().describe('Absent if the model itself rewrites follow-ups.'),
  keySetAt: moment
    .optional()
    .describe(
      'When the key was stored. Absent if the key can no longer be decrypted and has to be set again.',
    ),
});

const modelInUse = namedObject('ModelInUse', 'Language model that answers in this workspace.', {
  source: modelSource,
  own: workspaceModel.optional().describe("Absent if the workspace uses the installation's."),
});

const modelChange = namedObject(
  'WorkspaceModelChange',
  'Language model of the workspace. Replaces the stored one.',
  {
    provider,
    baseUrl,
    model,
    rewriteModel: rewriteModel.optional().describe('If absent, the model itself rewrites follow-ups.'),
    key: key.optional(),
  },
);

const providerWord = z.string().max(100);

const providerError = namedObject(
  'ModelProviderError',
  "The server's words for its error, never its message.",
  {
    status: z.int().min(100).max(599).meta({ example: 404 }),
    code: providerWord.optional().meta({ example: 'model_not_found' }),
    type: providerWord.optional().meta({ example: 'invalid_request_error' }),
    param: providerWord
      .optional()
      .describe('The field of the request that it is about.')
      .meta({ example: 'model' }),
  },
);

const modelCheck = namedObject('ModelCheck', 'One result of the test of a language model.', {
  name: z
    .enum([
      'answer',
      'citation',
      'tools',
      'thinking',
      'first_text',
      'speed',
      'rewrite',
      'no_answer',
      'context',
    ])
    .meta({
      id: 'ModelCheckName',
      description:
        'What was checked: whether the model answers, cites the passage, takes tools, keeps its thinking out of the text, begins and ' +
        'writes fast enough, rewrites a follow-up, says when no passage answers, and has room for articles.',
    }),
  status: z.enum(['ok', 'warning', 'failed']).meta({
    id: 'ModelCheckStatus',
    description:
      '`failed`: visitors get quotes instead of answers. `warning`: answers are worse or later than they could be.',
  }),
  reason: z
    .string()
    .max(64)
    .optional()
    .describe('Why it is not ok, such as `unreachable`, `only_thinks` or `no_citation`.')
    .meta({ example: 'no_citation' }),
  error: providerError.optional().describe('Absent if the server reported no error.'),
  networkCode: providerWord
    .optional()
    .describe('Why there was no connection.')
    .meta({ example: 'SELF_SIGNED_CERT_IN_CHAIN' }),
  setting: z
    .enum(['address', 'key', 'model', 'rewriteModel'])
    .optional()
    .meta({ id: 'ModelSetting', description: 'The setting to change.' }),
  millis: z
    .int()
    .min(0)
    .optional()
    .describe('Milliseconds until the first text, or of a rewrite.')
    .meta({ example: 420 }),
  tokensPerSecond: z.int().min(0).optional().meta({ example: 55 }),
  contextTokens: z
    .int()
    .min(0)
    .optional()
    .describe('Tokens that a prompt and its answer may have together. Absent if the server does not say.')
    .meta({ example: 32_768 }),
});

const modelTest = namedObject('ModelTest', 'Results of the test of a language model.', {
  checks: z.array(modelCheck).max(16),
});

export type ModelInUse = z.infer<typeof modelInUse>;
export type ModelTest = z.infer<typeof modelTest>;
export type WorkspaceModelChange = z.infer<typeof modelChange>;

const pathParams = z.strictObject({ tenantId: workspaceId });
const path = '/api/tenants/:tenantId/model';

export const models = router('Workspace', {
  readModel: route({
    method: 'GET',
    path,
    summary: 'Retrieve the language model',
    description: 'Returns which language model answers in this workspace, never its key.',
    pathParams,
    responses: { 200: modelInUse },
    meta: readRoute,
  }),
  setModel: route({
    method: 'PUT',
    path,
    summary: 'Set the language model',
    description:
      "Sets a language model of the workspace's own, which answers within a second. Its server has to have a public address, unless the " +
      'operator allows others. The key is stored encrypted, is part of no export, and is needed again when the address changes. Changes ' +
      'are recorded in the audit log, without the key.',
    pathParams,
    body: modelChange,
    responses: { 200: modelInUse },
    meta: editRoute,
  }),
  removeModel: route({
    method: 'DELETE',
    path,
    summary: 'Remove the language model',
    description:
      "Deletes the workspace's own language model with its key. The installation's answers from then on, if there is one.",
    pathParams,
    responses: { 200: modelInUse },
    meta: editRoute,
  }),
  testModel: route({
    method: 'POST',
    path: `${path}/test`,
    summary: 'Test the language model',
    description:
      'Asks a model three questions about a made-up article, and returns what works: the one that answers in this workspace, or a draft ' +
      'that is not stored. Takes up to a minute; disconnecting cancels it. Its tokens count towards the monthly cap.',
    pathParams,
    body: namedObject('ModelTestRequest', 'Model to test.', {
      draft: modelChange
        .optional()
        .describe('If absent, the model that answers in this workspace is tested.'),
    }),
    responses: { 200: modelTest },
    errors: ['model/none'],
    meta: {
      ...readRoute,
      roles: EDITOR_ROLES,
      limits: ['tenant/member-previews'],
      killSwitch: 'guide/paused',
      worksReadOnly: true,
    },
  }),
});
