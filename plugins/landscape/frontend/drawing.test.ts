import { describe, expect, it } from 'vitest';
import { projected } from '@insight-host/kit/scene';
import { HALF_HEIGHT, turned, viewMatrix, zoomed, FIRST_CAMERA } from './view';
import { areaData, lineData, ringsOf } from './contours';
import { legendPicture } from './export';
import { apart, toSVG, type TextMark } from './marks';
import { coarse, inBox, meshOf, VALUES } from './mesh';
import { pathMarks, planPicture, plotOf, type Look } from './plan';
import { projection, strideOf } from './plan_lines';
import { lossScale } from './scale';
import { landscapeOf, pathOf } from './testing';

const ink = { text: '#111', muted: '#222', grid: '#333', border: '#444', surface: '#555', hole: '#666' };
const slope = landscapeOf([0, 1, 4], [0, 10], [0, 1, 4, 0, 1, 4]); // the loss is x
const look: Look = {
  form: 'contour',
  scale: lossScale(0, 4, false),
  extent: { x: [0, 4], y: [0, 10] },
  ramp: 'gray',
  levels: 3,
  bar: true,
  front: null,
  path: { color: '#ff0000', width: 2 },
  ink,
};

describe('lines of equal loss', () => {
  it('are where the loss is, on axes that are not even', () => {
    const [ring] = ringsOf(slope, 2.5);
    const within = (ring?.points ?? []).filter(([, y]) => y >= 0 && y <= 10).map(([x]) => x);
    expect(within).toContain(2.5);
    for (const x of within.filter((x) => x < 4)) expect(x).toBeCloseTo(2.5);
    expect(ringsOf(slope, 2.5)).toBe(ringsOf(slope, 2.5)); // kept
  });

  it('go around hills and holes', () => {
    const hill = landscapeOf([0, 1, 2, 3, 4], [0, 1, 2], [0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0]);
    expect(ringsOf(hill, 0.5)).toHaveLength(2);
    expect(ringsOf(landscapeOf([0, 1], [0, 1], [NaN, 1, 1, NaN]), 0.5).length).toBeGreaterThan(0);
    expect(
      areaData(
        [
          {
            points: [
              [0, 0],
              [1, 1],
            ],
            isLine: new Uint8Array(2),
          },
        ],
        (x) => x * 10,
        (y) => -y,
      ),
    ).toBe('M0.0,0.0L10.0,-1.0Z');
  });
});

describe('lines without what is none', () => {
  const straight = (level: number, landscape = slope): string =>
    lineData(
      ringsOf(landscape, level),
      (x) => x,
      (y) => y,
    );
  it('end at the edges', () => {
    expect(straight(2.5)).toMatch(/^M2\.5,(0|10)\.0(L2\.5,[\d.]+)*L2\.5,(0|10)\.0$/);
    expect(straight(9)).toBe('');
  });
  it('do not go around points without a loss', () => {
    const flat = landscapeOf([0, 1, 2, 3], [0, 1, 2], [1, 1, 1, 1, 1, NaN, 1, 1, 1, 1, 1, 1]);
    expect(
      areaData(
        ringsOf(flat, 0.5),
        (x) => x,
        (y) => y,
      ),
    ).not.toBe('');
    expect(straight(0.5, flat)).toBe('');
    const rising = landscapeOf([0, 1, 2, 3], [0, 1, 2], [0, 1, 2, 3, 0, Infinity, 2, 3, 0, 1, 2, 3]);
    expect(straight(2.5, rising)).toMatch(/^M2\.5/); // next to it
    expect(straight(0.5, rising)).toBe('');
  });
});

describe('texts of a picture', () => {
  const text = (x: number, y: number, anchor: TextMark['anchor'] = 'middle'): TextMark => ({
    kind: 'text',
    x,
    y,
    text: '−0.5',
    color: '',
    anchor,
  });
  it('lie on none before them', () => {
    expect(apart([text(0, 0), text(10, 4), text(40, 0), text(0, 13)])).toEqual([text(0, 0), text(40, 0), text(0, 13)]);
    expect(apart([text(0, 0, 'start'), text(-4, 0, 'end'), text(20, 0, 'end')])).toEqual([
      text(0, 0, 'start'),
      text(-4, 0, 'end'),
    ]);
  });
});

describe('landscapes upon each other', () => {
  const items = ['a', 'b', 'c'].map((run, n) => ({ landscape: slope, run, name: run, color: `#00000${n}` }));
  const strokes = (form: Look['form'], front: string | null): (string | undefined)[] =>
    planPicture(items, { ...look, form, front, levels: 20 }, 500, 400).marks.flatMap((mark) =>
      mark.kind === 'path' && mark.clip && mark.stroke !== ink.surface ? [mark.stroke] : [],
    );
  it('have one in front with the colour map, and the others some lines in the colours of their runs', () => {
    expect(strideOf(20, 1)).toBe(1);
    expect(strideOf(20, 3)).toBe(2);
    // bands have no line
    expect(new Set(strokes('topographic', 'b'))).toEqual(new Set(['#000000', '#000002', undefined]));
    expect(strokes('topographic', 'b').slice(-2)).toEqual(['#000000', '#000002']); // over the bands
    expect(strokes('contour', 'b').slice(0, 2)).toEqual(['#000000', '#000002']); // below the lines
    expect(strokes('contour', 'nobody').slice(0, 2)).toEqual(['#000001', '#000002']);
  });
  it('have distinct names in a file', () => {
    const { marks, height } = legendPicture(items, { ...look, front: 'b' }, 60);
    expect(marks.flatMap((mark) => (mark.kind === 'text' ? [[mark.text, mark.y]] : []))).toEqual([
      ['b', 13],
      ['a', 31],
      ['c', 49],
    ]);
    expect(marks.flatMap((mark) => (mark.kind === 'path' ? [mark.fill] : [])).slice(-2)).toEqual([
      '#000000',
      '#000002',
    ]);
    expect(height).toBeGreaterThan(49);
  });
  it('leave the colour bar out where it is said elsewhere', () => {
    const texts = (bar: boolean): number =>
      planPicture(items, { ...look, bar }, 500, 400).marks.filter((mark) => mark.kind === 'text').length;
    expect(texts(true)).toBeGreaterThan(texts(false));
    const wide = { ...look, extent: { x: [0, 2], y: [0, 1] } } as const;
    expect(plotOf(500, 400, { ...wide, bar: false }).width).toBeGreaterThan(plotOf(500, 400, wide).width + 30);
  });
});

describe('a plan', () => {
  it('has one line for each level, and the bar of colours', () => {
    const { marks } = planPicture([{ landscape: slope, run: 'a', name: 'a', color: '#0000ff' }], look, 500, 400);
    expect(marks.filter((mark) => mark.kind === 'path' && mark.width === 1.4)).toHaveLength(3);
    expect(marks.filter((mark) => mark.kind === 'text').map(({ text }) => text)).toEqual(
      expect.arrayContaining(['0', '4', '10']),
    );
  });

  it.each([
    [500, 400],
    [900, 300],
    [300, 900],
  ])('has one scale for both axes in a picture of %i by %i', (width, height) => {
    const room = plotOf(width, height, { ...look, extent: { x: [0, 1], y: [0, 1000] } });
    for (const [x, y] of [
      [1, 1],
      [1.5, 1],
      [0.5, 2.5],
    ] as const) {
      const plot = plotOf(width, height, { ...look, extent: { x: [-x, x], y: [3, 3 + y] } });
      expect(Math.abs(plot.width - (plot.height * 2 * x) / y)).toBeLessThanOrEqual(2); // whole pixels
      // as large as there is room, in its middle
      expect(plot.width === room.width || plot.height === room.height).toBe(true);
      expect(Math.abs(plot.left + plot.width / 2 - room.left - room.width / 2)).toBeLessThanOrEqual(1);
      expect(Math.abs(plot.top + plot.height / 2 - room.top - room.height / 2)).toBeLessThanOrEqual(1);
    }
  });

  it('fills its room with a plane that would be a strip, and with one that has no height', () => {
    const fills = (extent: Look['extent']): number => plotOf(600, 400, { ...look, extent }).width;
    const most = fills({ x: [0, 3.5], y: [0, 1] });
    expect(fills({ x: [0, 1], y: [0, 3.5] })).toBe(most);
    expect(fills({ x: [0, 1], y: [2, 2] })).toBe(most);
    expect(fills({ x: [0, 0], y: [2, 2] })).toBe(most);
    expect(fills({ x: [0, 1], y: [0, 3] })).toBeLessThan(most / 2);
  });

  it('marks points without a finite loss', () => {
    const hole = landscapeOf([0, 1, 2], [0, 1], [0, NaN, 1, 2, 3, 4]);
    const filled = planPicture(
      [{ landscape: hole, run: 'a', name: 'a', color: '#0000ff' }],
      { ...look, form: 'topographic' },
      500,
      400,
    ).marks.filter((mark) => mark.kind === 'path' && mark.fill === ink.hole);
    expect(filled).toHaveLength(1);
  });

  it('shows the path as far as it has gone', () => {
    const item = {
      landscape: landscapeOf([0, 4], [0, 10], [0, 1, 2, 3], pathOf([1, 2, 3], [0, 2, 4], [0, 5, 10], [3, 2, 1])),
      run: 'a',
      name: 'a',
      color: '#0000ff',
    };
    const plot = plotOf(500, 400, look);
    const { toX, toY } = projection(look.extent, plot);
    const line = (progress: number): string | undefined =>
      pathMarks(item, look, plot, progress).flatMap((mark) =>
        mark.kind === 'path' && mark.stroke === '#ff0000' ? [mark.d] : [],
      )[0];
    const at = (x: number, y: number): string => `${toX(x).toFixed(1)},${toY(y).toFixed(1)}`;
    expect(line(0.5)).toBe(`M${at(0, 0)}L${at(1, 2.5)}`);
    expect(line(Infinity)).toBe(`M${at(0, 0)}L${at(2, 5)}L${at(4, 10)}L${at(4, 10)}`);
  });

  it('is saved as a file in which names are text', () => {
    const picture = planPicture([{ landscape: slope, run: 'a', name: 'a', color: '#0000ff' }], look, 300, 200);
    const svg = toSVG([{ picture, left: 0, top: 0 }], 'a<b>&"', 'sans', '#fff');
    const parsed = new DOMParser().parseFromString(svg, 'image/svg+xml');
    expect(parsed.querySelector('title')?.textContent).toBe('a<b>&"');
    expect(parsed.querySelectorAll('clipPath').length).toBe(1);
  });
});

describe('the surface', () => {
  it('is coarse while it moves, from edge to edge', () => {
    const rough = coarse(slope, 2);
    expect([[...rough.x], [...rough.y], [...rough.z]]).toEqual([
      [0, 4],
      [0, 10],
      [0, 4, 0, 4],
    ]);
    expect(coarse(slope, 2)).toBe(rough); // kept
    expect(coarse(slope, 3)).toBe(slope);
  });

  it('fills its box', () => {
    const { vertices, indices } = meshOf(slope, look.extent, look.scale);
    expect([...vertices.slice(0, 3)]).toEqual([-1, -1, -HALF_HEIGHT]);
    expect([...vertices.slice(5 * VALUES, 5 * VALUES + 3)]).toEqual([1, 1, HALF_HEIGHT]);
    expect(indices).toHaveLength(2 * 2 * 3);
    for (let at = 0; at < 6; at++)
      expect(Math.hypot(...vertices.slice(at * VALUES + 3, at * VALUES + 6))).toBeCloseTo(1);
    expect(vertices[3]).toBeLessThan(0); // it rises to the right
    expect(inBox(look.extent, look.scale, 2, 5, 2)).toEqual([0, 0, 0]);
  });

  it('has a hole where the loss is not finite, and half a square next to it', () => {
    const of = (...z: number[]): number =>
      meshOf(landscapeOf([0, 1], [0, 1], z), { x: [0, 1], y: [0, 1] }, lossScale(0, 3, false)).indices.length;
    expect(of(0, 1, 2, 3)).toBe(6);
    for (let bad = 0; bad < 4; bad++) expect(of(...[0, 1, 2, 3].map((z, i) => (i === bad ? NaN : z)))).toBe(3);
    expect(of(NaN, 1, Infinity, 3)).toBe(0);
  });

  it('is looked at from where the camera is', () => {
    const front = viewMatrix({ azimuth: 0, elevation: 2, zoom: 1 }, 800, 400);
    const [left, right] = [projected(front, [-1, 0, 0], 800, 400), projected(front, [1, 0, 0], 800, 400)];
    expect(left[0]).toBeLessThan(400);
    expect(left[0] + right[0]).toBeCloseTo(800, 3);
    expect(projected(front, [0, 0, 0.5], 800, 400)[1]).toBeLessThan(projected(front, [0, 0, -0.5], 800, 400)[1]);
    expect(projected(front, [0, -1, 0], 800, 400)[2]).toBeLessThan(projected(front, [0, 1, 0], 800, 400)[2]); // nearer
    const above = viewMatrix({ azimuth: 0, elevation: 89, zoom: 1 }, 800, 400);
    expect(projected(above, [0, 1, 0], 800, 400)[1]).toBeLessThan(projected(above, [0, -1, 0], 800, 400)[1]);
    const from = viewMatrix({ azimuth: 90, elevation: 2, zoom: 1 }, 800, 400);
    expect(projected(from, [1, 0, 0], 800, 400)[2]).toBeLessThan(projected(from, [-1, 0, 0], 800, 400)[2]);
  });

  it('turns all around, and not below the ground', () => {
    expect(turned({ azimuth: 170, elevation: 30, zoom: 1 }, 20, 100)).toEqual({
      azimuth: -170,
      elevation: 89,
      zoom: 1,
    });
    expect(turned(FIRST_CAMERA, 0, -100).elevation).toBe(2);
    expect(zoomed(FIRST_CAMERA, 100).zoom).toBe(6);
  });
});
