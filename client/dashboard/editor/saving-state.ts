/** `incomplete` and `failed` hold changes that the server does not have; `conflict` waits for a choice between two versions. */
export type SavingState = 'saved' | 'typing' | 'saving' | 'incomplete' | 'failed' | 'conflict';
