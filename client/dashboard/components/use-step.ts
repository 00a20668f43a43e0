import { notifications } from '@mantine/notifications';
import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { isGuideError } from '../../sdk/errors.ts';
import { useFreshPassword } from './fresh-password.tsx';
import { useTroubleText } from './trouble.tsx';

export type StepOptions<Answer, Input> = {
  /** What to read again once it is done. */
  readonly changes?: readonly QueryKey[];
  /** What to say when it is done. */
  readonly done?: string;
  readonly onDone?: (answer: Answer, input: Input) => void | Promise<void>;
  /** True when the error was dealt with at the place where it belongs, such as beside a field or as a conflict. */
  readonly onError?: (error: unknown, input: Input) => boolean;
};

/** Something that a person does: asks for the password where the service wants it, then says what came of it. */
export function useStep<Answer, Input = void>(
  act: (input: Input) => Promise<Answer>,
  { changes = [], done, onDone, onError }: StepOptions<Answer, Input> = {},
) {
  const client = useQueryClient();
  const troubleText = useTroubleText();
  const askPassword = useFreshPassword();
  return useMutation({
    mutationFn: async (input: Input) => {
      try {
        return await act(input);
      } catch (error) {
        if (!isGuideError(error, 'session/password_needed') || !(await askPassword())) throw error;
        return await act(input);
      }
    },
    onSuccess: async (answer, input) => {
      await Promise.all(changes.map((queryKey) => client.invalidateQueries({ queryKey })));
      await onDone?.(answer, input);
      if (done) notifications.show({ message: done });
    },
    onError: (error, input) => {
      if (onError?.(error, input) || isGuideError(error, 'session/password_needed')) return;
      notifications.show({ color: 'red', message: troubleText(error), autoClose: 12_000 });
    },
  });
}
