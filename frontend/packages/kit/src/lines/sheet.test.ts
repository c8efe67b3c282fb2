import { describe, expect, it } from 'vitest';
import type { Theme } from '@insight-host/api';
import { LEGEND_PLACES, type LegendPlace, type Size } from '../draw/area';
import { palette } from '../draw/painter';
import { SvgPainter } from '../draw/files';
import { drawSheet, unnamedLines } from './chart';
import { figure } from './figure';
import type { LineChartProps } from './props';

const theme: Theme = { mode: 'light', token: () => '' };
const props: LineChartProps = {
  lines: [
    { id: 'a', label: 'run a', color: '#111111', x: [0, 1, 2], y: [-1, 2, 3] },
    { id: 'b', label: 'run b', color: '#222222', x: [0, 1, 2], y: [3, 2, 1], dash: [4, 2] },
  ],
  xKind: 'step',
  logY: true,
  xLabel: 'step',
  yLabel: 'loss',
  title: 'Losses',
  theme,
  locale: 'en',
  description: 'two lines',
};
const sizeWith = (legend: LegendPlace): Size => ({
  width: 330,
  height: 233,
  ratio: 1,
  labelled: true,
  sheet: { lineWidth: 1.25, legend },
});
const whole = { x: null, y: null };

function drawn(given: LineChartProps, legend: LegendPlace): Document {
  const painter = new SvgPainter(330, 233, given.title, given.description, 'Times', ['8.5cm', '6cm']);
  drawSheet(given, sizeWith(legend), painter, palette(theme));
  return new DOMParser().parseFromString(painter.toString(), 'application/xml');
}

describe('the figure of a paper', () => {
  it('has its size on paper, its font, its line width and the name of y along the axis', () => {
    const { documentElement: svg } = drawn(props, 'below');
    expect([svg.getAttribute('width'), svg.getAttribute('height')]).toEqual(['8.5cm', '6cm']);
    expect(svg.getAttribute('font-family')).toBe('Times');
    expect([...svg.querySelectorAll('path')].map((path) => path.getAttribute('stroke-width'))).toEqual([
      '1.25',
      '1.25',
    ]);
    const turned = [...svg.querySelectorAll('text[transform]')];
    expect(turned.map((text) => text.textContent)).toEqual(['loss']);
    expect(turned[0]?.getAttribute('transform')).toMatch(/^rotate\(-90 /);
  });

  it.each(LEGEND_PLACES)('has room for all of its texts: legend %s', (legend) => {
    const { plot, legend: items } = figure(props, whole, sizeWith(legend));
    const below = plot.top + plot.height;
    expect(items.length).toBe(legend === 'none' ? 0 : 2);
    for (const { x, y, maxWidth } of items) {
      expect(y).toBeLessThan(233 - 6);
      expect(x + 26 + maxWidth).toBeLessThanOrEqual(330);
      const isInside = x < plot.left + plot.width && y < below;
      expect(isInside).toBe(legend.includes('-'));
    }
    const texts = [...drawn(props, legend).querySelectorAll('text:not([transform])')];
    const placeOf = (text: string): number =>
      Number(texts.find((one) => one.textContent === text)?.getAttribute('y')) - below;
    expect(placeOf('1 value ≤ 0 not shown')).toBeGreaterThan(placeOf('step') + 11);
    expect(placeOf('step')).toBeGreaterThan(20);
    expect(placeOf('Losses')).toBeLessThan(-plot.height);
    if (legend === 'below') expect(placeOf('run a')).toBeGreaterThan(placeOf('1 value ≤ 0 not shown') + 11);
  });

  it('keeps more than a third of its height for the plot, however many lines there are', () => {
    const [line] = props.lines;
    const lines = Array.from({ length: 40 }, (_, i) => ({
      ...line!,
      id: String(i),
      label: `a run with a long name ${i}`,
    }));
    const { plot, legend: items } = figure({ ...props, title: '', lines }, whole, sizeWith('below'));
    expect(plot.height).toBeGreaterThan(233 / 3);
    expect(items.length).toBeGreaterThan(3);
    expect(Math.max(...items.map(({ y }) => y))).toBeLessThan(233 - 6);
  });

  it('says how many lines the legend has no room for', () => {
    const [line] = props.lines;
    const lines = Array.from({ length: 40 }, (_, i) => ({ ...line!, id: String(i), label: `a rather long name ${i}` }));
    for (const place of LEGEND_PLACES.filter((one) => one !== 'none')) {
      const { legend: items } = figure({ ...props, lines }, whole, sizeWith(place));
      const texts = [...drawn({ ...props, lines }, place).querySelectorAll('text')];
      const note = texts.find(({ textContent }) => textContent === `and ${40 - items.length} more lines`);
      expect(Number(note?.getAttribute('y'))).toBeLessThan(233 - 4);
    }
  });

  it('names ten groups by two columns, and says what the columns are once', () => {
    const [line] = props.lines;
    const lines = [0.001, 0.003, 0.01, 0.03, 0.1].flatMap((rate) =>
      ['adam', 'sgd'].map((one) => ({ ...line!, id: `${rate} ${one}`, label: `lr=${rate} · optimizer=${one}` })),
    );
    const ten = { ...props, lines, title: '', logY: false };
    for (const place of ['below', 'right'] as const) {
      const texts = [...drawn(ten, place).querySelectorAll('text')].map(({ textContent }) => textContent);
      expect(texts).toContain('lr · optimizer');
      expect(texts.filter((text) => / · (adam|sgd)$/.test(text ?? ''))).toHaveLength(10);
    }
  });

  it('leaves no room for texts that are empty', () => {
    const [line] = props.lines;
    const wide = { ...props, lines: [{ ...line!, y: [-1, 500, 1000] }], logY: false }; // widest tick: 1000
    const bare = figure({ ...wide, title: '', xLabel: '', yLabel: '' }, whole, sizeWith('none'));
    const named = figure(wide, whole, sizeWith('none'));
    expect(bare.plot.width - named.plot.width).toBeCloseTo(18);
    expect(bare.plot.height - named.plot.height).toBeCloseTo(22 + 18);
  });

  const scale = { title: 'lr', low: '0.001', high: '0.3', isLog: true, stops: ['#440154', '#26828e', '#b5de2b'] };

  it.each(LEGEND_PLACES)('has a colour bar in the place of names where colours are numbers: legend %s', (place) => {
    const found = drawn({ ...props, scale }, place);
    const texts = [...found.querySelectorAll('text')].map((text) => text.textContent);
    expect(texts.filter((text) => ['lr (log)', '0.001', '0.3', 'run a', 'run b'].includes(text))).toEqual(
      place === 'none' ? [] : ['lr (log)', '0.001', '0.3'],
    );
    const bars = [...found.querySelectorAll('rect')].filter((bar) => bar.getAttribute('height') === '8');
    expect(bars.map((bar) => bar.getAttribute('fill'))).toEqual(place === 'none' ? [] : scale.stops);
    for (const bar of bars) {
      const [left = 0, top = 0, width = 0] = ['x', 'y', 'width'].map((name) => Number(bar.getAttribute(name)));
      expect(left + width).toBeLessThan(330);
      expect(top + 8).toBeLessThan(233);
    }
  });

  it('counts the lines that its legend has no room for; a colour bar leaves none out', () => {
    const lines = Array.from({ length: 60 }, (_, at) => ({ ...props.lines[0]!, id: `${at}`, label: `run ${at}` }));
    const count = unnamedLines({ ...props, lines }, sizeWith('below'));
    expect(count).toBeGreaterThan(0);
    expect(count).toBe(60 - figure({ ...props, lines }, whole, sizeWith('below')).legend.length);
    expect(unnamedLines({ ...props, lines }, { ...sizeWith('below'), height: 1200 })).toBe(0);
    expect(unnamedLines({ ...props, lines, scale }, sizeWith('below'))).toBe(0);
  });
});
