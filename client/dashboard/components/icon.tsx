import shapes from 'virtual:icons';
import type { ComponentPropsWithRef } from 'react';
import type { ICONS } from '../icons.ts';

export type IconName = (typeof ICONS)[number];

type IconProps = Pick<ComponentPropsWithRef<'svg'>, 'className' | 'aria-label'> & {
  name: IconName;
  /** Width and height in pixels. */
  size?: number;
};

/** An icon of Tabler Icons, hidden from screen readers unless it has a label. */
export function Icon({ name, size = 16, ...svg }: IconProps) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      {...(svg['aria-label'] ? { role: 'img' } : { 'aria-hidden': true })}
      // biome-ignore lint/security/noDangerouslySetInnerHtml: the build inserts these shapes
      dangerouslySetInnerHTML={{ __html: shapes[name] ?? '' }}
      {...svg}
    />
  );
}
