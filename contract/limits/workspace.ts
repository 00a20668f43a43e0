import { KIB } from './units.ts';

/** The protocols of language models' servers. */
export const MODEL_PROVIDERS = ['openai', 'anthropic'] as const;

/** Limits of a workspace's settings and of its inbox. */
export const WORKSPACE_LIMITS = {
  /** Changes to a workspace, its origins or flags affect running visitors within this time. */
  workspaceCacheMillis: 1000,
  /** A hundred origins, thirty rules and their questions of maximum length, each character up to twelve bytes. */
  settingsBodyBytesMax: 640 * KIB,
  /** Five years. */
  retentionDaysMax: 1826,
  workspaceNameCharsMax: 200,
  allowedOriginsMax: 100,
  /** Newest rejected origins that are kept. */
  refusedOriginsMax: 20,
  regionRulesMax: 50,
  /** Few, because every boot response contains all rules. */
  pathRulesMax: 30,
  pathPatternCharsMax: 200,
  pathRuleSuggestionsMax: 4,
  brandTitleCharsMax: 60,
  launcherLabelCharsMax: 24,
  /** Answers below this confidence are reviewed in the inbox. */
  inboxLowConfidence: 0.5,
  inboxQuestionsMax: 50,
  inboxAskAgainMax: 10,
  /** Characters by which questions are compared, and that lists of them show. */
  questionCharsMax: 300,
  /** How long the words of unanswered questions without a visitor are kept, if a workspace keeps them. */
  anonymousQuestionDays: 30,
  anonymousQuestionsMax: 100,
  siteAddressCharsMax: 2048,
  /** An address and the reason why it cannot be read, or directives of a policy. */
  siteFindingCharsMax: 3000,
  answerTestsMax: 500,
  /** Long questions do not fit into the index that keeps each of them once. */
  answerTestQuestionCharsMax: 500,
  answerTestSuggestionsMax: 100,
  /** All questions of a workspace at their maximum length, each character up to three bytes. */
  answerTestsBodyBytesMax: 1024 * KIB,
  /** Tests that are not checked in this time before a publication run after it. */
  answerTestCheckSeconds: 20,
  suggestionsMax: 10,
  /** Rules of a workspace for its language model, and their limits. */
  rulesMax: 30,
  ruleNameCharsMax: 60,
  ruleConditionCharsMax: 300,
  ruleTextCharsMax: 4000,
  /** All texts and conditions together, because every prompt contains them. */
  rulesCharsMax: 8000,
  modelAddressCharsMax: 512,
  modelNameCharsMax: 200,
  modelKeyCharsMax: 1024,
  /** Maximum time of a test. */
  modelTestSeconds: 60,
  /** Fewer tokens are not enough for an answer. */
  turnTokensMin: 500,
} as const;
