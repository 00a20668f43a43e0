// Written by `make generate` from the contract. Do not edit.

export const bootGuide = {
  method: 'POST',
  path: '/boot',
  credential: 'none',
  retryable: false,
} as const;

export const eraseVisitor = {
  method: 'DELETE',
  path: '/visitor',
  credential: 'visitor',
  retryable: true,
} as const;

export const getConversation = {
  method: 'GET',
  path: '/conversations/:conversation_id',
  credential: 'visitor',
  retryable: true,
} as const;

export const rateMessage = {
  method: 'POST',
  path: '/feedback',
  credential: 'visitor',
  retryable: false,
} as const;

export const recordConsent = {
  method: 'POST',
  path: '/consent',
  credential: 'visitor',
  retryable: false,
} as const;

export const sendMessage = {
  method: 'POST',
  path: '/chat',
  credential: 'visitor',
  retryable: true,
} as const;
