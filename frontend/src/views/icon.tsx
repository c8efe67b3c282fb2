import { iconPath } from '../plugin/icons';

export function Icon({ name }: { name: string }) {
  return (
    <svg class="ih-icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={iconPath(name)} />
    </svg>
  );
}
