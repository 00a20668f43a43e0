import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { joinAs } from '../accounts/office.ts';
import { USER_AGENT } from '../harness.ts';
import { type BlackBox, openBlackBox } from './open-black-box.ts';
import { installed, ROOT, run } from './tool.ts';

/** The published walks, step by step against the service: status, headers and bodies are held against the document. */
describe('the walks of generated/workflows.arazzo.yaml', () => {
  let box: BlackBox;
  beforeAll(async () => {
    box = await openBlackBox();
  });
  afterAll(() => box?.close());

  const walk = (workflow: string, inputs: Readonly<Record<string, unknown>>) =>
    run(
      installed('redocly'),
      [
        ...['respect', `${ROOT}generated/workflows.arazzo.yaml`, '--workflow', workflow],
        ...['--server', `guidepost=${box.harness.baseUrl}`, '--input', JSON.stringify(inputs)],
        '--verbose',
      ],
      { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    );

  it('lead through a visit', async () => {
    const { appId, origin, clock } = box.harness;
    const inputs = { appId, origin, userAgent: USER_AGENT, question: 'How do I reset my password?' };
    const { code, said } = await walk('visit', { ...inputs, decidedAt: clock.now() });
    expect(code, said).toBe(0);
  });

  it('lead a translation to those who read its language', async () => {
    const { workspace } = box.harness;
    const { cookie } = await joinAs(box.harness, workspace, 'owner');
    const session = cookie.slice(cookie.indexOf('=') + 1);
    const { code, said } = await walk('translationGoingLive', { session, tenantId: workspace.id });
    expect(code, said).toBe(0);
  });

  it('end where the service does not do what they say', async () => {
    const { workspace } = box.harness;
    const inputs = { session: 'nobody-is-signed-in-with-this', tenantId: workspace.id };
    const { code, said } = await walk('translationGoingLive', inputs);
    expect(code).not.toBe(0);
    expect(said).toContain('session/unauthorized');
  });
});
