import { useChart } from '@insight-host/kit';
import { CanvasPainter, palette } from '@insight-host/kit/draw';
import { FlameGraph } from '@insight-host/kit/flame';
import { html } from '@insight-host/kit/html';
import { mountHistogramChart, type HistogramChart, type HistogramChartProps } from '@insight-host/kit/histograms';
import { mountLineChart, type LineChart, type LineChartProps } from '@insight-host/kit/lines';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Given } from '../given';
import { bell, edges, steps } from '../samples';

export function LinesOverSteps({ page }: Given): JSX.Element {
  const host = useRef<HTMLDivElement>(null);
  const x = Array.from({ length: 200 }, (_, step) => step);
  const props: LineChartProps = {
    lines: ['#2f6fd0', '#c2571a'].map((color, i) => ({
      id: `run ${i}`,
      label: `run ${i}`,
      color,
      x,
      y: x.map((step) => Math.exp(-step / (30 + 40 * i)) + 0.05 * Math.sin(step / 3)),
    })),
    xKind: 'step',
    xLabel: 'step',
    yLabel: 'loss',
    title: 'loss',
    description: 'loss of two runs over steps',
    theme: page.theme.value,
    locale: page.locale.value,
  };
  useChart<LineChartProps, LineChart>(mountLineChart, props, host, useRef<LineChart | null>(null));
  return <div ref={host} class="plot" />;
}

export function HistogramsOverSteps({ page }: Given): JSX.Element {
  const host = useRef<HTMLDivElement>(null);
  const texts = { valueLabel: 'value', countLabel: 'count', rowLabel: 'step', title: 'weights' };
  const rows = steps.map((step) => ({
    id: `${step}`,
    label: `${step}`,
    at: step,
    counts: bell(step),
    percentiles: [],
  }));
  const props: HistogramChartProps = {
    ...{ view: 'top', edges, rows, rowKind: 'step', color: '#2f6fd0' },
    ...texts,
    description: 'histograms of weights over steps',
    theme: page.theme.value,
    locale: page.locale.value,
  };
  useChart<HistogramChartProps, HistogramChart>(mountHistogramChart, props, host, useRef<HistogramChart | null>(null));
  return <div ref={host} class="plot" />;
}

export function Calls({ page }: Given): JSX.Element {
  const nodes = {
    parent: [-1, 0, 1, 1, 0],
    name: [0, 1, 2, 3, 4],
    own: [1, 2, 40, 24, 8],
    whole: [75, 66, 40, 24, 8],
    count: [1, 10, 10, 10, 1],
    before: [],
    names: ['main train.py:90', 'step train.py:41', 'aten::mm', 'aten::relu', 'save train.py:60'],
    total: 75,
    nodes: 5,
  };
  return <FlameGraph page={page} nodes={nodes} label="calls of a training" valueText={(ms) => `${ms} ms`} />;
}

export function Painting({ page }: Given): JSX.Element {
  const canvas = useRef<HTMLCanvasElement>(null);
  const theme = page.theme.value;
  useEffect(() => {
    if (!canvas.current) return;
    const painter = CanvasPainter.of(canvas.current, 1);
    const { text, axis } = palette(theme);
    painter.begin(300, 80);
    painter.segment(10, 60, 290, 60, { color: axis, width: painter.hairline });
    painter.circle(150, 40, 12, '#c2571a');
    painter.text(150, 66, 'painted', { color: text, align: 'center', baseline: 'top' });
  }, [theme]);
  return <canvas ref={canvas} width={300} height={80} aria-label="A painted circle" role="img" />;
}

export function WithoutABuild(): JSX.Element {
  return html`<p class="note">${'Markup'} in plain JavaScript</p>` as JSX.Element;
}
