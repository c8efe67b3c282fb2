import type { Locale } from '@insight-host/api';
import { expect, test } from 'vitest';
import { type AxisKind, makeScale, type Tick } from './area';
import { fittingTicks, textPlace, xTicks } from './ticks';
import { estimatedWidth } from './painter';

const B = 2 ** 53;
const DOMAINS: [kind: AxisKind, low: number, high: number, log?: boolean][] = [
  ['step', 0, 10],
  ['step', 1e8, 1e8 + 10],
  ['step', 1.5e9, 1.5e9 + 1e4],
  ['step', 1e10, 1e10 + 10],
  ['step', B, B + 8],
  ['step', -(2 ** 63), 2 ** 63],
  ['step', 2 ** 62, 2 ** 62 + 1e5],
  ['step', 1, 1e9, true],
  ['step', 1e9, 1.5e9, true],
  ['number', 1e9, 1e9 + 0.01],
  ['number', 1e-300, 1e-299],
  ['number', 1e-12, 1e12, true],
  ['number', 12_345.678, 12_345.679, true],
  ['relative', 0, 1e-3],
  ['relative', 1e6, 1e6 + 5],
  ['relative', 1, 1e7, true],
  ['relative', 0, 1e9],
  ['wall', 1.7e9, 1.7e9 + 0.05],
  ['wall', 1.7e9, 1.7e9 + 40],
  ['wall', 1.7e9, 1.7e9 + 3e5],
  ['wall', 0, 1.7e9],
  ['wall', 1.7e12, 1.7e12 + 1e4],
];

/** Texts with their places, by letters of a wide font. */
function texts(ticks: readonly Tick[], place: (tick: Tick) => number): [number, number, string][] {
  return ticks
    .filter(({ label }) => label)
    .map((tick) => {
      const half = (estimatedWidth(tick.label, 11) * 1.13) / 2;
      return [place(tick) - half, place(tick) + half, tick.label];
    });
}

test.each(DOMAINS)('labels of an axis of %ss from %d to %d never touch', (kind, low, high, log = false) => {
  for (const locale of ['en', 'zh-CN'] satisfies Locale[]) {
    for (const width of [90, 160, 240, 390, 700, 1280, 1920]) {
      const [scale, room] = [makeScale([low, high], [54, width - 14], log), [0, width] as const];
      const most = Math.floor((width - 68) / 48);
      const ticks = fittingTicks(scale, room, most, (count) => xTicks(kind, [low, high], log, count, locale));
      const found = texts(ticks, ({ value, label }) => textPlace(scale.toPixel(value), label, room));
      for (let i = 1; i < found.length; i++) expect(found[i]?.[0]).toBeGreaterThan(found[i - 1]?.[1] as number);
      for (const [from, to] of found) expect(from >= 0 && to <= width).toBe(true);
      if (kind !== 'wall') expect(new Set(found.map(([, , text]) => text)).size).toBe(found.length);
      if (width > 390) expect(found.length).toBeGreaterThan(1);
    }
  }
});

test('an axis with short labels keeps all of its ticks', () => {
  const scale = makeScale([0, 10], [54, 386]);
  const ticks = fittingTicks(scale, [0, 400], 6, (count) => xTicks('step', [0, 10], false, count, 'en'));
  expect(ticks.map(({ label }) => label)).toEqual(['0', '2', '4', '6', '8', '10']);
});
