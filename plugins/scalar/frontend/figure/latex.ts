/** Writes a chart as a LaTeX document, drawn and typeset by pgfplots. */
import type { ColorScale } from '@insight-host/api';
import { hexOf, rgbOf } from '@insight-host/kit';
import {
  fittingTicks,
  makeScale,
  scaleText,
  xTicks,
  type LegendPlace,
  type Numbers,
  type Tick,
} from '@insight-host/kit/draw';
import type { Line, LineChartProps } from '@insight-host/kit/lines';
import { seenOf } from './files';
import { paperOf, scaleOf, type FigureStyle } from './style';

const MOST = 20_000; // points of a document: TeX has little memory
const SIDES = 45; // points of the width that pgfplots leaves for texts next to a plot
const PLACES: Readonly<Record<LegendPlace, string>> = {
  below: 'legend style={at={(0.5,-0.3)}, anchor=north}, legend columns=2',
  right: 'legend pos=outer north east',
  'top-left': 'legend pos=north west',
  'top-right': 'legend pos=north east',
  'bottom-left': 'legend pos=south west',
  'bottom-right': 'legend pos=south east',
  none: '',
};

/** A document with the data in it. `note` says what is not shown. */
export function latexOf(chart: LineChartProps, style: FigureStyle, note: string | null): string {
  const [begin] = domainOf(chart);
  const ticks = timeTicks(chart, style);
  const props = chart.xKind === 'wall' ? later(chart, -begin) : chart;
  const left = props.lines.filter(({ axis }) => axis !== 'right');
  const right = props.lines.filter(({ axis }) => axis === 'right');
  const domain = domainOf(props);
  const labels = [props.title, props.xLabel, props.yLabel, props.yRightLabel ?? '', ...props.lines.map((l) => l.label)];
  const texts = [...labels, note ?? '', ...ticks.map(({ label }) => label)];
  const isLatin = texts.every((text) => /^[\u0000-\u024f\u2010-\u2026\u2212\u2264\u2265]*$/.test(text));
  const common = [
    `width=${style.width}${style.unit}, height=${style.height}${style.unit}`,
    `xmin=${domain[0]}, xmax=${domain[1]}`,
    ...(props.logX && props.xKind !== 'wall' ? ['xmode=log'] : []),
    ...(props.logY ? ['ymode=log'] : []),
    'unbounded coords=jump, filter discard warning=false',
    'every axis plot/.append style={line join=bevel, no markers}',
  ];
  const names = style.legend === 'none' || props.scale ? [] : props.lines.filter(({ role }) => role !== 'raw');
  const first = [
    ...common,
    ...(props.title ? [`title={${escaped(props.title)}}`] : []),
    ...(props.xLabel ? [`xlabel={${escaped(props.xLabel)}}`] : []),
    ...(props.yLabel ? [`ylabel={${escaped(props.yLabel)}}`] : []),
    ...limits(props.yWindow),
    ...(isTime(chart)
      ? [
          `xtick={${ticks.map(({ value }) => (chart.xKind === 'wall' ? micro(value - begin) : value)).join(',')}}`,
          `xticklabels={${ticks.map(({ label }) => `{${escaped(label)}}`).join(',')}}`,
        ]
      : []),
    ...(right.length > 0 ? ['axis y line*=left'] : ['grid=major, grid style={black!10}']),
    ...(props.scale && style.legend !== 'none' ? colorBar(props.scale) : []),
    ...(names.length > 0 ? [PLACES[style.legend], 'legend cell align=left'] : []),
    ...(note
      ? [`after end axis/.code={\\node[anchor=north west] at (axis description cs:0,-0.2) {${escaped(note)}};}`]
      : []),
  ];
  const second = [
    ...common,
    'axis y line*=right, axis x line=none',
    ...(props.yRightLabel ? [`ylabel={${escaped(props.yRightLabel)}}`] : []),
  ];
  const colors = new Map([...new Set(props.lines.map(({ color }) => color))].map((color, i) => [color, `line${i}`]));
  const plot = (line: Line): string => plotOf(line, props, colors.get(line.color) ?? 'black', style);
  const oddOf = (line: Line): string[] => signs(line, props, colors.get(line.color) ?? 'black');
  const legend = names.flatMap((line) => [
    `\\addlegendimage{${lookOf(line, colors.get(line.color) ?? 'black', style)}}`,
    `\\addlegendentry{${escaped(line.label)}}`,
  ]);
  return `${[
    `% Compile with ${isLatin ? 'pdflatex' : 'xelatex or lualatex'}.`,
    '\\documentclass[border=2pt]{standalone}',
    ...(isLatin ? [] : ['\\usepackage{ctex}']),
    '\\usepackage{pgfplots}',
    '\\pgfplotsset{compat=1.16}',
    ...(props.lines.some(({ band }) => band) ? ['\\usepgfplotslibrary{fillbetween}'] : []),
    ...[...colors].map(
      ([color, name]) => `\\definecolor{${name}}{HTML}{${hexOf(rgbOf(color)).slice(1).toUpperCase()}}`,
    ),
    ...(style.family === 'serif'
      ? []
      : [`\\renewcommand{\\familydefault}{\\${style.family === 'sans' ? 'sf' : 'tt'}default}`]),
    '\\begin{document}',
    `\\fontsize{${style.fontSize}}{${Math.round(style.fontSize * 12) / 10}}\\selectfont`,
    '\\begin{tikzpicture}',
    `\\begin{axis}[\n  ${first.join(',\n  ')}\n]`,
    ...(props.marks ?? []).map(({ x }) => mark(x)),
    ...left.map(plot),
    ...left.flatMap(oddOf),
    ...legend,
    '\\end{axis}',
    ...(right.length > 0
      ? [`\\begin{axis}[\n  ${second.join(',\n  ')}\n]`, ...right.map(plot), ...right.flatMap(oddOf), '\\end{axis}']
      : []),
    '\\end{tikzpicture}',
    '\\end{document}',
  ].join('\n')}\n`;
}

/** Next to the plot: places of numbers on the scale, as texts. */
function colorBar(scale: ColorScale): string[] {
  const { stops, low, high } = scale;
  const shades = stops.map((color) => `rgb255=(${rgbOf(color).join(',')})`);
  return [
    `colorbar, colormap={scale}{${shades.join(' ')}}, point meta min=0, point meta max=1`,
    `colorbar style={title={${escaped(scaleText(scale))}}, ytick={0,1}, ` +
      `yticklabels={{${escaped(low)}},{${escaped(high)}}}}`,
  ];
}

function domainOf(props: LineChartProps): readonly [number, number] {
  if (props.xWindow) return props.xWindow;
  let [low, high] = [Infinity, -Infinity];
  for (const { x } of props.lines) {
    for (const value of x) {
      if (!Number.isFinite(value) || (props.logX && value <= 0)) continue;
      [low, high] = [Math.min(low, value), Math.max(high, value)];
    }
  }
  return low < high ? [low, high] : low === high ? [low - 0.5, high + 0.5] : [0, 1];
}

function limits(window: LineChartProps['yWindow']): string[] {
  return window ? [`ymin=${window[0]}, ymax=${window[1]}`] : [];
}

/** TeX cannot write times: their texts are those of the chart. */
function timeTicks(props: LineChartProps, style: FigureStyle): readonly Tick[] {
  if (!isTime(props)) return [];
  const [domain, log] = [domainOf(props), props.logX === true && props.xKind !== 'wall'];
  const width = (paperOf(style)[0] - SIDES) / scaleOf(style);
  const ticks = fittingTicks(makeScale(domain, [0, width], log), [-Infinity, Infinity], 4, (count) =>
    xTicks(props.xKind, domain, log, count, props.locale),
  );
  return ticks.filter(({ label }) => label);
}

const isTime = ({ xKind }: LineChartProps): boolean => xKind === 'wall' || xKind === 'relative';

const micro = (seconds: number): number => Math.round(seconds * 1e6) / 1e6;

/** The chart with another x: numbers as large as seconds since the epoch stop TeX ("Dimension too large"). */
function later(props: LineChartProps, by: number): LineChartProps {
  const moved = (x: number): number => micro(x + by);
  return {
    ...props,
    lines: props.lines.map((line) => ({ ...line, x: Array.from(line.x, moved) })),
    ...(props.xWindow ? { xWindow: [moved(props.xWindow[0]), moved(props.xWindow[1])] as const } : {}),
    ...(props.marks ? { marks: props.marks.map((one) => ({ ...one, x: moved(one.x) })) } : {}),
  };
}

function lookOf({ dash, role }: Line, color: string, style: FigureStyle): string {
  const points = (length: number): number => Math.round(length * scaleOf(style) * 100) / 100;
  const dashes = dash?.length ? dash.map((length, i) => `${i % 2 === 0 ? 'on' : 'off'} ${points(length)}pt`) : [];
  return [
    color,
    `line width=${style.lineWidth}pt`,
    ...(dashes.length > 0 ? [`dash pattern=${dashes.join(' ')}`] : []),
    ...(role === 'raw' ? ['opacity=0.28'] : []),
  ].join(', ');
}

function plotOf(line: Line, props: LineChartProps, color: string, style: FigureStyle): string {
  const shown = fewer(line, seenOf(props, line), Math.max(40, Math.floor(MOST / 4 / props.lines.length)));
  const table = (ys: Numbers): string => {
    const breaks = new Set(line.breaks);
    const rows = shown.flatMap((i) => [
      ...(breaks.has(i) ? [`${line.x[i]} nan`] : []),
      `${line.x[i]} ${numberOf(ys[i] as number, props.logY === true)}`,
    ]);
    return `table {\nx y\n${rows.join('\n')}\n};`;
  };
  const id = line.id.replace(/[^a-z0-9]/gi, (letter) => `u${letter.codePointAt(0)}`);
  const edge = (name: string, ys: Numbers): string =>
    `\\addplot[name path=${name}${id}, draw=none, forget plot] ${table(ys)}`;
  if (line.band?.bars) return barredPlot(line, line.band, shown, props, lookOf(line, color, style));
  const band = line.band
    ? [
        edge('low', line.band.low),
        edge('high', line.band.high),
        `\\addplot[${color}, fill opacity=0.16, draw=none, forget plot] fill between[of=low${id} and high${id}];`,
      ]
    : [];
  return [...band, `\\addplot[${lookOf(line, color, style)}, forget plot] ${table(line.y)}`].join('\n');
}

/** A line with an error bar at each point. */
function barredPlot(
  { x, y, breaks }: Line,
  { low, high }: NonNullable<Line['band']>,
  shown: readonly number[],
  { logY = false }: LineChartProps,
  look: string,
): string {
  const broken = new Set(breaks);
  const rows = shown.flatMap((i) => {
    const value = y[i] as number;
    const by = [value - (low[i] as number), (high[i] as number) - value].map((far) => (Number.isFinite(far) ? far : 0));
    return [...(broken.has(i) ? [`${x[i]} nan 0 0`] : []), `${x[i]} ${numberOf(value, logY)} ${by.join(' ')}`];
  });
  const bars = 'error bars/.cd, y dir=both, y explicit';
  const columns = 'x=x, y=y, y error minus=minus, y error plus=plus';
  const table = ['x y minus plus', ...rows].join('\n');
  return `\\addplot[${look}, forget plot, ${bars}] table[${columns}] {\n${table}\n};`;
}

/** Of each of so many columns of points the first, smallest, largest and last. */
export function fewer({ y }: Pick<Line, 'y'>, places: readonly number[], columns: number): readonly number[] {
  if (places.length <= 4 * columns) return places;
  const kept: number[] = [];
  for (let column = 0; column < columns; column++) {
    const from = Math.floor((column * places.length) / columns);
    const some = places.slice(from, Math.floor(((column + 1) * places.length) / columns));
    const by = (better: (a: number, b: number) => boolean): number =>
      some.reduce((best, i) => (better(y[i] as number, y[best] as number) ? i : best), some[0] as number);
    const ends = [some[0], some.at(-1)] as number[];
    const chosen = new Set([...ends, by((a, b) => a < b), by((a, b) => a > b)]);
    for (const i of some) if (chosen.has(i) || !Number.isFinite(y[i])) kept.push(i);
  }
  return kept;
}

function numberOf(value: number, isLog: boolean): string {
  return Number.isFinite(value) && !(isLog && value <= 0) ? String(value) : 'nan';
}

const SIGNS = 200; // of a line, at most

/** Values that are not finite, at the edges that they are beyond. */
function signs(line: Line, props: LineChartProps, color: string): string[] {
  if (line.role === 'raw') return [];
  const odd = seenOf(props, line).filter((i) => !Number.isFinite(line.y[i]));
  return odd.slice(0, SIGNS).map((i) => {
    const y = line.y[i] as number;
    const [sign, height] = Number.isNaN(y)
      ? ['times', 0.03]
      : y > 0
        ? ['bigtriangleup', 0.97]
        : ['bigtriangledown', 0.03];
    return `\\node[${color}] at ({axis cs:${line.x[i]},1}|-{rel axis cs:0,${height}}) {$\\${sign}$};`;
  });
}

function mark(x: number): string {
  return `\\draw[black!50, dashed] ({axis cs:${x},1}|-{rel axis cs:0,0}) -- ({axis cs:${x},1}|-{rel axis cs:0,1});`;
}

const SPECIAL: Readonly<Record<string, string>> = {
  '\\': '\\textbackslash{}',
  '~': '\\textasciitilde{}',
  '^': '\\textasciicircum{}',
  '−': '$-$',
  '≤': '$\\leq$',
  '≥': '$\\geq$',
  '<': '\\textless{}',
  '>': '\\textgreater{}',
  '|': '\\textbar{}',
};

/** A text as TeX writes it. */
export function escaped(text: string): string {
  return text.replace(/[\\~^−≤≥<>|]|[{}$&#%_]|[\u0000-\u001f\u007f-\u009f]/g, (letter) =>
    letter < ' ' || (letter > '~' && letter < '\u00a0') ? ' ' : (SPECIAL[letter] ?? `\\${letter}`),
  );
}
