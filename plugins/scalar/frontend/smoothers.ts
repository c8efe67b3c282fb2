/** Ways to smooth, as the host names them (`smoother`); `ema` is TensorBoard's. */
export type Smoother = 'ema' | 'twema' | 'gaussian' | 'mean';
export const SMOOTHERS: readonly Smoother[] = ['ema', 'twema', 'gaussian', 'mean'];

/** Whether the page can do it. */
export function canSmooth(smoother: Smoother): boolean {
  return smoother === 'ema';
}

const UNIT_POINTS = 101; // that decide the unit of time of `twema`, see _GAPS in smoothers.py

/** Whether new points leave the smoothed ones of a series of so many points as they are. */
export function isSettled(smoother: Smoother, points: number): boolean {
  return smoother === 'ema' || (smoother === 'twema' && points >= UNIT_POINTS);
}
