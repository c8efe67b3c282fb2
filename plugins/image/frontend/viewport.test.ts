import { describe, expect, it } from 'vitest';
import {
  ACTUAL,
  fitting,
  overflows,
  panned,
  parseZoom,
  pixelAt,
  placed,
  zoomedAt,
  zoomText,
  type Zoom,
} from './viewport';

const area = { width: 200, height: 100 };

describe('where a picture lies', () => {
  it('fits and is in the middle without a zoom, small ones enlarged', () => {
    expect(placed(area, { width: 10, height: 10 }, null)).toEqual({ left: 50, top: 0, scale: 10 });
    expect(placed(area, { width: 400, height: 100 }, null)).toEqual({ left: 0, top: 25, scale: 0.5 });
    expect(fitting({ width: 0, height: 0 }, { width: 5, height: 5 })).toBe(1);
  });

  it('leaves no gap next to a picture that is larger than the area', () => {
    const large = { width: 1000, height: 1000 };
    expect(placed(area, large, { scale: 1, x: 0, y: 0 })).toEqual({ left: 0, top: 0, scale: 1 });
    expect(placed(area, large, { scale: 1, x: 1, y: 1 })).toEqual({ left: -800, top: -900, scale: 1 });
    expect(placed(area, { width: 20, height: 20 }, ACTUAL)).toEqual({ left: 90, top: 40, scale: 1 });
  });

  it('keeps the pixel under the pointer while it is zoomed', () => {
    const picture = { width: 400, height: 200 };
    let zoom: Zoom | null = null;
    const at = [120, 30] as const;
    const before = pixelAt(area, picture, zoom, ...at);
    for (let i = 0; i < 4; i++) zoom = zoomedAt(area, picture, zoom, 1.7, ...at);
    expect(zoom?.scale).toBeCloseTo(0.5 * 1.7 ** 4);
    expect(pixelAt(area, picture, zoom, ...at)).toEqual(before);
  });

  it('is all seen again after zooming out, and never grows without end', () => {
    const picture = { width: 400, height: 200 };
    expect(zoomedAt(area, picture, { scale: 0.6, x: 0.5, y: 0.5 }, 0.1, 0, 0)).toBeNull();
    expect(zoomedAt(area, picture, null, 1000, 0, 0)?.scale).toBe(64);
    expect(zoomedAt(area, { width: 5, height: 5 }, null, 1000, 0, 0)?.scale).toBe(160);
    expect(zoomedAt(area, { width: 10, height: 10 }, null, 0.01, 100, 50)?.scale).toBe(1);
  });

  it('follows the hand', () => {
    const picture = { width: 1000, height: 1000 };
    const zoom = { scale: 1, x: 0.5, y: 0.5 };
    const after = panned(area, picture, zoom, 30, -20);
    expect(placed(area, picture, after).left - placed(area, picture, zoom).left).toBeCloseTo(30);
    expect(placed(area, picture, after).top - placed(area, picture, zoom).top).toBeCloseTo(-20);
    expect([
      overflows(area, picture, zoom),
      overflows(area, picture, null),
      overflows(area, { width: 9, height: 9 }, zoom),
    ]).toEqual([true, false, false]);
  });

  it('knows the pixel at a place, and none outside the picture', () => {
    const picture = { width: 10, height: 10 };
    expect(pixelAt(area, picture, null, 50, 0)).toEqual({ x: 0, y: 0 });
    expect(pixelAt(area, picture, null, 149.9, 99.9)).toEqual({ x: 9, y: 9 });
    expect(pixelAt(area, picture, null, 49, 5)).toBeNull();
    expect(pixelAt(area, picture, null, 150, 5)).toBeNull();
  });

  it('stands in the URL', () => {
    const zoom = { scale: 2.5, x: 0.123456, y: 1 };
    expect(zoomText(zoom)).toBe('2.5,0.1235,1');
    expect(parseZoom('2.5,0.1235,1')).toEqual({ scale: 2.5, x: 0.1235, y: 1 });
    for (const wrong of ['', '1', '0,0,0', '4097,0,0', '1,2,0', '1,0,-1', 'a,b,c', '1,NaN,0'])
      expect(parseZoom(wrong)).toBeNull();
  });
});
