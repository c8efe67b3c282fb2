// @vitest-environment happy-dom
import { describe, expect, it } from 'vitest';
import type { LineChartProps } from './props';
import { figure } from './figure';
import { listenToPointer, type Change } from './pointer';

function setUp() {
  const theme = { mode: 'light' as const, token: () => '#000' };
  const props: LineChartProps = {
    lines: [],
    xKind: 'step',
    xLabel: 'x',
    yLabel: 'y',
    title: 't',
    theme,
    locale: 'en',
    description: 'd',
    xExtent: [0, 100],
  };
  const drawn = figure(props, { x: null, y: null }, { width: 400, height: 200, ratio: 1, labelled: false });
  const element = document.body.appendChild(document.createElement('div'));
  element.setPointerCapture = () => undefined;
  const looks: (readonly [Change, string])[] = [];
  const stop = listenToPointer(element, {
    figure: () => drawn,
    tool: () => 'box',
    look: (change, how) => void looks.push([change, how]),
    select: () => undefined,
    point: () => undefined,
    click: () => undefined,
  });
  const at = (type: string, clientX: number, clientY: number, finger = 0): void =>
    void element.dispatchEvent(
      Object.assign(new MouseEvent(type, { clientX, clientY, button: 0 }), {
        pointerId: finger,
        pointerType: finger ? 'touch' : 'mouse',
      }),
    );
  const press = (from: readonly [number, number], to: readonly [number, number]): void => {
    at('pointerdown', ...from);
    if (from !== to) at('pointermove', ...to);
    at('pointerup', ...to);
  };
  return { looks, press, at, stop };
}

describe('the pointer', () => {
  it('zooms with every drag, also with two from one place, which browsers call a double click', () => {
    const { looks, press, at } = setUp();
    for (let n = 0; n < 2; n++) press([100, 40], [200, 120]);
    at('dblclick', 200, 120);
    expect(looks.map(([, how]) => how)).toEqual(['zoom', 'zoom']);
  });

  it('shows everything after a double click that did not move', () => {
    const { looks, press, at } = setUp();
    const here = [150, 80] as const;
    for (let n = 0; n < 2; n++) press(here, here);
    at('dblclick', ...here);
    expect(looks).toEqual([[{ x: null, y: null }, 'reset']]);
  });

  it('zooms by two fingers around their middle', () => {
    const { looks, at } = setUp();
    at('pointerdown', 150, 80, 1);
    at('pointerdown', 250, 80, 2);
    at('pointermove', 100, 80, 1);
    at('pointermove', 300, 80, 2);
    at('pointerup', 300, 80, 2);
    at('pointermove', 200, 80, 1);
    at('pointerup', 200, 80, 1);
    expect(looks.every(([, how]) => how === 'zoom')).toBe(true);
    const [low, high] = looks.at(-1)?.[0].x ?? [0, 0];
    expect(high - low).toBeLessThan(60);
    expect((low + high) / 2).toBeCloseTo(50, -1);
  });

  it('zooms with one finger too, and stops where the page takes it to scroll', () => {
    const { looks, at } = setUp();
    at('pointerdown', 100, 40, 1);
    at('pointermove', 200, 120, 1);
    at('pointercancel', 200, 120, 1);
    expect(looks).toEqual([]);
    at('pointerdown', 100, 40, 1);
    at('pointermove', 200, 120, 1);
    at('pointerup', 200, 120, 1);
    expect(looks.map(([, how]) => how)).toEqual(['zoom']);
  });
});
