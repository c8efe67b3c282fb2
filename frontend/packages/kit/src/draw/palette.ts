import type { Theme } from '@insight-host/api';

/** Colours of everything that is not a line. */
export interface Palette {
  readonly text: string;
  readonly faint: string;
  readonly grid: string;
  readonly axis: string;
  readonly surface: string;
  readonly accent: string;
  readonly danger: string;
}

const PLAIN: Readonly<Record<Theme['mode'], Palette>> = {
  light: {
    text: '#1f2328',
    faint: '#636c76',
    grid: '#e8ebef',
    axis: '#c5ccd4',
    surface: '#ffffff',
    accent: '#1f6feb',
    danger: '#d1242f',
  },
  dark: {
    text: '#e6edf3',
    faint: '#9198a1',
    grid: '#262c35',
    axis: '#454d58',
    surface: '#161b22',
    accent: '#5aa2ff',
    danger: '#ff5c5c',
  },
};

export function palette(theme: Theme): Palette {
  const plain = PLAIN[theme.mode];
  const token = (name: string, otherwise: string): string => theme.token(name).trim() || otherwise;
  return {
    text: token('--text', plain.text),
    faint: token('--muted', plain.faint),
    grid: token('--grid', plain.grid),
    axis: token('--border-strong', plain.axis),
    surface: token('--surface', plain.surface),
    accent: token('--accent', plain.accent),
    danger: token('--danger', plain.danger),
  };
}
