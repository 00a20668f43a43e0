/**
 * Calls every entry point of the packed client, in plain JavaScript without runtime modules. The caller passes the service and compares
 * the result.
 */
export async function runScenario(client, target) {
  const { accumulate, createAccount, createExporter, createGuide, isGuideError } = client;
  const { baseUrl, appId, origin, apiKey, tenantId, email, password } = target;
  const guide = createGuide({ baseUrl, appId, ...(origin ? { origin } : {}) });

  const [first, second] = await Promise.all([guide.boot(), guide.boot()]);
  const { recorded } = await guide.consent('accepted');

  const url = `${target.pageOrigin ?? origin}/`;
  const types = [];
  let answer;
  for await (const event of guide.chat({ message: 'How do I reset my password?', domDigest: 'main', url })) {
    types.push(event.type);
    answer = accumulate(answer, event);
  }
  const { data, response } = await guide.rate(answer.id, 'up').withResponse();
  const { turns } = await guide.conversation();

  const unknownMessage = await guide.rate('msg_00000000000000000000000000', 'up').catch((error) => error);
  const controller = new AbortController();
  controller.abort();
  const aborted = await guide.conversation(undefined, { signal: controller.signal }).catch((error) => error);
  const unreachable = await createGuide({ baseUrl: 'http://127.0.0.1:1', appId, retry: { attemptsMax: 0 } })
    .boot()
    .catch((error) => error);
  guide.close();

  const result = {
    sharedBoot: first === second,
    recorded,
    begins: types.at(0),
    cites: types.includes('citation'),
    ends: types.at(-1),
    answered: answer.state === 'done' && answer.text.includes('sign-in page'),
    rated: data.ok && response.status,
    turns: turns.length,
    unknownMessage: isGuideError(unknownMessage, 'message/not_found') && unknownMessage.status,
    aborted: aborted.code,
    unreachable: unreachable.code,
  };
  if (!apiKey) return result;

  const exporter = createExporter({ baseUrl, apiKey });
  const paged = [];
  for await (const row of exporter.events({ limit: 7 })) paged.push(row.id);
  const stream = exporter.stream.events();
  const streamed = [];
  for await (const row of stream) streamed.push(row.id);

  const account = createAccount({ baseUrl });
  await account.signIn(email, password);
  const tenant = account.tenant(tenantId);
  const slugs = [];
  for await (const article of tenant.articles.list({ limit: 1 })) slugs.push(article.slug);
  await account.signOut();
  return {
    ...result,
    exported: paged.length > 0 && paged.join() === streamed.join(),
    articles: slugs.length > 1,
    signedOut: (await account.session()) === undefined,
  };
}

/** The expected result in every runtime. */
export const EXPECTED = {
  sharedBoot: true,
  recorded: true,
  begins: 'message_start',
  cites: true,
  ends: 'message_end',
  answered: true,
  rated: 200,
  turns: 1,
  unknownMessage: 404,
  aborted: 'aborted',
  unreachable: 'network',
};
export const EXPECTED_WITH_EXPORT_AND_TENANT = {
  ...EXPECTED,
  exported: true,
  articles: true,
  signedOut: true,
};
