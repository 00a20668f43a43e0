import { Button, Group } from '@mantine/core';
import { useConfirm } from '../../components/use-action.tsx';

type Pending = { isPending: boolean };
type Props = {
  tryLabel: string;
  trial: Pending;
  onTry: () => void;
  /** The question before what is stored is removed. Absent while nothing is stored. */
  question: { title: string; lead: string; confirm: string } | undefined;
  removal: Pending & { mutate: () => void };
};

/** The buttons below the form of a server: one tries what was entered, one removes what is stored. */
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
