/** Whether what was typed is safe at the service. */
export type SavingState = 'saved' | 'typing' | 'saving' | 'incomplete' | 'trouble' | 'conflict';
