/** The parts of a consent directive that tell whether the guide goes ahead without a decision. */
type Directive = {
  readonly ask: boolean;
  readonly reason: string;
  readonly gpc: { readonly honored: boolean };
  readonly purposes: { readonly persistence: string };
};

/** Where the region's rule is opt-out or notice, everything optional is on until the visitor decides. */
export const proceedsUnasked = ({ ask, gpc, reason, purposes }: Directive): boolean =>
  !ask && !gpc.honored && reason !== 'prior_decision' && purposes.persistence === 'granted';
