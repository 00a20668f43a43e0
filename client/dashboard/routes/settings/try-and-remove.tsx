import { Button, Group } from '@mantine/core';
import { useConfirm } from '../../components/use-action.tsx';

type Pending = { isPending: boolean };
type Props = {
  tryLabel: string;
  trial: Pending;
  onTry: () => void;
  /** Confirms the removal. Absent while nothing is stored. */
  question: { title: string; lead: string; confirm: string } | undefined;
  removal: Pending & { mutate: () => void };
};

/** The buttons below a form with the settings of a server: one tries the entered settings, one removes the stored ones. */
export function TryAndRemove({ tryLabel, trial, onTry, question, removal }: Props) {
  const confirm = useConfirm();
  return (
    <Group>
      <Button variant="default" loading={trial.isPending} onClick={onTry}>
        {tryLabel}
      </Button>
      {question && (
        <Button
          variant="default"
          loading={removal.isPending}
          onClick={() => confirm(question, removal.mutate)}
        >
          {question.confirm}
        </Button>
      )}
    </Group>
  );
}
