import type { LlmSettings } from '../settings/model.ts';
import { MESSAGES } from './anthropic-messages.ts';
import { type OnRefusedField, openChatCompletions } from './chat-completions.ts';
import type { Model } from './model.ts';

/** Opens the model of the settings, in the protocol of its provider. */
export function openModel(settings: LlmSettings, onRefusedField?: OnRefusedField): Model {
  const protocol = settings.provider === 'anthropic' ? MESSAGES : undefined;
  return openChatCompletions(settings, onRefusedField, protocol);
}
