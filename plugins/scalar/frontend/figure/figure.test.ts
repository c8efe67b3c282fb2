import type { Line, LineChartProps } from '@insight-host/kit/lines';
import { describe, expect, it } from 'vitest';
import { leftOut, seenCsv, withDensity } from './files';
import { escaped, fewer, latexOf } from './latex';
import { converted, DEFAULT, paperOf, restyled, sizeOf, styleOf } from './style';

const line = (id: string, x: number[], y: number[], more: Partial<Line> = {}): Line => ({
  id,
  label: id,
  color: '#123456',
  x,
  y,
  ...more,
});
const chart: LineChartProps = {
  lines: [
    line('a_b', [0, 1, 2, 3], [1, NaN, -1, 2], { breaks: [2] }),
    line('c', [0, 1, 2, 3], [4, 5, 6, 7], { axis: 'right', dash: [6, 3] }),
  ],
  xKind: 'step',
  xLabel: 'step',
  yLabel: 'loss',
  yRightLabel: 'acc',
  title: 'loss',
  xWindow: [1, 3],
  theme: { mode: 'light', token: () => '' },
  locale: 'en',
  description: '',
};
const texts = { title: '', x: 'tokens', y: 'L', yRight: 'A' };

describe('the style of a figure', () => {
  it('is kept as far as it is valid', () => {
    expect(styleOf({})).toEqual(DEFAULT);
    expect(styleOf({ width: 1e9, fontSize: 10, palette: 'none', legend: 'right', unit: 'in' })).toEqual({
      ...DEFAULT,
      unit: 'in',
      width: 3.35,
      height: 2.36,
      fontSize: 10,
      legend: 'right',
    });
    expect(converted(2.54, 'cm', 'in')).toBe(1);
  });

  it('has letters and lines of the asked size on paper', () => {
    const style = { ...DEFAULT, unit: 'in', width: 4, height: 3, fontSize: 22, lineWidth: 3 } as const;
    expect(paperOf(style)).toEqual([288, 216]);
    expect(sizeOf(style, 1)).toMatchObject({ width: 144, height: 108, sheet: { lineWidth: 1.5 } });
  });

  it('tells lines apart by colours, and in grayscale by dashes', () => {
    const many = { ...chart, lines: Array.from({ length: 18 }, (_, i) => line(`${i}`, [0], [0])) };
    const looks = (palette: 'distinct' | 'gray'): string[] =>
      restyled(many, { ...DEFAULT, palette }, texts).lines.map(({ color, dash }) => `${color} ${dash ?? []}`);
    for (const palette of ['distinct', 'gray'] as const) expect(new Set(looks(palette)).size).toBe(18);
    const colors = (palette: 'distinct' | 'gray'): number =>
      new Set(
        looks(palette)
          .slice(0, 6)
          .map((look) => look.split(' ')[0]),
      ).size;
    expect([colors('distinct'), colors('gray')]).toEqual([6, 3]);
    for (const look of looks('gray')) expect(look).toMatch(/^#(..)\1\1 /);
  });

  it('keeps a raw line in the colour of its line, and replaces texts', () => {
    const smoothed = {
      ...chart,
      lines: [line('a', [0], [1], { role: 'raw' }), line('b', [0], [1]), line('a', [0], [2])],
    };
    const made = restyled(smoothed, DEFAULT, texts);
    expect(made.lines[0]?.color).toBe(made.lines[2]?.color);
    expect([made.title, made.xLabel, made.yLabel, made.yRightLabel]).toEqual(['', 'tokens', 'L', 'A']);
    expect(restyled(chart, { ...DEFAULT, palette: 'screen' }, texts).lines).toEqual(chart.lines);
  });
});

describe('the colours of a figure', () => {
  const scale = { title: 'lr_0', low: '0.1', high: '1', isLog: false, stops: ['#000000', '#ff0000'] };

  it('are those of a scale, with its bar, or others without it', () => {
    expect(restyled({ ...chart, scale }, { ...DEFAULT, palette: 'screen' }, texts).scale).toBe(scale);
    for (const palette of ['distinct', 'gray'] as const)
      expect(restyled({ ...chart, scale }, { ...DEFAULT, palette }, texts).scale).toBeUndefined();
    const made = latexOf({ ...chart, scale }, DEFAULT, null);
    expect(made).toContain('colormap={scale}{rgb255=(0,0,0) rgb255=(255,0,0)}');
    expect(made).toContain('title={lr\\_0}, ytick={0,1}, yticklabels={{0.1},{1}}');
    expect(made).not.toContain('addlegendentry');
  });
});

describe('the data of a figure', () => {
  it('are what is seen', () => {
    expect(seenCsv(chart, (key) => key)).toBe(
      'figure.line,step,tooltip.value\r\na_b,1,NaN\r\na_b,2,-1\r\na_b,3,2\r\nc,1,5\r\nc,2,6\r\nc,3,7\r\n',
    );
    expect(leftOut({ ...chart, logY: true })).toBe(1);
    expect(leftOut(chart)).toBe(0);
  });

  it('have times as times, and bands and raw lines in columns of their own', () => {
    const band = { low: [0], high: [2] };
    const lines = [line('a', [0], [1], { band }), line('a', [1], [1], { role: 'raw' })];
    const rows = seenCsv({ ...chart, xKind: 'wall', xWindow: null, lines }, (key) => key).split('\r\n');
    expect(rows[1]).toBe('a,1970-01-01T00:00:00.000Z,1,0,2,0');
    expect(rows[2]).toBe('a,1970-01-01T00:00:01.000Z,1,,,1');
    const late = [line('a', [9e12], [1])];
    expect(seenCsv({ ...chart, xKind: 'wall', xWindow: null, lines: late }, (key) => key)).toContain(
      'a,9000000000000,1',
    );
  });
});

it('LaTeX has error bars as those of pgfplots', () => {
  const band = { low: [0.5, NaN], high: [2, NaN], bars: true };
  const tex = latexOf({ ...chart, xWindow: null, lines: [line('a', [0, 1], [1, 2], { band })] }, DEFAULT, null);
  expect(tex).toContain('error bars/.cd, y dir=both, y explicit]');
  expect(tex).toContain('x y minus plus\n0 1 0.5 1\n1 2 0 0\n};');
});

describe('LaTeX', () => {
  const tex = latexOf({ ...chart, logY: true, marks: [{ x: 2, color: 'red', text: '' }] }, DEFAULT, '1 value ≤ 0');

  it('has axes, names, data with gaps, and both axes', () => {
    expect(tex).toContain('width=8.5cm, height=6cm');
    expect(tex).toContain('xmin=1, xmax=3');
    expect(tex).toContain('ymode=log');
    expect(tex).toContain('{1 value $\\leq$ 0}');
    expect(tex).toContain('table {\nx y\n1 nan\n2 nan\n2 nan\n3 2\n};'); // NaN, a break, and no logarithm
    expect(tex).toContain('\\node[line0] at ({axis cs:1,1}|-{rel axis cs:0,0.03}) {$\\times$};');
    expect(tex).toContain('\\addlegendentry{a\\_b}');
    expect(tex).toContain('dash pattern=on 4.36pt off 2.18pt');
    expect(tex.match(/\\begin\{axis\}/g)).toHaveLength(2);
    expect(tex.match(/\\end\{axis\}/g)).toHaveLength(2);
    expect(tex).toMatch(/^% Compile with pdflatex/);
    expect(latexOf({ ...chart, title: '损失' }, DEFAULT, null)).toMatch(/^% Compile with xelatex[^]*ctex/);
  });

  it('marks what is not finite on the right axis, too', () => {
    const lines = [line('a', [1, 2], [1, 2]), line('b', [1, 2], [Infinity, 3], { axis: 'right' })];
    const [, left, right] = latexOf({ ...chart, lines, marks: [] }, DEFAULT, null).split('\\begin{axis}');
    expect(left).not.toContain('bigtriangleup');
    expect(right).toContain('{axis cs:1,1}|-{rel axis cs:0,0.97}) {$\\bigtriangleup$};');
  });

  it('has times as seconds since its beginning: TeX has no larger numbers', () => {
    const times = [1.7e9, 1.7e9 + 60, 1.7e9 + 120.5];
    const lines = [line('a', times, [1, 2, 3])];
    const marks = [{ x: 1.7e9 + 60, color: 'red', text: '' }];
    const wall = latexOf({ ...chart, xKind: 'wall', xWindow: null, lines, marks }, DEFAULT, null);
    expect(wall).toContain('xmin=0, xmax=120.5');
    expect(wall).toContain('table {\nx y\n0 1\n60 2\n120.5 3\n};');
    expect(wall).toContain('{axis cs:60,1}');
    expect(wall).toMatch(/xtick=\{\d+,\d+/);
    expect(wall).not.toContain('17000');
  });

  it('asks for a TeX that has the letters of notes and times, too', () => {
    expect(latexOf(chart, DEFAULT, '1 个值 ≤ 0')).toMatch(/^% Compile with xelatex[^]*ctex/);
    expect(escaped('a\u0085b')).toBe('a b');
  });

  it('writes any name as text', () => {
    expect(escaped('a_b & 50% of {x}^2 \\n <1 ~ #$')).toBe(
      'a\\_b \\& 50\\% of \\{x\\}\\textasciicircum{}2 \\textbackslash{}n \\textless{}1 \\textasciitilde{} \\#\\$',
    );
  });

  it('keeps extremes and what is not finite of long lines', () => {
    const y = Array.from({ length: 10_000 }, (_, i) => (i === 1234 ? 99 : i === 5678 ? -99 : i === 777 ? NaN : 0));
    const kept = fewer(
      { y },
      y.map((_, i) => i),
      50,
    );
    for (const place of [0, 777, 1234, 5678, 9999]) expect(kept).toContain(place);
    expect(kept.length).toBeLessThanOrEqual(201);
    expect([...kept].sort((a, b) => a - b)).toEqual(kept);
  });
});

it('a PNG says its density before its pixels', () => {
  const png = new Uint8Array(40).fill(7);
  const out = withDensity(png, 300);
  const chunk = [...out.subarray(33, 54)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  expect(chunk).toBe('0000000970485973' + '00002e23' + '00002e23' + '01' + '78a53f76');
  expect([out.length, out[32], out[54]]).toEqual([61, 7, 7]);
});
