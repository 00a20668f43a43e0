import type { Phrases } from './language.ts';

export const en: Phrases = {
  greeting: 'Hello! What can I help you with?',
  thanks: "You're welcome! Just ask if anything else comes up.",
  goodbye: 'Goodbye! I am here whenever you have another question.',
  praise: 'Glad to hear it! Just ask if anything else comes up.',
  complaint: "I'm sorry about that. Tell me in a sentence what went wrong, and I will look for a solution.",
  abuse: "I'd like to help. Tell me in a sentence what you are looking for.",
  identity: "I'm not a person. I'm an automated guide: software that answers from this site's articles.",
  capabilities:
    "I'm the automated guide of {name}. I answer questions from the published articles and show you where each answer comes from.",
  person: "I'm an automated guide, so I can't put you through myself, but people are there for you.",
  personUnavailable:
    "I'm an automated guide and can't put you through to a person. Tell me what it is about, and I will look for an answer.",
  gibberish: "I didn't understand that. Could you put your question in a few words?",
  order:
    'I stick to my task: answering questions from the articles of this site. What would you like to know?',
  page: 'You are on the page “{title}”.',
  pageParts: 'These are its parts:',
  pageUnknown: "I can't read this page, but I can answer questions from the articles.",
  topics: 'For example, you can ask me about:',
  contact: 'You can reach the team here: {contact}',
  nothingFound: 'I found nothing about this in the published articles.',
  nearest: 'The nearest topics are:',
  unsure: 'I am not sure what you mean. Is it one of these?',
  refused: 'I cannot answer this.',
};
