import { createContext, useContext } from 'react';
import { type Answer, isAnswer, type Message } from './state.ts';

export type MessageScope = { message: Message; id: string };
export const MessageContext = createContext<MessageScope | undefined>(undefined);

export function useMessage(): MessageScope {
  const scope = useContext(MessageContext);
  if (!scope) throw new Error('This component belongs inside of <Guide.Message>.');
  return scope;
}

/** Returns the answer around these parts; undefined in a question. */
export function useAnswer(): Answer | undefined {
  const { message } = useMessage();
  return isAnswer(message) ? message : undefined;
}
