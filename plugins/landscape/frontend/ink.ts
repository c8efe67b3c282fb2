import type { Theme } from '@insight-host/api';
import type { Ink } from './plan';

export function inkOf(theme: Theme): Ink {
  return {
    text: theme.token('--text'),
    muted: theme.token('--muted'),
    grid: theme.token('--grid'),
    border: theme.token('--border-strong'),
    surface: theme.token('--surface'),
    hole: theme.token('--hover'),
  };
}
