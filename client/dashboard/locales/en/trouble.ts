/** Why something did not work, for the person in front of it. */
export const trouble = {
  title: 'That did not work',
  network: 'The service cannot be reached. Check the connection and try again.',
  rateLimited: 'Too many requests. Try again after {time}.',
  busy: 'The service is busy. Try again in a moment.',
  crossSite: 'The service does not take this request from here. Open the dashboard at its own address.',
  role: 'Your role does not allow this.',
  notFound: 'It is not there any more. Somebody may have deleted it.',
  invalid: 'Please look at what you entered.',
  conflict: 'Somebody else changed it in the meantime.',
  broken: 'Something went wrong at the service. Try again.',
  reference: 'Reference: {id}',
};
