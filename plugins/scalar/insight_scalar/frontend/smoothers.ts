/** Ways to smooth, as the host names them (`smoother`); `ema` is TensorBoard's. */
export type Smoother = 'ema' | 'twema' | 'gaussian' | 'mean';
export const SMOOTHERS: readonly Smoother[] = ['ema', 'twema', 'gaussian', 'mean'];

/** Whether a smoothed point depends on later ones, so that new points change old ones. */
export function looksAhead(smoother: Smoother): boolean {
  return smoother === 'gaussian' || smoother === 'mean';
}
