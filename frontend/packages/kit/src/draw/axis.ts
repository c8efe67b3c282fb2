/** What charts have along their axes. */
export type Numbers = Float64Array | Float32Array | readonly number[];

/** Of x: the number of the step, seconds since the first one, or the time of day. */
export type XKind = 'step' | 'relative' | 'wall';

/** Of an axis, which may have any numbers. */
export type AxisKind = XKind | 'number';
