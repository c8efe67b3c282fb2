// @vitest-environment happy-dom
import { describe, expect, it } from 'vitest';
import type { LineChartProps } from '@insight-host/api';
import { figure } from './figure';
import { listenToPointer, type Change } from './pointer';

function setUp() {
  const theme = { mode: 'light' as const, token: () => '#000' };
  const props: LineChartProps = { lines: [], xKind: 'step', xLabel: 'x', yLabel: 'y', title: 't', theme, locale: 'en', description: 'd', xExtent: [0, 100] };
  const drawn = figure(props, { x: null, y: null }, { width: 400, height: 200, ratio: 1, labelled: false });
  const element = document.createElement('div');
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
  const at = (type: string, clientX: number, clientY: number): void =>
    void element.dispatchEvent(Object.assign(new MouseEvent(type, { clientX, clientY, button: 0 }), { pointerId: 1, pointerType: 'mouse' }));
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
});
