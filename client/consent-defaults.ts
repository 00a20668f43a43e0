/** The fields of a consent directive that determine whether optional purposes are on before the visitor decides. */
type Directive = {
  ask: boolean;
  reason: string;
  gpc: { honored: boolean };
  purposes: { persistence: string };
};

/** True in regions with an opt-out or notice rule, where everything optional is on until the visitor decides. */
export const startsWithoutPrompt = ({ ask, gpc, reason, purposes }: Directive): boolean =>
  !ask && !gpc.honored && reason !== 'prior_decision' && purposes.persistence === 'granted';

type Guide = {
  state: { consent_directive: Directive } | undefined;
  consent(decision: 'denied', details: { url: string }): Promise<unknown>;
};

/** Sends the denial of an earlier page again, because the service sees a new visitor on this page. */
export async function resendDenial(guide: Guide): Promise<void> {
  const reason = guide.state?.consent_directive.reason;
  if (reason === 'gpc' || reason === 'prior_decision') return;
  await guide.consent('denied', { url: location.href }).catch(() => {});
}
