import type { Phrases } from './language.ts';

export const es: Phrases = {
  greeting: '¡Hola! ¿En qué puedo ayudarte?',
  thanks: '¡De nada! Si tienes otra pregunta, aquí estoy.',
  goodbye: '¡Hasta luego! Aquí estaré si te surge otra pregunta.',
  praise: '¡Me alegro! Si tienes otra pregunta, aquí estoy.',
  complaint: 'Lo siento mucho. Cuéntame en una frase qué ha pasado y buscaré una solución.',
  abuse: 'Me gustaría ayudarte. Dime en una frase qué estás buscando.',
  identity:
    'No soy una persona. Soy una guía automática: un programa que responde con los artículos de este sitio.',
  capabilities:
    'Soy la guía automática de {name}. Respondo preguntas con los artículos publicados y muestro de dónde sale cada respuesta.',
  person: 'Soy una guía automática y no puedo pasarte con nadie, pero el equipo está para ayudarte.',
  personUnavailable:
    'Soy una guía automática y no puedo ponerte en contacto con una persona. Dime de qué se trata y buscaré una respuesta.',
  gibberish: 'No te he entendido. ¿Puedes hacer tu pregunta en pocas palabras?',
  order: 'Me limito a mi tarea: responder preguntas con los artículos de este sitio. ¿Qué te gustaría saber?',
  page: 'Estás en la página «{title}».',
  pageParts: 'Estos son sus apartados:',
  pageUnknown: 'No puedo leer esta página, pero puedo responder preguntas con los artículos.',
  topics: 'Por ejemplo, puedes preguntarme por:',
  contact: 'Puedes contactar con el equipo aquí: {contact}',
  nothingFound: 'No he encontrado nada sobre esto en los artículos publicados.',
  nearest: 'Los temas más cercanos son:',
  unsure: 'No estoy seguro de lo que quieres decir. ¿Es alguno de estos temas?',
  refused: 'No puedo responder a esto.',
};
