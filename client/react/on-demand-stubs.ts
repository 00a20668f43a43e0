'use client';
import { createElement, type FunctionComponent, forwardRef, type ReactNode, type Ref } from 'react';
import type { CitationProps } from './answer-parts.tsx';
import type { ConsentProps } from './boot-parts.tsx';
import { type OnDemand, useOnDemand } from './load-on-demand.ts';
import type { Part } from './part.ts';

/** Stubs of parts that have nothing to show before the guide has booted. The parts are loaded meanwhile. */

export type { CitationProps, ConsentProps };

type Name =
  | 'Actions'
  | 'AskPerson'
  | 'Citation'
  | 'Consent'
  | 'Disclosure'
  | 'Feedback'
  | 'Handovers'
  | 'Sources'
  | 'Suggestions';

function onDemand<N extends Name>(name: N): OnDemand[N] {
  const stub = forwardRef<unknown>((props, ref) => {
    const part = useOnDemand()?.[name] as FunctionComponent<{ ref: Ref<unknown> }> | undefined;
    return part ? createElement(part, { ...props, ref }) : null;
  });
  return stub as unknown as OnDemand[N];
}

/** Says that an AI answers, where the law requires it, and that the browser's privacy signal was honoured. */
export const Disclosure: Part<'div'> = onDemand('Disclosure');

/** Asks for consent with the workspace's text and two equal buttons while a decision is needed. */
export const Consent: Part<'section', ConsentProps> = onDemand('Consent');

/** Questions to offer: first ones of the workspace, then those of the last answer. A click asks. */
export const Suggestions: Part<'div'> = onDemand('Suggestions');

/**
 * The number of a source. A click opens the cited words, where `Sources` shows them, else the article at these words.
 */
export const Citation: Part<'a', CitationProps> = onDemand('Citation');

/** The sources of an answer: links to articles, with quotes. Omits the quote when the answer already contains it. */
export const Sources: Part<'ol'> = onDemand('Sources');

/** The actions that the answer proposes: a button for each, and its outcome. Nothing happens without a click. */
export const Actions: Part<'ul'> = onDemand('Actions');

/** Asks whether a finished answer was helpful, if the workspace has enabled ratings. */
export const Feedback: Part<'div'> = onDemand('Feedback');

/**
 * A button that opens a form for a question to the team, where visitors can ask a person: below an answer that did not help,
 * and if the workspace always offers a person, below every answer and outside of messages.
 */
export const AskPerson: Part<'div'> = onDemand('AskPerson');

/** What the visitor asked the team after a message, with the replies. */
export const Handovers: (props: { above: string }) => ReactNode = onDemand('Handovers');
