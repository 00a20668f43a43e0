import { describe, expect, it } from 'vitest';
import { openapiDocument } from '../../contract/openapi/openapi.ts';
import { workflowsDocument } from '../../contract/openapi/workflows.ts';

/** The walks that are published lead through operations as the document has them. `make test-black-box` walks them. */

type Step = {
  readonly stepId: string;
  readonly operationId: string;
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
  readonly requestBody?: object;
  readonly outputs?: Readonly<Record<string, string>>;
};
type Operation = {
  readonly operationId: string;
  readonly parameters?: readonly {
    readonly in: string;
    readonly name: string;
    readonly required?: boolean;
  }[];
  readonly requestBody?: object;
};
type Workflow = {
  readonly workflowId: string;
  readonly inputs: { readonly properties: object };
  readonly steps: readonly Step[];
};

const { workflows } = workflowsDocument() as { workflows: readonly Workflow[] };
const operations = new Map(
  Object.values(openapiDocument().paths!)
    .flatMap((methods) => Object.values(methods) as Operation[])
    .map((operation) => [operation.operationId, operation]),
);

describe.each(workflows.map((workflow) => [workflow.workflowId, workflow] as const))(
  'the walk %s',
  (_, { inputs, steps }) => {
    it.each(steps.map((step) => [step.stepId, step] as const))(
      '%s gives what its operation asks for',
      (_id, step) => {
        const { parameters = [], requestBody } = operations.get(step.operationId)!;
        const given = (step.parameters ?? []).filter((one) => one.in === 'path' || one.in === 'query');
        const name = (one: { in: string; name: string }) => `${one.in} ${one.name}`;
        expect(parameters.map(name)).toEqual(expect.arrayContaining(given.map(name)));
        const needed = parameters.filter((one) => one.required && one.in !== 'header');
        expect(given.map(name)).toEqual(expect.arrayContaining(needed.map(name)));
        expect(step.requestBody !== undefined).toBe(requestBody !== undefined);
      },
    );

    it('uses only inputs and outputs of earlier steps', () => {
      const known = new Set(Object.keys(inputs.properties).map((name) => `$inputs.${name}`));
      for (const { stepId, outputs, ...request } of steps) {
        const used = JSON.stringify(request).match(/\$(inputs\.\w+|steps\.\w+\.outputs\.\w+)/g) ?? [];
        expect([...known]).toEqual(expect.arrayContaining(used));
        for (const name of Object.keys(outputs ?? {})) known.add(`$steps.${stepId}.outputs.${name}`);
      }
    });
  },
);
