import { describe, expect, it } from 'vitest';
import { makeScale, panBy, zoomAround } from './scale';
import { duration, linearTicks, logTicks, tickNumber, xTicks } from './ticks';

describe('scales', () => {
  it('go to pixels and back', () => {
    const linear = makeScale([10, 20], [100, 0]);
    expect(linear.toPixel(15)).toBe(50);
    expect(linear.toValue(25)).toBeCloseTo(17.5);
    const log = makeScale([1, 1000], [0, 300], true);
    expect(log.toPixel(10)).toBeCloseTo(100);
    expect(log.toValue(200)).toBeCloseTo(100);
  });

  it('have no place for what is not positive on a log axis', () => {
    const log = makeScale([1, 10], [0, 100], true);
    expect(log.toPixel(0)).toBeNaN();
    expect(log.toPixel(-1)).toBeNaN();
  });

  it('keep sub-second precision at wall times', () => {
    const scale = makeScale([1.7e9, 1.7e9 + 0.01], [0, 1000]);
    expect(scale.toPixel(1.7e9 + 0.005)).toBeCloseTo(500, 0);
  });

  it('zoom around a pixel, which keeps its value', () => {
    const scale = makeScale([0, 100], [0, 200]);
    const [lo, hi] = zoomAround(scale, 50, 0.5);
    expect([lo, hi]).toEqual([12.5, 62.5]);
    expect(panBy(scale, 20)).toEqual([-10, 90]);
  });
});

describe('ticks', () => {
  it('are round numbers inside the domain', () => {
    expect(linearTicks([0, 1], 5).map((t) => t.label)).toEqual(['0', '0.2', '0.4', '0.6', '0.8', '1.0']);
    expect(linearTicks([-1, 1], 2).map((t) => t.value)).toEqual([-1, 0, 1]);
  });

  it('stay short for very large, very small and nearly equal numbers', () => {
    expect(tickNumber(25_000, 5_000)).toBe('25k');
    expect(tickNumber(1_500_000, 500_000)).toBe('1.5M');
    expect(tickNumber(2e-7, 1e-7)).toBe('2e−7');
    expect(tickNumber(-0.5, 0.25)).toBe('−0.50');
    for (const [lo, hi] of [
      [1e-300, 3e-300],
      [1e30, 5e30],
      [-1e-9, 1e-9],
      [0, 5e-324],
    ] as const) {
      for (const tick of linearTicks([lo, hi], 5)) expect(tick.label.length).toBeLessThanOrEqual(9);
    }
  });

  it('of log axes are powers of ten, or plain ones within a decade', () => {
    expect(logTicks([0.001, 1000], 20).filter((t) => t.label).length).toBeGreaterThanOrEqual(7);
    expect(logTicks([1, 1e6], 4).every((t) => Number.isInteger(Math.log10(t.value)))).toBe(true);
    expect(logTicks([2, 4], 4).map((t) => t.value)).toEqual([2, 2.5, 3, 3.5, 4]);
  });

  it('of steps are whole', () => {
    expect(xTicks('step', [0, 3], false, 10, 'en').map((t) => t.label)).toEqual(['0', '1', '2', '3']);
  });

  it('of durations say units', () => {
    expect(duration(Number.NaN, 'en')).toBe('–');
    expect(duration(5400, 'en')).toBe('1h 30m');
    expect(duration(5400, 'zh-CN')).toBe('1时30分');
    expect(duration(59.94, 'en')).toBe('59.9s');
    expect(xTicks('relative', [0, 7200], false, 4, 'en').map((t) => t.value)).toEqual([0, 1800, 3600, 5400, 7200]);
  });

  it('of wall time stand at round local times', () => {
    const start = new Date(2024, 2, 30, 22, 10).getTime() / 1000;
    const ticks = xTicks('wall', [start, start + 4 * 3600], false, 4, 'en');
    expect(ticks.map((t) => new Date(t.value * 1000).getMinutes())).toEqual(ticks.map(() => 0));
    expect(ticks.map((t) => t.label)).toContain('Mar 31');
    expect(xTicks('wall', [start, start + 0.01], false, 4, 'zh-CN').length).toBeGreaterThan(1);
    expect(xTicks('wall', [start, start + 400 * 86400], false, 4, 'zh-CN').length).toBeGreaterThan(1);
  });
});
