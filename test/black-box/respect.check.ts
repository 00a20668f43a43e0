import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { joinAs } from '../accounts/team.ts';
import { USER_AGENT } from '../harness.ts';
import { type BlackBox, installed, openBlackBox, ROOT, run } from './tool.ts';

/** Runs the published workflows against the service and validates status, headers and bodies against the document. */
describe('generated/workflows.arazzo.yaml', () => {
  let box: BlackBox;
  beforeAll(async () => {
    box = await openBlackBox();
  });
  afterAll(() => box?.close());

  const runWorkflow = (workflow: string, inputs: Readonly<Record<string, unknown>>) =>
    run(
      installed('redocly'),
      [
        ...['respect', `${ROOT}generated/workflows.arazzo.yaml`, '--workflow', workflow],
        ...['--server', `guidepost=${box.harness.baseUrl}`, '--input', JSON.stringify(inputs)],
        '--verbose',
      ],
      { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    );

  it('completes the visit workflow', async () => {
    const { appId, origin, clock } = box.harness;
    const inputs = { appId, origin, userAgent: USER_AGENT, question: 'How do I reset my password?' };
    const { code, output } = await runWorkflow('visit', { ...inputs, decidedAt: clock.now() });
    expect(code, output).toBe(0);
  });

  it('completes the translation workflow', async () => {
    const { workspace } = box.harness;
    const { cookie } = await joinAs(box.harness, workspace, 'owner');
    const session = cookie.slice(cookie.indexOf('=') + 1);
    const { code, output } = await runWorkflow('translationGoingLive', { session, tenantId: workspace.id });
    expect(code, output).toBe(0);
  });

  it('fails when the service deviates from the workflow', async () => {
    const { workspace } = box.harness;
    const inputs = { session: 'nobody-is-signed-in-with-this', tenantId: workspace.id };
    const { code, output } = await runWorkflow('translationGoingLive', inputs);
    expect(code).not.toBe(0);
    expect(output).toContain('session/unauthorized');
  });
});
