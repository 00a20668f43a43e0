import type { LlmSettings } from '../settings/model.ts';
import type { ModelCall, ModelMessage, ModelPart, ModelRequest } from './model.ts';
import { parseInput } from './model-tools.ts';
import {
  type AnswerReader,
  asString,
  asTokens,
  CALL_CHARS_MAX,
  CALLS_MAX,
  type Protocol,
} from './protocol.ts';
import { readServerError, type ServerError } from './server-error.ts';

/**
 * Anthropic's Messages: passages are sent as documents, which the server cites word for word; the rules and the owner's instructions
 * are marked for its cache.
 */
export const MESSAGES: Protocol = {
  path: '/messages',
  citesDocuments: true,
  neededFields: ['model', 'messages', 'stream', 'max_tokens', 'system'],
  toHeaders: (apiKey) => ({ 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' }),
  toBody,
  createReader: () => new MessageReader(),
};

const CACHED = { cache_control: { type: 'ephemeral' } };

function toBody(
  { extraBody, model }: LlmSettings,
  { messages, tools, callsNothing, outputTokensMax }: ModelRequest,
): Record<string, unknown> {
  const rules = messages.flatMap((message) => (message.role === 'system' ? [message.text] : []));
  return {
    ...extraBody,
    // The thinking before a call is not kept, and a continuation with thinking would have to repeat it.
    ...(callsNothing && extraBody?.thinking !== undefined ? { thinking: { type: 'disabled' } } : {}),
    model,
    stream: true,
    max_tokens: outputTokensMax,
    ...(rules.length > 0 ? { system: [{ type: 'text', text: rules.join('\n\n'), ...CACHED }] } : {}),
    messages: joinRoles(messages.flatMap(toTurn)),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, input }) => ({ name, description, input_schema: input })),
          ...(callsNothing ? { tool_choice: { type: 'none' } } : {}),
        }),
  };
}

type Turn = { role: 'user' | 'assistant'; content: object[] };

function toTurn(message: ModelMessage): Turn[] {
  switch (message.role) {
    case 'system':
      return [];
    case 'assistant':
      return [{ role: 'assistant', content: [{ type: 'text', text: message.text }] }];
    case 'called':
      return [{ role: 'assistant', content: message.calls.map(toToolUse) }];
    case 'result':
      return [
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: message.callId, content: message.text }],
        },
      ];
    default:
      return [{ role: 'user', content: toUserContent(message) }];
  }
}

function toUserContent({ text, image, documents = [] }: Extract<ModelMessage, { role: 'user' }>): object[] {
  return [
    ...documents.map(({ title, text: data }) => ({
      type: 'document',
      source: { type: 'text', media_type: 'text/plain', data },
      title,
      citations: { enabled: true },
    })),
    ...(image
      ? [{ type: 'image', source: { type: 'base64', media_type: image.mime, data: image.base64 } }]
      : []),
    { type: 'text', text },
  ];
}

function toToolUse({ id, name, input }: ModelCall): object {
  return { type: 'tool_use', id, name, input: parseInput(input) ?? {} };
}

/** Joins neighbours of one role: all results of calls belong into one turn. */
function joinRoles(turns: readonly Turn[]): Turn[] {
  const joined: Turn[] = [];
  for (const turn of turns) {
    const last = joined.at(-1);
    if (last?.role === turn.role) last.content.push(...turn.content);
    else joined.push(turn);
  }
  return joined;
}

/** The fields of an event that are read; no value is trusted. */
type Event = {
  type?: unknown;
  index?: unknown;
  message?: { usage?: Usage };
  usage?: Usage;
  content_block?: { type?: unknown; id?: unknown; name?: unknown; text?: unknown };
  delta?: {
    type?: unknown;
    text?: unknown;
    partial_json?: unknown;
    citation?: { document_index?: unknown; cited_text?: unknown };
    stop_reason?: unknown;
  };
};

type Usage = Readonly<Record<string, unknown>> | null;
type End = Extract<ModelPart, { type: 'end' }>;
type Citation = Extract<ModelPart, { type: 'citation' }>;

const CITATIONS_MAX = 20;
const INPUT_TOKENS = ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'];

class MessageReader implements AnswerReader {
  hasBegun = false;
  #calls: Map<unknown, { id: string; name: string; input: string }> | undefined;
  /** Of the open block: the server tells them before its text is complete. */
  #citations: Citation[] = [];
  #reason: End['reason'] | undefined;
  #hasThought = false;
  #counts: Record<string, number> | undefined;

  get isFinished(): boolean {
    return this.#reason !== undefined;
  }

  read(data: string): { parts: ModelPart[]; error?: ServerError; isLast?: boolean } {
    const event = JSON.parse(data) as Event | null;
    if (typeof event !== 'object' || event === null) throw new SyntaxError('an event is no object');
    switch (event.type) {
      case 'message_start':
        this.#count(event.message?.usage);
        return { parts: [] };
      case 'content_block_start':
        return { parts: this.#startBlock(event) };
      case 'content_block_delta':
        return { parts: this.#addDelta(event) };
      case 'content_block_stop':
        return { parts: this.#citations.splice(0) };
      case 'message_delta':
        this.#count(event.usage);
        if (typeof event.delta?.stop_reason === 'string') this.#reason = toEndReason(event.delta.stop_reason);
        return { parts: [] };
      case 'message_stop':
        return { parts: [], isLast: true };
      case 'error':
        return { parts: [], error: readServerError(data) };
      default:
        // `ping`, and what later versions add.
        return { parts: [] };
    }
  }

  calls(): ModelCall[] {
    return [...(this.#calls?.values() ?? [])];
  }

  end(): End {
    const { output_tokens: outputTokens = 0, ...inputs } = this.#counts ?? {};
    const inputTokens = Object.values(inputs).reduce((sum, count) => sum + count, 0);
    return {
      type: 'end',
      reason: this.#reason ?? 'stop',
      ...(this.#counts ? { usage: { inputTokens, outputTokens } } : {}),
    };
  }

  #startBlock({ index, content_block: block }: Event): ModelPart[] {
    if (block?.type === 'thinking' || block?.type === 'redacted_thinking') return this.#think();
    if (block?.type === 'tool_use') {
      this.hasBegun = true;
      this.#calls ??= new Map();
      if (this.#calls.size < CALLS_MAX)
        this.#calls.set(index, {
          id: asString(block.id).slice(0, 256),
          name: asString(block.name).slice(0, 64),
          input: '',
        });
    }
    return block?.type === 'text' ? this.#say(asString(block.text)) : [];
  }

  #addDelta({ index, delta }: Event): ModelPart[] {
    switch (delta?.type) {
      case 'text_delta':
        return this.#say(asString(delta.text));
      case 'thinking_delta':
        return this.#think();
      case 'input_json_delta': {
        this.hasBegun = true;
        const call = this.#calls?.get(index);
        if (call) call.input = (call.input + asString(delta.partial_json)).slice(0, CALL_CHARS_MAX);
        return [];
      }
      case 'citations_delta':
        this.#cite(delta.citation);
        return [];
      default:
        return [];
    }
  }

  #say(text: string): ModelPart[] {
    if (text === '') return [];
    this.hasBegun = true;
    return [{ type: 'text', text }];
  }

  #think(): ModelPart[] {
    const isFirst = !this.#hasThought;
    this.#hasThought = this.hasBegun = true;
    return isFirst ? [{ type: 'thought' }] : [];
  }

  #cite(citation: NonNullable<Event['delta']>['citation']): void {
    const { document_index: document, cited_text: quote } = citation ?? {};
    if (typeof document !== 'number' || typeof quote !== 'string') return;
    if (this.#citations.length < CITATIONS_MAX) this.#citations.push({ type: 'citation', document, quote });
  }

  /** Later counts replace earlier ones: each is the total so far. Tokens read from the cache were sent too. */
  #count(usage: Usage | undefined): void {
    for (const name of [...INPUT_TOKENS, 'output_tokens']) {
      const count = asTokens(usage?.[name]);
      if (count !== undefined) this.#counts = { ...this.#counts, [name]: count };
    }
  }
}

function toEndReason(reason: string): End['reason'] {
  switch (reason) {
    case 'max_tokens':
    case 'model_context_window_exceeded':
      return 'length';
    case 'tool_use':
      return 'calls';
    case 'refusal':
      return 'refusal';
    default:
      return 'stop';
  }
}
