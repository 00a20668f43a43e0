import { Badge, type BadgeProps } from '@mantine/core';
import type { TablerIcon } from '@tabler/icons-react';

/** The colours that dashboard.css has a readable text of, for light and dark. */
export type MarkColor = 'green' | 'orange' | 'teal' | 'blue' | 'grape' | 'gray';

type MarkProps = Pick<BadgeProps, 'children' | 'miw'> & {
  readonly color: MarkColor;
  readonly icon?: TablerIcon;
};

/** How something stands: a word on a colour, with a picture where it has one. */
export function Mark({ color, icon: Icon, ...badge }: MarkProps) {
  return (
    <Badge
      variant="light"
      color={color}
      className={`standing-${color}`}
      tt="none"
      leftSection={Icon && <Icon size={12} aria-hidden />}
      {...badge}
    />
  );
}
