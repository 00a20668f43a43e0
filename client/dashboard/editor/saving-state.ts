/**
 * `incomplete` and `failed` hold changes that the server does not have; `conflict` waits for a choice between two
 * versions, and `sourceChanged` for the translator to compare the text with the new original.
 */
export type SavingState =
  | 'saved'
  | 'typing'
  | 'saving'
  | 'incomplete'
  | 'failed'
  | 'conflict'
  | 'sourceChanged';

/** True while nothing is saved until the member has decided. */
export const needsDecision = (state: SavingState): state is 'conflict' | 'sourceChanged' =>
  state === 'conflict' || state === 'sourceChanged';
