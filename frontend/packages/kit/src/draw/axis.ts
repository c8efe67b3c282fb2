import type { XKind } from '@insight-host/kit/lab';

/** What charts have along their axes. */
export type Numbers = Float64Array | Float32Array | readonly number[];

export type { XKind };

/** Of an axis, which may have any numbers. */
export type AxisKind = XKind | 'number';

export interface Tick {
  readonly value: number;
  /** Empty for a tick without text. */
  readonly label: string;
  /** A short line at the axis, between ticks that have grid lines. */
  readonly minor?: boolean;
}
