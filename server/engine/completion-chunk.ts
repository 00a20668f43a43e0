import type { ModelCall, ModelPart } from './model.ts';

/** What a chunk of a streamed chat completion says. Servers differ in the rest; only this is read, and nothing of it is believed. */

type Chunk = {
  readonly error?: unknown;
  readonly choices?: readonly {
    readonly delta?: {
      readonly content?: unknown;
      readonly refusal?: unknown;
      readonly reasoning_content?: unknown;
      readonly reasoning?: unknown;
      readonly tool_calls?: readonly {
        readonly index?: unknown;
        readonly id?: unknown;
        readonly function?: { readonly name?: unknown; readonly arguments?: unknown };
      }[];
    };
    readonly finish_reason?: unknown;
  }[];
  readonly usage?: { readonly prompt_tokens?: unknown; readonly completion_tokens?: unknown } | null;
};

type End = Extract<ModelPart, { type: 'end' }>;

const CALLS_MAX = 8;
const CALL_CHARS_MAX = 8192;
const TOKENS_MAX = 100_000_000;

export class CompletionReading {
  /** Whether the model has begun: text, a call or thinking, of which nothing is kept. */
  begun = false;
  #calls: Map<number, { id: string; name: string; input: string }> | undefined;
  #reason: End['reason'] | undefined;
  #usage: End['usage'];
  #refused = false;

  /** Whether the server has said why the answer ends. */
  get finished(): boolean {
    return this.#reason !== undefined;
  }

  /** Text of the answer that this chunk carries. @throws SyntaxError when it is none. */
  read(data: string): string {
    const chunk = JSON.parse(data) as Chunk | null;
    if (typeof chunk !== 'object' || chunk === null) throw new SyntaxError('a chunk is no object');
    if (chunk.error !== undefined && chunk.error !== null) throw new SyntaxError('a chunk is an error');
    if (chunk.usage) this.#usage = usageOf(chunk.usage);
    const choice = Array.isArray(chunk.choices) ? chunk.choices[0] : undefined;
    const delta = choice?.delta;
    if (delta?.tool_calls) this.#addCall(delta.tool_calls);
    const refusal = textOf(delta?.refusal);
    if (refusal !== '') this.#refused = true;
    const text = textOf(delta?.content) + refusal;
    this.begun ||= text !== '' || this.#calls !== undefined || hasThought(delta);
    if (typeof choice?.finish_reason === 'string') this.#reason = reasonOf(choice.finish_reason);
    return text;
  }

  calls(): ModelCall[] {
    return [...(this.#calls?.values() ?? [])].map((call, at) => ({ ...call, id: call.id || `call_${at}` }));
  }

  end(): End {
    return {
      type: 'end',
      reason: this.#refused ? 'refusal' : (this.#reason ?? 'stop'),
      ...(this.#usage ? { usage: this.#usage } : {}),
    };
  }

  #addCall(delta: NonNullable<NonNullable<Chunk['choices']>[0]['delta']>['tool_calls']): void {
    for (const piece of Array.isArray(delta) ? delta : []) {
      this.#calls ??= new Map();
      const calls = this.#calls;
      const index = typeof piece?.index === 'number' ? piece.index : calls.size;
      const call = calls.get(index) ?? { id: '', name: '', input: '' };
      if (!calls.has(index) && calls.size === CALLS_MAX) continue;
      calls.set(index, call);
      call.id ||= textOf(piece?.id).slice(0, 256);
      call.name ||= textOf(piece?.function?.name).slice(0, 64);
      call.input = (call.input + textOf(piece?.function?.arguments)).slice(0, CALL_CHARS_MAX);
    }
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function hasThought(delta: { reasoning_content?: unknown; reasoning?: unknown } | undefined): boolean {
  return textOf(delta?.reasoning_content) !== '' || textOf(delta?.reasoning) !== '';
}

function reasonOf(reason: string): End['reason'] {
  switch (reason) {
    case 'length':
      return 'length';
    case 'content_filter':
      return 'refusal';
    case 'tool_calls':
    case 'function_call':
      return 'calls';
    default:
      return 'stop';
  }
}

function usageOf(usage: NonNullable<Chunk['usage']>): End['usage'] {
  const count = (value: unknown) =>
    typeof value === 'number' && value >= 0 ? Math.min(Math.ceil(value), TOKENS_MAX) : 0;
  return { inputTokens: count(usage.prompt_tokens), outputTokens: count(usage.completion_tokens) };
}
