import service from '../../package.json' with { type: 'json' };
import type { contract } from '../index.ts';

/**
 * Workflows across several operations, as an Arazzo 1.0.1 document. Operations are typed by the contract:
 * a workflow that uses a removed operation does not compile.
 */

type OperationIdOf<S> = {
  [K in keyof S]: S[K] extends { metadata: { operationId: infer I extends string } } ? I : never;
}[keyof S];
type OperationId = {
  [S in keyof typeof contract]: OperationIdOf<(typeof contract)[S]>;
}[keyof typeof contract];

type Parameter = {
  readonly in: 'header' | 'path' | 'query' | 'cookie';
  readonly name: string;
  readonly value: unknown;
};

type Step = {
  readonly stepId: string;
  readonly description: string;
  readonly operationId: OperationId;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly contentType: 'application/json'; readonly payload: unknown };
  readonly successCriteria: readonly { readonly condition: string }[];
  readonly outputs?: Readonly<Record<string, string>>;
};

type StepOptions = {
  readonly parameters?: readonly Parameter[];
  readonly payload?: unknown;
  readonly status?: number;
  readonly conditions?: readonly string[];
  readonly outputs?: Readonly<Record<string, string>>;
};

/** Builds a step, named after its operation. */
function buildStep(operationId: OperationId, description: string, options: StepOptions = {}): Step {
  const { parameters, payload, status = 200, conditions = [], outputs } = options;
  return {
    stepId: operationId,
    description,
    operationId,
    ...(parameters && { parameters }),
    ...(payload !== undefined && { requestBody: { contentType: 'application/json', payload } }),
    successCriteria: [`$statusCode == ${status}`, ...conditions].map((condition) => ({ condition })),
    ...(outputs && { outputs }),
  };
}

const text = (description: string, example: string) => ({ type: 'string', description, examples: [example] });

const SIGNED_IN: readonly Parameter[] = [
  { in: 'cookie', name: 'gp_session', value: '$inputs.session' },
  { in: 'path', name: 'tenantId', value: '$inputs.tenantId' },
];
/** Includes the Sec-Fetch-Site header that browsers send from the service's own pages. */
const EDIT: readonly Parameter[] = [
  ...SIGNED_IN,
  { in: 'header', name: 'Sec-Fetch-Site', value: 'same-origin' },
];
const ARTICLE_ID: Parameter = {
  in: 'path',
  name: 'articleId',
  value: '$steps.createArticle.outputs.articleId',
};
const TRANSLATION_ID: Parameter = {
  in: 'path',
  name: 'translationId',
  value: '$steps.createTranslation.outputs.translationId',
};
const REVISION = { revision: '$response.body#/revision' };

export function workflowsDocument(): object {
  return {
    arazzo: '1.0.1',
    info: {
      title: 'Guidepost workflows',
      summary: 'A visit, and a translation from draft to published.',
      version: service.version,
    },
    sourceDescriptions: [{ name: 'guidepost', type: 'openapi', url: '../openapi.yaml' }],
    workflows: [describeVisit(), describeTranslation()],
  };
}

function describeVisit(): object {
  return {
    workflowId: 'visit',
    summary: 'A visitor arrives, gives consent and asks a question.',
    inputs: {
      type: 'object',
      properties: {
        appId: text('The app id from the install script.', 'gp_demo'),
        origin: text('An origin that the workspace allows.', 'https://shop.example.com'),
        userAgent: text('The browser of the visitor.', 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0'),
        question: text('Question of the visitor.', 'How do I reset my password?'),
        decidedAt: {
          type: 'integer',
          description: 'When the visitor agreed, in milliseconds since 1970.',
          examples: [1_790_000_000_000],
        },
      },
      required: ['appId', 'origin', 'userAgent', 'question', 'decidedAt'],
    },
    steps: listVisitSteps(),
    outputs: { visitorId: '$steps.bootGuide.outputs.visitorId' },
  };
}

function listVisitSteps(): Step[] {
  const token: Parameter = {
    in: 'header',
    name: 'Authorization',
    value: 'Bearer {$steps.bootGuide.outputs.jwt}',
  };
  const originHeader: Parameter = { in: 'header', name: 'Origin', value: '$inputs.origin' };
  // A User-Agent that looks like a program would be treated as a bot and get no token.
  const userAgentHeader: Parameter = { in: 'header', name: 'User-Agent', value: '$inputs.userAgent' };
  return [
    buildStep('bootGuide', 'The guide starts on a page and gets the visitor and a token.', {
      parameters: [originHeader, userAgentHeader],
      payload: { app_id: '$inputs.appId', origin: '$inputs.origin', path: '/' },
      conditions: ['$response.body#/jwt != null'],
      outputs: {
        jwt: '$response.body#/jwt',
        visitorId: '$response.body#/visitor_id',
        copyVersion: '$response.body#/config/consent/copy/version',
      },
    }),
    buildStep('recordConsent', 'The visitor accepts, and the service logs the decision.', {
      parameters: [originHeader, token],
      payload: {
        visitor_id: '$steps.bootGuide.outputs.visitorId',
        url: '$inputs.origin',
        copy_version: '$steps.bootGuide.outputs.copyVersion',
        at: '$inputs.decidedAt',
        decision: 'accepted',
      },
      conditions: ['$response.body#/recorded == true'],
    }),
    buildStep('sendMessage', 'The visitor asks a question, and the answer arrives as a stream of events.', {
      parameters: [originHeader, token],
      payload: {
        message: '$inputs.question',
        dom_digest: 'main > h1 Account',
        conversation_id: 'conv-of-a-visit',
        turn_idx: 0,
        url: '$inputs.origin',
      },
    }),
    buildStep('getConversation', 'The visitor reads the stored question and answer.', {
      parameters: [originHeader, token, { in: 'path', name: 'conversationId', value: 'conv-of-a-visit' }],
    }),
  ];
}

function describeTranslation(): object {
  return {
    workflowId: 'translationGoingLive',
    summary: 'An article is created, translated, reviewed, published and found in the new language.',
    inputs: {
      type: 'object',
      properties: {
        session: text('The session cookie of an owner or admin.', 'q83vASNFZ4mrze8BI0Vn'),
        tenantId: text('The workspace.', 'ws_01kakv2fxse7wtg6x5r0h8rjbm'),
      },
      required: ['session', 'tenantId'],
    },
    steps: [...listArticleSteps(), ...listTranslationSteps(), findTranslation()],
    outputs: { translationId: '$steps.createTranslation.outputs.translationId' },
  };
}

function toRevisionPayload(id: OperationId, more: Readonly<Record<string, unknown>> = {}) {
  return { baseRevision: `$steps.${id}.outputs.revision`, ...more };
}

function listArticleSteps(): Step[] {
  return [
    buildStep('createArticle', 'An editor creates an article in the language of the workspace.', {
      parameters: EDIT,
      payload: {
        title: 'Gift wrapping',
        answer: 'Choose gift wrapping at the checkout. It costs two euros.',
      },
      status: 201,
      outputs: { articleId: '$response.body#/id', ...REVISION },
    }),
    buildStep('publishArticle', 'The article goes live.', {
      parameters: [...EDIT, ARTICLE_ID],
      payload: toRevisionPayload('createArticle'),
    }),
  ];
}

function listTranslationSteps(): Step[] {
  return [
    buildStep('createTranslation', 'An editor adds a German translation as a draft.', {
      parameters: [...EDIT, ARTICLE_ID],
      payload: {
        locale: 'de',
        title: 'Geschenkverpackung',
        answer: 'Wählen Sie die Geschenkverpackung an der Kasse.',
      },
      status: 201,
      conditions: ["$response.body#/status == 'draft'"],
      outputs: { translationId: '$response.body#/id', ...REVISION },
    }),
    buildStep('submitTranslation', 'The draft is submitted for review.', {
      parameters: [...EDIT, ARTICLE_ID, TRANSLATION_ID],
      payload: toRevisionPayload('createTranslation'),
      outputs: REVISION,
    }),
    buildStep('reviewTranslation', 'A reviewer approves exactly this revision.', {
      parameters: [...EDIT, ARTICLE_ID, TRANSLATION_ID],
      payload: toRevisionPayload('submitTranslation', { decision: 'approve' }),
      conditions: ["$response.body#/status == 'approved'"],
      outputs: REVISION,
    }),
    buildStep('publishTranslation', 'The translation goes live.', {
      parameters: [...EDIT, ARTICLE_ID, TRANSLATION_ID],
      payload: toRevisionPayload('reviewTranslation'),
      conditions: ["$response.body#/status == 'published'"],
    }),
  ];
}

function findTranslation(): Step {
  return buildStep('searchKnowledge', 'A search in German finds the translation.', {
    parameters: [
      ...SIGNED_IN,
      { in: 'query', name: 'q', value: 'Geschenkverpackung' },
      { in: 'query', name: 'locale', value: 'de' },
    ],
    conditions: ["$response.body#/data/0/contentLocale == 'de'"],
  });
}
