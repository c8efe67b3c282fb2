import { Icon, type IconName } from '@insight-host/kit';
import type { ButtonHTMLAttributes, JSX } from 'preact';

interface Props extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly icon: IconName | JSX.Element;
  /** The name of the button and, without a `title`, its tooltip. */
  readonly label: string;
  readonly small?: boolean;
}

/** A square button without text. */
export function IconButton({ icon, label, small, ...attributes }: Props) {
  return (
    <button
      type="button"
      class={`ih-button ih-quiet ih-square${small ? ' ih-small' : ''}`}
      aria-label={label}
      title={label}
      {...attributes}
    >
      {typeof icon === 'string' ? <Icon name={icon} /> : icon}
    </button>
  );
}
