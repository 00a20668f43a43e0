/** What the form of a question to the team says. Loaded with it. */
export const FORM_LABELS = {
  expectedAnswer: (time: string): string => `Expected answer: ${time}`,
  yourName: 'Your name (optional)',
  yourEmail: 'Your email address',
  sendConversation: 'Also send this conversation',
  whatIsSent: 'What is sent',
  cancel: 'Cancel',
};
