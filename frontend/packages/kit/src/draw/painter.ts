/** What a picture is painted with, on a canvas or as SVG, and in which colours. */
import type { Theme } from '@insight-host/api';

export interface Stroke {
  readonly color: string;
  readonly width: number;
  readonly dash?: readonly number[];
  readonly alpha?: number;
}

export interface TextStyle {
  readonly color: string;
  readonly size?: number;
  readonly align?: 'left' | 'center' | 'right';
  readonly baseline?: 'top' | 'middle' | 'bottom';
  readonly weight?: 'normal' | 'bold';
  readonly maxWidth?: number;
  /** Reads upwards: turned by a quarter about its place. */
  readonly turned?: boolean;
}

/** Joined-up points in pixels: x, y interleaved; `starts[i]` is the point at which the i-th polyline begins. */
export interface Polylines {
  readonly points: Float64Array;
  readonly starts: readonly number[];
  readonly end: number;
}

/** What the chart is drawn with. Coordinates are CSS pixels; the screen and the SVG file are two of these. */
export interface Painter {
  /** Width of one device pixel in CSS pixels: the thinnest line. */
  readonly hairline: number;
  polylines(lines: Polylines, stroke: Stroke): void;
  segment(x1: number, y1: number, x2: number, y2: number, stroke: Stroke): void;
  polygon(points: Float64Array | readonly number[], color: string, alpha?: number): void;
  circle(x: number, y: number, radius: number, color: string): void;
  rectangle(x: number, y: number, width: number, height: number, color: string): void;
  text(x: number, y: number, text: string, style: TextStyle): void;
  clipped(x: number, y: number, width: number, height: number, draw: () => void): void;
}

export const FONT =
  'Inter, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Noto Sans CJK SC", "PingFang SC", ' +
  '"Microsoft YaHei", sans-serif';

/** Width of a text in pixels where it cannot be measured: CJK is as wide as high, other letters 0.56 of it. */
export function estimatedWidth(text: string, size: number): number {
  let width = 0;
  for (const letter of text) width += (letter.codePointAt(0) ?? 0) >= 0x2e80 ? 1 : 0.56;
  return width * size;
}

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
