import type { EngineEvent, EnginePassage, EngineTarget } from './engine.ts';
import type { ModelCall, ModelTool } from './model.ts';

/**
 * Offers the actions to the model as tools; a call is a proposal and never executed. Targets and URLs are numbered
 * per turn, so the model cannot name any others.
 */

type Kind = 'highlight' | 'scroll_to' | 'focus';

const TOOL_DESCRIPTIONS: Readonly<Record<Kind, string>> = {
  highlight: 'Propose to point out a part of the page that is in view.',
  scroll_to: 'Propose to scroll to a part of the page that is not in view.',
  focus: 'Propose to put the cursor into a field of the page.',
};

const reason = {
  type: 'string',
  maxLength: 300,
  description: 'Why, in one short sentence to the visitor, in the language of the answer.',
};

export function buildTools(
  targets: readonly EngineTarget[],
  passages: readonly EnginePassage[],
): readonly ModelTool[] {
  if (targets.length === 0) return [];
  const target = { type: 'string', enum: targets.map((_, at) => `t${at + 1}`) };
  const pageTools = (Object.keys(TOOL_DESCRIPTIONS) as Kind[]).map((name) => ({
    name,
    description: TOOL_DESCRIPTIONS[name],
    input: objectSchema({ target, reason }),
  }));
  const linkedPassages = passages.flatMap(({ url }, at) => (url ? [at + 1] : []));
  if (linkedPassages.length === 0) return pageTools;
  return [
    ...pageTools,
    {
      name: 'navigate',
      description: 'Propose to open the page of a passage.',
      input: objectSchema({ passage: { type: 'integer', enum: linkedPassages }, reason }),
    },
  ];
}

function objectSchema(properties: Readonly<Record<string, object>>): object {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

/** Converts a tool call; undefined for unknown tools or targets. */
export function toAction(
  { name, input }: ModelCall,
  targets: readonly EngineTarget[],
  passages: readonly EnginePassage[],
): Extract<EngineEvent, { type: 'action' }> | undefined {
  const args = parseInput(input);
  if (!args) return undefined;
  const reasonText = typeof args.reason === 'string' ? args.reason : '';
  if (name === 'navigate') {
    const passage = passages[Number(args.passage) - 1];
    if (!passage?.url || targets.length === 0) return undefined;
    return {
      type: 'action',
      kind: 'navigate',
      url: passage.url,
      label: passage.title,
      reason: reasonText || passage.title,
    };
  }
  if (!Object.hasOwn(TOOL_DESCRIPTIONS, name)) return undefined;
  const number = /^t(\d{1,3})$/.exec(String(args.target))?.[1];
  const target = targets[Number(number) - 1];
  if (!target) return undefined;
  return {
    type: 'action',
    kind: name as Kind,
    gpId: target.gpId,
    label: target.name,
    reason: reasonText || target.name,
  };
}

/** Parses the input of a call; undefined unless it is an object. */
export function parseInput(input: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(input);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
