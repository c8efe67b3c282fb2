import { iconClass, iconPath } from '../plugin/icons';

export function Icon({ name }: { name: string }) {
  return (
    <svg class={iconClass(name)} viewBox="0 0 16 16" aria-hidden="true">
      <path d={iconPath(name)} />
    </svg>
  );
}
