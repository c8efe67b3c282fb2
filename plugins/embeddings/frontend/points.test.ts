import { describe, expect, it } from 'vitest';
import { FIRST_CAMERA, viewMatrix } from './camera';
import { coloringOf, firstColumn, painted } from './coloring';
import { Raster } from './raster';
import { pointsOfRanges, rangesOf } from './saved_selections';
import { matchesOf, type Column } from './source';

function column(name: string, cells: readonly string[], is_number = false): Column {
  const labels = [...new Set(cells)];
  return { name, labels, codes: cells.map((cell) => labels.indexOf(cell)), is_number };
}

describe('search', () => {
  it('finds points by a part of their label in whatever case', () => {
    const words = column('word', ['Apple', 'pear', 'pineapple', 'apple']);
    expect([...(matchesOf(words, ' APPLE ') ?? [])]).toEqual([0, 2, 3]);
    expect(matchesOf(words, ' ')).toBeNull();
    expect(matchesOf(null, 'a')).toBeNull();
  });
});

describe('ranges', () => {
  it.each([[[]], [[7]], [[0, 1, 2, 5, 7, 8]]])('keep %j', (points) => {
    expect([...(pointsOfRanges(rangesOf(Uint32Array.from(points)), 10) ?? [])]).toEqual(points);
  });

  it('are bounded by the points that exist, and nothing else is one', () => {
    expect([...(pointsOfRanges('8-999999999', 10) ?? [])]).toEqual([8, 9]);
    for (const text of ['a', '1-', '-1', '1,,2', '1e9', 5, null]) expect(pointsOfRanges(text, 10)).toBeNull();
  });
});

describe('colours', () => {
  it('give each label one, the most frequent first, and numbers in their order', () => {
    const { lines } = coloringOf(column('a', ['x', 'y', 'y', 'z', 'y', 'z']), 6, false, '#000000');
    expect(lines?.map(({ label, count }) => [label, count])).toEqual([
      ['y', 3],
      ['z', 2],
      ['x', 1],
    ]);
    expect(new Set(lines?.map(({ color }) => color)).size).toBe(3);
    const digits = coloringOf(column('a', ['10', '2', '2'], true), 3, false, '#000000').lines;
    expect(digits?.map(({ label }) => label)).toEqual(['2', '10']);
  });

  it('of many numbers are a ramp; an empty cell is grey', () => {
    const cells = Array.from({ length: 30 }, (_, i) => (i === 29 ? '' : String(i)));
    const { rgb, ramp } = coloringOf(column('a', cells, true), 30, false, '#000000');
    expect(ramp).toMatchObject({ low: 0, high: 28 });
    expect([...rgb.subarray(0, 3)]).toEqual([0x44, 0x01, 0x54]);
    expect(new Set(rgb.subarray(87)).size).toBeGreaterThan(1);
    expect(rgb[87]).toBe(0xb4);
  });

  it('are chosen by the first column with few labels', () => {
    const words = column(
      'word',
      Array.from({ length: 50 }, (_, i) => `w${i}`),
    );
    const same = column('same', ['a', 'a']);
    const group = column('group', ['a', 'b']);
    expect(firstColumn([words, same, group])).toBe(group);
    expect(firstColumn([words])).toBeNull();
  });

  it('of points that do not stand out are nearly the background; hidden points look different', () => {
    const rgb = new Uint8Array([200, 0, 0, 200, 0, 0, 200, 0, 0]);
    const found = painted(rgb, new Uint8Array([1, 1, 0]), new Uint8Array([1, 0, 1]), [0, 0, 0]);
    expect(found[0]).toBe(200);
    expect(found[4]).toBe(32);
    expect([found[3], found[7] !== 0, found[11]]).toEqual([255, true, 0]);
  });
});

describe('the raster', () => {
  it('draws the nearest point of a place and no hidden one', () => {
    class Pixels {
      readonly data: Uint8ClampedArray;
      constructor(
        readonly width: number,
        readonly height: number,
      ) {
        this.data = new Uint8ClampedArray(4 * width * height);
      }
    }
    const original = globalThis.ImageData;
    globalThis.ImageData = Pixels as never;
    let shown: Pixels | null = null;
    const context = { putImageData: (image: Pixels) => (shown = image) };
    const canvas = { width: 100, height: 100, getContext: () => context } as never;
    const raster = new Raster(canvas);
    raster.setPositions(new Float32Array([0, 0, 0, 0, -0.5, 0, 0, -0.9, 0]));
    raster.setColors(new Uint8Array([255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 0]));
    const view = viewMatrix({ ...FIRST_CAMERA, azimuth: 0, elevation: 0 }, 100, 100, false);
    const look = {
      size: 4,
      frontSize: 8,
      flat: false,
      background: [255, 255, 255],
      ring: [0, 0, 0],
      atlas: null,
    } as const;
    raster.draw(view, look);
    globalThis.ImageData = original;
    const at = (x: number, y: number): readonly number[] => [
      ...(shown as Pixels | null)!.data.subarray(4 * (100 * y + x), 4 * (100 * y + x) + 4),
    ];
    const [r, g, b] = at(50, 50);
    expect([r, g === 255 || (g as number) > 200, b]).toEqual([expect.any(Number), true, expect.any(Number)]);
    expect(g).toBeGreaterThan(r as number);
    expect(at(10, 10)).toEqual([255, 255, 255, 255]);
  });
});
