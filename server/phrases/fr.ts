import type { Phrases } from './language.ts';

export const fr: Phrases = {
  greeting: 'Bonjour ! Comment puis-je vous aider ?',
  thanks: 'Avec plaisir ! N’hésitez pas si vous avez une autre question.',
  goodbye: 'Au revoir ! Je reste là si vous avez d’autres questions.',
  praise: 'Ravi que cela vous aide ! N’hésitez pas si vous avez une autre question.',
  complaint: 'J’en suis désolé. Dites-moi en une phrase ce qui ne va pas et je chercherai une solution.',
  abuse: 'J’aimerais vous aider. Dites-moi en une phrase ce que vous cherchez.',
  identity:
    'Je ne suis pas une personne. Je suis un guide automatique : un logiciel qui répond à partir des articles de ce site.',
  capabilities:
    'Je suis le guide automatique du site {name}. Je réponds aux questions à partir des articles publiés et je vous montre d’où vient chaque réponse.',
  person:
    'Je suis un guide automatique et je ne peux pas vous mettre en relation moi-même, mais l’équipe est là pour vous.',
  personUnavailable:
    'Je suis un guide automatique et je ne peux malheureusement pas vous mettre en relation avec une personne. Dites-moi de quoi il s’agit et je chercherai une réponse.',
  gibberish: 'Je n’ai pas compris. Pouvez-vous poser votre question en quelques mots ?',
  order:
    'Je m’en tiens à ma tâche : répondre aux questions à partir des articles de ce site. Que souhaitez-vous savoir ?',
  page: 'Vous êtes sur la page « {title} ».',
  pageParts: 'Voici ses rubriques :',
  pageUnknown: 'Je ne peux pas lire cette page, mais je peux répondre à vos questions à partir des articles.',
  topics: 'Vous pouvez par exemple me demander :',
  contact: 'Vous pouvez joindre l’équipe ici : {contact}',
  nothingFound: 'Je n’ai rien trouvé à ce sujet dans les articles publiés.',
  nearest: 'Les sujets les plus proches sont :',
  unsure: 'Je ne suis pas sûr d’avoir bien compris. S’agit-il de l’un de ces sujets ?',
  refused: 'Je ne peux pas répondre à cela.',
};
