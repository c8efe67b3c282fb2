import { describe, expect, it } from 'vitest';
import type { LineChartProps } from './props';
import type { Theme } from '@insight-host/api';
import { type Painter, palette } from '../draw/painter';
import { SvgPainter } from '../draw/files';
import { draw } from './drawing';
import { figure } from './figure';
import { nearest, neighbourX, drawOverlay, reach, selectedArea } from './overlay';

const theme: Theme = { mode: 'dark', token: () => '' };
const props: LineChartProps = {
  lines: [
    { id: 'raw', label: 'raw', color: '#111111', x: [0, 1, 2], y: [0, 9, 1], role: 'raw' },
    { id: 'a', label: 'run <a> & "b"', color: '#123456', x: [0, 1, 2], y: [1, 2, 3] },
    { id: 'b', label: '训练/二', color: '#654321', x: [0, 1, 2], y: [30, 20, 10], axis: 'right', dash: [6, 3] },
  ],
  xKind: 'step',
  xLabel: 'step',
  yLabel: 'loss',
  yRightLabel: 'accuracy',
  title: 'loss + <acc>\u0007',
  theme,
  locale: 'en',
  description: 'two lines',
};
const size = { width: 480, height: 400, ratio: 1, labelled: true };
const whole = { x: null, y: null };

function svg(given: LineChartProps): Document {
  const painter = new SvgPainter(480, 400, given.title, given.description);
  draw(figure(given, whole, size), painter, palette(theme));
  const document = new DOMParser().parseFromString(painter.toString(), 'application/xml');
  expect(document.querySelector('parsererror')).toBeNull();
  return document;
}

/** The texts of a picture and the boxes that hide what was drawn before them. */
function recorded(paint: (painter: Painter) => void) {
  const texts: { readonly text: string; readonly y: number }[] = [];
  const boxes: { readonly y: number; readonly height: number }[] = [];
  const nothing = (): void => undefined;
  paint({
    hairline: 1,
    polylines: nothing,
    segment: nothing,
    polygon: nothing,
    circle: nothing,
    rectangle: (_x, y, _width, height) => void boxes.push({ y, height }),
    text: (_x, y, text) => void texts.push({ text, y }),
    clipped: (_x, _y, _width, _height, inside) => inside(),
  });
  return { texts, boxes };
}

describe('SVG', () => {
  it('has the given dots over the lines, those that have a place', () => {
    const dots = [
      { x: 1, y: 2, color: '#abcdef' },
      { x: NaN, y: 2, color: '#abcdef' },
    ];
    const circles = [...svg({ ...props, dots }).querySelectorAll('circle')];
    expect(circles.filter((circle) => circle.getAttribute('fill') === '#abcdef')).toHaveLength(1);
  });

  it('has title, axis labels and a legend, with names escaped', () => {
    const texts = [...svg(props).querySelectorAll('text')].map((t) => t.textContent);
    for (const text of ['loss + <acc>\\x07', 'step', 'loss', 'accuracy', 'run <a> & "b"', '训练/二'])
      expect(texts).toContain(text);
    expect(texts).not.toContain('raw');
  });

  it('draws every line, dashed where it is', () => {
    const paths = [...svg(props).querySelectorAll('path')].map((p) => [
      p.getAttribute('stroke'),
      p.getAttribute('stroke-dasharray'),
    ]);
    expect(paths).toEqual([
      ['#111111', null],
      ['#123456', null],
      ['#654321', '6 3'],
    ]);
  });

  it('says how many values a log axis leaves out', () => {
    const log = { ...props, logY: true, lines: [{ id: 'a', label: 'a', color: 'red', x: [0, 1, 2], y: [-1, 0, 3] }] };
    expect(svg(log).documentElement.textContent).toContain('2 values ≤ 0 not shown');
  });

  it('says how many they are at least where points between those of a line are left out', () => {
    const line = { id: 'a', label: 'a', color: 'red', x: [0, 1, 2], y: [-1, 1, 3], decimated: true };
    const note = (locale: 'en' | 'zh-CN'): string | null =>
      svg({ ...props, logY: true, locale, lines: [line] }).documentElement.textContent;
    expect(note('en')).toContain('at least 1 value ≤ 0 not shown');
    expect(note('zh-CN')).toContain('至少有 1 个 ≤ 0 的值未显示');
  });

  it.each([
    ['a file', size],
    ['a small card', { width: 320, height: 190, ratio: 1, labelled: false }],
    ['a full screen', { width: 1200, height: 700, ratio: 2, labelled: false }],
  ])('never covers a curve with that note: %s', (_, screen) => {
    const log = { ...props, logY: true, lines: [{ id: 'a', label: 'a', color: 'red', x: [0, 1, 2], y: [-1, 0, 3] }] };
    const made = figure(log, whole, screen);
    const { texts, boxes } = recorded((painter) => draw(made, painter, palette(theme)));
    const note = texts.find(({ text }) => text.includes('≤ 0'));
    expect(note!.y - 6).toBeGreaterThan(made.plot.top + made.plot.height);
    expect(note!.y + 6).toBeLessThanOrEqual(screen.height);
    expect(boxes).toEqual([]);
  });

  it('draws what satisfies the threshold in red', () => {
    const red = palette(theme).danger;
    const found = svg({ ...props, threshold: { first: { operator: '>', value: 2 } } });
    expect(found.querySelector(`path[stroke="${red}"]`)).not.toBeNull();
    expect(svg(props).querySelector(`path[stroke="${red}"]`)).toBeNull();
  });

  it.each([
    [20, ['1', null], ['1', null]],
    [21, ['1', '0.45'], ['2', null]],
  ])('of %i lines has the best one above all, and of many the others thin and translucent', (count, other, best) => {
    const lines = Array.from({ length: count }, (_, i) => ({
      id: `${i}`,
      label: `${i}`,
      color: i === 3 ? '#abcdef' : '#123456',
      x: [0, 1],
      y: [i, i + 1],
      ...(i === 3 ? { role: 'best' as const } : {}),
    }));
    const paths = [...svg({ ...props, lines }).querySelectorAll('path[stroke]')].map((path) =>
      ['stroke', 'stroke-width', 'stroke-opacity'].map((name) => path.getAttribute(name)),
    );
    expect(paths.at(-1)).toEqual(['#abcdef', ...best]);
    expect(paths.slice(0, -1)).toEqual(Array.from({ length: count - 1 }, () => ['#123456', ...other]));
  });

  it('has an arrow where a line leaves the plot for what is clipped', () => {
    const runs = ['#100000', '#200000', '#300000', '#400000', '#500000'].map((color, i) => ({
      id: color,
      label: color,
      color,
      x: [0, 1, 2],
      y: i === 4 ? [1, 900, 1] : [1, 2, 3],
    }));
    const arrows = (ignoreOutliers: boolean): (string | null)[] =>
      [
        ...svg({ ...props, yRightLabel: '', lines: runs, ignoreOutliers }).querySelectorAll('line[stroke-width="1.5"]'),
      ].map((stroke) => stroke.getAttribute('stroke'));
    expect(arrows(true)).toEqual(['#500000', '#500000']); // two strokes
    expect(arrows(false)).toEqual([]);
  });

  it('draws NaN and infinities with signs of their own, at the edges that they are beyond', () => {
    const odd = { id: 'a', label: 'a', color: '#abcdef', x: [0, 1, 2, 3], y: [NaN, Infinity, -Infinity, 1] };
    const found = svg({ ...props, yRightLabel: '', lines: [odd] });
    const made = figure({ ...props, yRightLabel: '', lines: [odd] }, whole, size);
    const { top, height } = made.plot;
    const tips = [...found.querySelectorAll('polygon[fill="#abcdef"]')].map((triangle) =>
      (triangle.getAttribute('points') ?? '').split(' ').at(-1),
    );
    const at = (x: number, y: number): string => `${Math.round(made.x.toPixel(x) * 100) / 100},${y}`;
    expect(tips).toEqual([at(1, top), at(2, top + height)]);
    const strokes = [...found.querySelectorAll('line[stroke="#abcdef"][stroke-width="1.5"]')];
    expect(strokes).toHaveLength(2); // of a cross
    for (const stroke of strokes) expect(Number(stroke.getAttribute('y1'))).toBeLessThan(top + height);
  });

  it('has short lines without text at a log axis, and no grid lines there', () => {
    const log = { ...props, logY: true, lines: [{ id: 'a', label: 'a', color: 'red', x: [0, 1], y: [1, 900] }] };
    const made = figure(log, whole, size);
    const minor = made.yTicks.filter((tick) => tick.minor);
    expect(minor.length).toBeGreaterThan(4);
    const lengths = (value: number): number[] =>
      [...svg(log).querySelectorAll('line')]
        .filter((line) => Math.abs(Number(line.getAttribute('y1')) - made.y.toPixel(value)) < 0.01)
        .map((line) => Number(line.getAttribute('x2')) - Number(line.getAttribute('x1')));
    expect(minor.map(({ value }) => lengths(value))).toEqual(minor.map(() => [4]));
    expect(lengths(100)).toEqual([made.plot.width]);
  });

  it('draws nothing but axes without lines', () => {
    expect(svg({ ...props, lines: [] }).querySelectorAll('path')).toHaveLength(0);
  });
});

describe('the text of marks at the pointer', () => {
  it('stands below the plot, so that the curves beside the marks stay in sight', () => {
    const marks = ['a restarts at step 1', 'saved'].map((text) => ({ x: 1, color: 'red', text }));
    const marked = figure({ ...props, marks }, whole, size);
    const px = marked.x.toPixel(1);
    const cursor = { x: 1, y: 2, px, py: marked.plot.top + 20, reach: reach(marked, px), nearest: [] };
    const { texts, boxes } = recorded((painter) =>
      drawOverlay(marked, { cursor, linkedX: null, selection: null, hovered: new Set() }, painter, palette(theme)),
    );
    expect(texts.map(({ text }) => text)).toEqual(['a restarts at step 1 · saved']);
    for (const box of boxes) expect(box.y).toBeGreaterThanOrEqual(marked.plot.top + marked.plot.height);
    expect(boxes).toHaveLength(1);
  });
});

describe('hovered runs', () => {
  const lines = props.lines.map((line) => ({ ...line, runs: [line.id === 'b' ? 'second' : 'first'] }));
  const drawn = figure({ ...props, lines }, whole, size);
  const above = (...hovered: string[]): Document => {
    const painter = new SvgPainter(480, 400, '', '');
    drawOverlay(
      drawn,
      { cursor: null, linkedX: null, selection: null, hovered: new Set(hovered) },
      painter,
      palette(theme),
    );
    return new DOMParser().parseFromString(painter.toString(), 'application/xml');
  };
  it('have thick lines above a veil over all others, and none of the raw ones', () => {
    const paths = [...above('first').querySelectorAll('path')];
    expect(paths.map((path) => [path.getAttribute('stroke'), path.getAttribute('stroke-width')])).toEqual([
      ['#123456', '3'],
    ]);
    expect(above('first').querySelectorAll('polygon')).toHaveLength(1);
    expect(above('second').querySelector('path')?.getAttribute('stroke-dasharray')).toBe('6 3');
  });
  it('that are not on the chart leave it as it is', () => {
    expect(above('elsewhere').querySelectorAll('path, polygon')).toHaveLength(0);
  });
});

describe('cursor', () => {
  const drawn = figure(props, whole, size);
  it('finds the nearest points, the closest line first', () => {
    const px = drawn.x.toPixel(1);
    const first = drawn.x.toPixel(0);
    expect(nearest(drawn, first + 3, drawn.y.toPixel(1))).toMatchObject([
      { id: 'a', index: 0, x: 0, y: 1, distance: 3 },
      { id: 'b', index: 0, x: 0, y: 30 },
    ]);
    expect(nearest(drawn, first, drawn.yRight!.toPixel(30)).map((p) => p.id)).toEqual(['b', 'a']);
    expect(nearest(drawn, px, 0).map((p) => p.x)).toEqual([1, 1]);
  });

  it('goes from point to point', () => {
    expect(neighbourX(drawn, 0, 1)).toBe(1);
    expect(neighbourX(drawn, 1, -1)).toBe(0);
    expect(neighbourX(drawn, 2, 1)).toBeNull();
  });
});

describe('a line whose x goes back', () => {
  const path = { id: 'a', label: 'a', color: 'red', x: [0, 0.2, 0.1, 0.35], y: [0, 1, 2, 3] };
  const drawn = figure({ ...props, xKind: 'number', lines: [path] }, whole, size);

  it('is drawn in the order of its points, on an axis with fractions', () => {
    const { points, end } = drawn.entries[0]!.trace;
    expect(end).toBe(4);
    expect(Array.from({ length: end }, (_, i) => drawn.x.toValue(points[2 * i] as number))).toEqual(
      path.x.map((x) => expect.closeTo(x)),
    );
    expect(drawn.xTicks.map((tick) => tick.label)).toContain('0.1');
  });

  it('is read at the point nearest in x, also with keys', () => {
    expect(nearest(drawn, drawn.x.toPixel(0.11), 0).map((point) => point.index)).toEqual([2]);
    expect([neighbourX(drawn, 0, 1), neighbourX(drawn, 0.1, 1), neighbourX(drawn, 0.2, -1)]).toEqual([0.1, 0.2, 0.1]);
    expect(neighbourX(drawn, 0.35, 1)).toBeNull();
  });
});

describe('box', () => {
  const plot = { left: 50, top: 10, width: 100, height: 80 };
  it('that is flat selects along one axis', () => {
    expect(selectedArea({ from: [60, 40], to: [100, 43] }, plot)).toMatchObject({
      left: 60,
      width: 40,
      top: 10,
      height: 80,
      wholeY: true,
    });
    expect(selectedArea({ from: [60, 20], to: [62, 60] }, plot)).toMatchObject({
      left: 50,
      width: 100,
      top: 20,
      height: 40,
      wholeX: true,
    });
  });
  it('ends at the plot', () => {
    expect(selectedArea({ from: [60, 20], to: [500, 500] }, plot)).toMatchObject({ width: 90, height: 70 });
  });
});
