import { describe, expect, it } from 'vitest';
import { plotOf, planPicture, type Look } from './plan';
import { isWhole, movedBy, NEAREST, planViewCodec, seenOf, WHOLE, zoomedAt } from './view';
import { lossScale } from './scale';
import { landscapeOf } from './testing';

const PLANE = { x: [-1, 3], y: [0, 10] } as const;

describe('the part of a plane that is seen', () => {
  it('comes nearer around a place, which stays where it is', () => {
    const near = zoomedAt(WHOLE, 4, 0.25, 0.75);
    const { x, y } = seenOf(PLANE, near);
    expect([x[1] - x[0], y[1] - y[0]]).toEqual([1, 2.5]);
    expect([x[0] + 0.25 * (x[1] - x[0]), y[0] + 0.75 * (y[1] - y[0])]).toEqual([0, 7.5]);
    expect(seenOf(PLANE, zoomedAt(near, 2, 0.25, 0.75)).x).toEqual([-0.125, 0.375]);
  });

  it('moves with the pointer and ends with the plane', () => {
    const middle = zoomedAt(WHOLE, 2, 0.5, 0.5);
    expect(seenOf(PLANE, movedBy(middle, 0.25, 0))).toEqual({ x: [-0.5, 1.5], y: [2.5, 7.5] });
    expect(seenOf(PLANE, movedBy(middle, -9, 9))).toEqual({ x: [1, 3], y: [0, 5] });
    expect(movedBy(WHOLE, 0.3, 0.3)).toEqual(WHOLE);
  });

  it('is the whole plane at most, and not too small to read', () => {
    expect(isWhole(zoomedAt(zoomedAt(WHOLE, 4, 0, 1), 0.01, 0.7, 0.2))).toBe(true);
    expect(seenOf(PLANE, zoomedAt(zoomedAt(WHOLE, 4, 0, 1), 0.25, 1, 0))).toBe(PLANE);
    expect(zoomedAt(WHOLE, 1e9, 0, 0)).toEqual({ x: 0.5 / NEAREST, y: 0.5 / NEAREST, zoom: NEAREST });
  });

  it('stands in the URL until it is the whole plane', () => {
    expect(planViewCodec.format(WHOLE)).toBeNull();
    const view = { x: 0.25, y: 0.5, zoom: 4 };
    expect(planViewCodec.format(view)).toBe('0.25~0.5~4');
    expect(planViewCodec.parse('0.25~0.5~4')).toEqual(view);
    expect(planViewCodec.parse('0~2~4')).toEqual({ x: 0.125, y: 0.875, zoom: 4 });
    for (const text of [null, '', '0.5', '0.5~0.5', '~~', 'a~b~c', '0.5~0.5~2~1'])
      expect(planViewCodec.parse(text)).toEqual(WHOLE);
  });

  it('is drawn within the plot, with its own numbers at the axes', () => {
    const landscape = landscapeOf([-1, 1, 3], [0, 10], [0, 1, 4, 0, 1, 4]);
    const look: Look = {
      form: 'topographic',
      scale: lossScale(0, 4, false),
      extent: seenOf(PLANE, zoomedAt(WHOLE, 4, 0, 0)),
      ramp: 'gray',
      levels: 3,
      bar: false,
      front: null,
      path: { color: '#ff0000', width: 2 },
      ink: { text: '#111', muted: '#222', grid: '#333', border: '#444', surface: '#555', hole: '#666' },
    };
    const plot = plotOf(400, 300, look);
    expect(plotOf(400, 300, { ...look, extent: PLANE })).toEqual(plot); // it is where the whole plane was
    const { marks } = planPicture([{ landscape, run: 'a', name: 'a', color: '#00f' }], look, 400, 300);
    const clips = marks.flatMap((mark) => ('clip' in mark && mark.clip ? [mark.clip] : []));
    expect(clips.length).toBeGreaterThan(0);
    for (const clip of clips) expect(clip).toEqual(plot);
    const texts = marks.flatMap((mark) => (mark.kind === 'text' ? [mark.text] : []));
    expect(texts).toContain('−1');
    expect(texts).not.toContain('3');
  });
});
