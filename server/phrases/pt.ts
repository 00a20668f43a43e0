import type { Phrases } from './language.ts';

export const pt: Phrases = {
  greeting: 'Olá! Como posso ajudar?',
  thanks: 'De nada! Se tiver outra pergunta, estou aqui.',
  goodbye: 'Até logo! Estou aqui se surgir outra pergunta.',
  praise: 'Que bom! Se tiver outra pergunta, estou aqui.',
  complaint: 'Sinto muito. Diga em uma frase o que deu errado e vou procurar uma solução.',
  abuse: 'Gostaria de ajudar. Diga em uma frase o que procura.',
  identity:
    'Não sou uma pessoa. Sou um guia automático: um programa que responde a partir dos artigos deste site.',
  capabilities:
    'Sou o guia automático de {name}. Respondo a perguntas com os artigos publicados e mostro de onde vem cada resposta.',
  person: 'Sou um guia automático e não posso transferir a conversa, mas a equipe está à disposição.',
  personUnavailable:
    'Sou um guia automático e não posso transferir a conversa para uma pessoa. Diga do que se trata e vou procurar uma resposta.',
  gibberish: 'Não entendi. Pode fazer a pergunta em poucas palavras?',
  order: 'Fico na minha tarefa: responder a perguntas com os artigos deste site. O que gostaria de saber?',
  page: 'Esta é a página “{title}”.',
  pageParts: 'Estas são as suas seções:',
  pageUnknown: 'Não consigo ler esta página, mas posso responder a perguntas com os artigos.',
  topics: 'Por exemplo, pode me perguntar sobre:',
  contact: 'Pode falar com a equipe aqui: {contact}',
  nothingFound: 'Não encontrei nada sobre isto nos artigos publicados.',
  nearest: 'Os tópicos mais próximos são:',
  unsure: 'Não tenho certeza do que quer dizer. É um destes tópicos?',
  refused: 'Não posso responder a isso.',
};
