import type { Locale } from '@insight-host/api';
import { describe, expect, it } from 'vitest';
import { makeScale, panBy, zoomAround } from './area';
import { linearTicks, logTicks, tickNumber, xTicks } from './ticks';

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
    expect(linearTicks([0, 1], 5).map((t) => t.label)).toEqual(['0.0', '0.2', '0.4', '0.6', '0.8', '1.0']);
    expect(linearTicks([-1, 1], 2).map((t) => t.value)).toEqual([-1, 0, 1]);
  });

  it('stay short for very large, very small and nearly equal numbers', () => {
    expect(tickNumber(25_000, 5_000)).toBe('25k');
    expect(tickNumber(1_500_000, 500_000)).toBe('1.5M');
    expect(tickNumber(100_000_005, 5)).toBe('100000005'); // and not 100000.005k
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

  it('of one axis have one notation: as many decimals, one unit, one power of ten', () => {
    const labels = (lo: number, hi: number, count: number): string[] =>
      linearTicks([lo, hi], count).map((tick) => tick.label);
    expect(labels(0.5, 1.5, 2)).toEqual(['0.5', '1.0', '1.5']);
    expect(labels(0, 12_000, 6)).toEqual(['0', '2k', '4k', '6k', '8k', '10k', '12k']);
    expect(labels(0, 2e6, 4)).toEqual(['0', '0.5M', '1.0M', '1.5M', '2.0M']);
    expect(labels(-1e-6, 1e-6, 4)).toEqual(['−1.0e−6', '−0.5e−6', '0', '0.5e−6', '1.0e−6']);
    expect(labels(8e-7, 1.2e-6, 4)).toEqual(['0.8e−6', '0.9e−6', '1.0e−6', '1.1e−6', '1.2e−6']);
    expect(xTicks('step', [0, 20_000], false, 4, 'en').map((tick) => tick.label)).toEqual([
      '0',
      '5k',
      '10k',
      '15k',
      '20k',
    ]);
  });

  it('of a log axis have one notation, too', () => {
    const labels = (lo: number, hi: number, count: number): string[] =>
      logTicks([lo, hi], count).flatMap((tick) => tick.label || []);
    expect(labels(1e-5, 10, 10)).toEqual(['10⁻⁵', '10⁻⁴', '10⁻³', '10⁻²', '10⁻¹', '10⁰', '10¹']);
    expect(labels(0.01, 100, 6)).toEqual(['0.01', '0.1', '1', '10', '100']);
    expect(labels(1e-6, 1e-5, 9)).toEqual(['1e−6', '2e−6', '5e−6', '1e−5']);
    expect(labels(1, 100, 9)).toEqual(['1', '2', '5', '10', '20', '50', '100']);
  });

  it('of a log axis are minor between those with text, where there is room', () => {
    const minor = (lo: number, hi: number, count: number): number[] =>
      logTicks([lo, hi], count).flatMap((tick) => (tick.minor ? [tick.value] : []));
    expect(minor(1, 100, 3)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 20, 30, 40, 50, 60, 70, 80, 90]);
    expect(minor(1, 10, 9)).toEqual([3, 4, 6, 7, 8, 9]);
    expect(minor(1, 1e6, 2)).toEqual([]);
    expect(logTicks([1, 1e6], 2).map((tick) => tick.label)).toEqual(['10⁰', '', '', '10³', '', '', '10⁶']);
    expect(logTicks([1e-300, 1e300], 4).length).toBeLessThan(7);
  });

  it('of log axes are powers of ten, or plain ones within a decade', () => {
    expect(logTicks([0.001, 1000], 20).filter((t) => t.label).length).toBeGreaterThanOrEqual(7);
    const named = logTicks([1, 1e6], 3).filter((t) => t.label);
    expect(named.map((t) => t.value)).toEqual([1, 100, 1e4, 1e6]);
    expect(logTicks([2, 4], 4).map((t) => t.value)).toEqual([2, 2.5, 3, 3.5, 4]);
  });

  it('of steps are whole', () => {
    expect(xTicks('step', [0, 3], false, 10, 'en').map((t) => t.label)).toEqual(['0', '1', '2', '3']);
  });

  it('of durations say units', () => {
    const labels = (locale: Locale) => xTicks('relative', [0, 7200], false, 4, locale).map((t) => t.label);
    expect(labels('en')).toEqual(['0 s', '30 m', '1 h', '1 h 30 m', '2 h']);
    expect(labels('zh-CN')).toEqual(['0秒', '30分', '1时', '1时30分', '2时']);
    expect(xTicks('relative', [0, 7200], false, 4, 'en').map((t) => t.value)).toEqual([0, 1800, 3600, 5400, 7200]);
  });

  it('of times beyond all dates are numbers', () => {
    for (const domain of [
      [1.7e9, 9e12],
      [9e12, 9e12 + 60],
      [-1e300, 1e300],
    ] as const) {
      const ticks = xTicks('wall', domain, false, 4, 'en');
      expect(ticks.length).toBeGreaterThan(1);
      expect(ticks.map(({ label }) => label).join()).not.toContain('Invalid');
    }
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
