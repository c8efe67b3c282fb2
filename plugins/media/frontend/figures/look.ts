import type { Disposer, Theme } from '@insight-host/api';
import type { Figure } from '../board';

/** Colours of the page and the room that there is, in CSS pixels. */
export interface Look {
  readonly text: string;
  readonly muted: string;
  readonly grid: string;
  readonly font: string;
  readonly width: number;
  readonly height: number;
}

/** Draws a figure into an element; what it returns takes the figure away. Rejects with the reason for the user. */
export type Draw = (host: HTMLElement, figure: Figure, look: Look) => Promise<Disposer>;

export function lookOf(theme: Theme, width: number, height: number): Look {
  return {
    text: theme.token('--text'),
    muted: theme.token('--muted'),
    grid: theme.token('--border'),
    font: theme.token('--font') || 'sans-serif',
    width,
    height,
  };
}
