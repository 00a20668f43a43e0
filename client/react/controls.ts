import type { ActionEvent, FeedbackRating, Guide } from '@guidepost/client';
import type { HandoverFields, SentTurn } from '../handover.ts';
import type { ActionOutcome, GuideState, VoiceControl } from './state.ts';

/** Actions of a visitor. These functions never change. */
export type GuideControls = {
  /** Asks a question. Ignored while another is being answered, and when there is nothing to ask. */
  send: (text: string) => void;
  /** Stops the answer that is being written, here and at the service. */
  stop: () => void;
  /** Asks the last question again if its answer has failed or was stopped, and boots again if that has failed. */
  retry: () => void;
  /** Rates an answer by the `id` of its message; the last rating counts. False when it could not be saved. */
  feedback: (messageId: string, rating: FeedbackRating, comment?: string) => Promise<boolean>;
  /** Does what an answer proposes. Call it when the visitor agreed. The outcome is reported with the next question. */
  perform: (action: ActionEvent) => Promise<ActionOutcome>;
  /** Turns a proposal down. */
  decline: (action: ActionEvent) => void;
  /** Returns the methods of the client that list, search and read the published articles. Nothing is recorded. */
  help: () => Pick<Guide, 'articles' | 'searchArticles' | 'article'>;
  /** Begins a question to the team: reads what of the conversation can be sent with it. Call it to show a form. */
  openHandover: () => Promise<HandoverForm>;
  /** Replaces the text in the composer. */
  setDraft: (draft: string) => void;
  /** Deletes the visitor's data at the service and on the device, and starts as a new visitor. Rejects when that fails. */
  erase: () => Promise<void>;
};

/** A form for a question to the team. */
export type HandoverForm = {
  /** The page and the language that are sent. */
  pageUrl: string;
  locale: string;
  /** What can be sent of the conversation, oldest first. */
  turns: readonly SentTurn[];
  /**
   * Sends the question and, if the visitor agreed, `turns`. Rejects when that fails. The same question, sent again, is stored
   * once.
   */
  send: (question: HandoverFields, sendsTurns: boolean) => Promise<void>;
};

export type ConsentControls = {
  /** Records that the visitor agrees. `state` becomes `granted` when it is recorded, else `hasFailed` is true. */
  accept: () => Promise<void>;
  /** Records that the visitor refuses, or withdraws an earlier consent. */
  deny: () => Promise<void>;
};

/** A guide as components use it: its state, and a subscription to changes of the state. */
export type GuideSource = GuideControls &
  ConsentControls & {
    /** Where the service is. */
    baseUrl: string;
    voice: VoiceControl;
    getState: () => GuideState;
    subscribe: (listener: () => void) => () => void;
  };
