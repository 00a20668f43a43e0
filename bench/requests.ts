/** The requests that the load generators send. */

/** Data for the requests; a generator selects which to send. */
export type Plan = {
  origin: string;
  appId: string;
  visitors: readonly {
    jwt: string;
    visitorId: string;
    conversationId: string;
  }[];
  questions: readonly string[];
};

const AGENT = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

function createBootRequests(plan: Plan, port: number): (number: number) => string {
  const body = JSON.stringify({ app_id: plan.appId, origin: plan.origin, path: '/pricing' });
  const before = `${buildHead('/boot', plan, port)}content-length: ${body.length}\r\nx-forwarded-for: `;
  const after = `\r\n\r\n${body}`;
  return (number) => before + toAddress(number) + after;
}

/** Returns a distinct address for each number; all have the same length. */
function toAddress(number: number): string {
  const part = (divisor: number) => 100 + (Math.floor(number / divisor) % 100);
  return `198.${part(10_000)}.${part(100)}.${part(1)}`;
}

function createChatRequests(plan: Plan, port: number): (number: number) => string {
  const before = buildHead('/chat', plan, port);
  const { visitors, questions, origin } = plan;
  return (number) => {
    const visitor = visitors[number % visitors.length]!;
    const body = JSON.stringify({
      message: questions[number % questions.length],
      dom_digest: 'main > h1 Pricing\nmain > p Choose a plan\nmain > button "Start"',
      conversation_id: visitor.conversationId,
      turn_idx: Math.floor(number / visitors.length),
      url: `${origin}/pricing`,
    });
    const address = toAddress(number % visitors.length);
    return `${before}x-forwarded-for: ${address}\r\nauthorization: Bearer ${visitor.jwt}\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  };
}

function createConsentRequests(plan: Plan, port: number): (number: number) => string {
  const before = buildHead('/consent', plan, port);
  const { visitors, origin } = plan;
  return (number) => {
    const { jwt, visitorId } = visitors[number % visitors.length]!;
    const decision = {
      url: `${origin}/pricing`,
      copy_version: `bench-${number}`,
      at: Date.now(),
      decision: 'accepted',
    };
    const body = JSON.stringify({ visitor_id: visitorId, ...decision });
    const address = toAddress(number);
    return `${before}x-forwarded-for: ${address}\r\nauthorization: Bearer ${jwt}\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  };
}

/** Each returns the text of the request with a number. */
export const REQUEST_FACTORIES = {
  boot: createBootRequests,
  chat: createChatRequests,
  consent: createConsentRequests,
};

export type RequestKind = keyof typeof REQUEST_FACTORIES;

function buildHead(path: string, plan: Plan, port: number): string {
  return (
    `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nuser-agent: ${AGENT}\r\naccept: */*\r\n` +
    `accept-language: en-US,en;q=0.5\r\norigin: ${plan.origin}\r\ncontent-type: application/json\r\n`
  );
}
