/** Colours of the drawing, all resolved: a saved picture needs no page around it. */
import type { Theme } from '@insight-host/api';
import { hash, hexOf, oklch, rgbOf } from '@insight-host/kit';
import type { GraphNode } from '../answers';
import type { Coloring } from '../board';
import type { Scene } from './scene';

export interface Tint {
  readonly fill: string;
  readonly stroke: string;
}
export interface Ink {
  readonly dark: boolean;
  readonly text: string;
  readonly muted: string;
  readonly background: string;
  readonly line: string;
  readonly accent: string;
  /** Of edges that lead to the selected node, and from it. */
  readonly into: string;
  readonly outOf: string;
  readonly scope: Tint;
  readonly plain: Tint;
  readonly constant: Tint;
  readonly parameter: Tint;
  readonly proxy: Tint;
  frame(depth: number): Tint;
}

export function inkOf(theme: Theme): Ink {
  const dark = theme.mode === 'dark';
  const token = (name: string, otherwise: string): string => hexOf(rgbOf(theme.token(name).trim() || otherwise));
  const background = token('--surface', dark ? '#161b22' : '#ffffff');
  return {
    dark,
    background,
    text: token('--text', dark ? '#e4e8ed' : '#1b2027'),
    muted: token('--muted', dark ? '#9aa5b2' : '#59636f'),
    line: dark ? oklch(0.53, 0.02, 255) : oklch(0.72, 0.018, 255),
    accent: token('--accent', dark ? '#6aa9ff' : '#1f62c4'),
    into: dark ? oklch(0.74, 0.13, 65) : oklch(0.6, 0.15, 50),
    outOf: dark ? oklch(0.74, 0.12, 165) : oklch(0.56, 0.12, 165),
    scope: dark
      ? { fill: oklch(0.31, 0.018, 255), stroke: oklch(0.52, 0.025, 255) }
      : { fill: oklch(0.955, 0.01, 255), stroke: oklch(0.72, 0.025, 255) },
    plain: { fill: background, stroke: token('--border-strong', dark ? '#3d4754' : '#c6ccd5') },
    constant: { fill: background, stroke: dark ? oklch(0.48, 0.015, 255) : oklch(0.78, 0.012, 255) },
    parameter: dark
      ? { fill: oklch(0.3, 0.045, 75), stroke: oklch(0.6, 0.09, 75) }
      : { fill: oklch(0.965, 0.035, 85), stroke: oklch(0.72, 0.1, 75) },
    proxy: { fill: background, stroke: dark ? oklch(0.5, 0.015, 255) : oklch(0.75, 0.012, 255) },
    frame(depth) {
      const even = depth % 2 === 0;
      return dark
        ? { fill: even ? oklch(0.205, 0.013, 255) : oklch(0.235, 0.015, 255), stroke: oklch(0.37, 0.02, 255) }
        : { fill: even ? oklch(0.995, 0.002, 255) : oklch(0.975, 0.005, 255), stroke: oklch(0.86, 0.014, 255) };
    },
  };
}

/** A tint for a hue in degrees. */
function hued(ink: Ink, hue: number): Tint {
  return ink.dark
    ? { fill: oklch(0.32, 0.05, hue), stroke: oklch(0.62, 0.1, hue) }
    : { fill: oklch(0.945, 0.04, hue), stroke: oklch(0.68, 0.11, hue) };
}

/** A tint for a share from 0 to 1: the more, the warmer. */
export function heated(ink: Ink, share: number): Tint {
  const s = Math.max(0, Math.min(1, share));
  return ink.dark
    ? {
        fill: oklch(0.25 + 0.27 * s, 0.02 + 0.12 * s, 55 - 25 * s),
        stroke: oklch(0.42 + 0.3 * s, 0.05 + 0.12 * s, 55 - 25 * s),
      }
    : {
        fill: oklch(0.985 - 0.2 * s, 0.01 + 0.13 * s, 75 - 40 * s),
        stroke: oklch(0.84 - 0.26 * s, 0.04 + 0.14 * s, 75 - 40 * s),
      };
}

const HUES = 24;

interface ColorKey extends Tint {
  /** `''`: what has no name of its own; the legend says what. */
  readonly label: string;
  readonly count: number;
}
export interface Palette {
  tintOf(node: GraphNode, parent: string): Tint;
  /** The most frequent first. */
  readonly keys: readonly ColorKey[];
  /** Microseconds: the ends of the scale of times. */
  readonly times: readonly [number, number] | null;
}

/** The tint of every node, by what is asked for. */
export function paletteOf(scene: Scene, ink: Ink, coloring: Coloring): Palette {
  const times = scene.nodes.flatMap(({ item }) => (item.node?.time ? [item.node.time] : []));
  const [least, most] = [Math.min(...times), Math.max(...times)];
  const own = (node: GraphNode): Tint =>
    node.kind === 'constant'
      ? ink.constant
      : node.kind === 'parameter'
        ? ink.parameter
        : node.children > 0
          ? ink.scope
          : ink.plain;
  const share = (time: number): number => (most > least ? Math.log(time / least) / Math.log(most / least) : 1);
  const tintOf = (node: GraphNode, parent: string): Tint => {
    if (coloring === 'time') return node.time ? heated(ink, share(node.time)) : ink.plain;
    const name = nameFor(coloring, node, parent);
    return name === '' ? own(node) : hued(ink, (hash(name) % HUES) * (360 / HUES));
  };
  const counts = new Map<string, ColorKey & { count: number }>();
  for (const { item, parent } of scene.nodes) {
    if (!item.node || coloring === 'time') continue;
    const name = nameFor(coloring, item.node, parent);
    if (name === '') continue;
    const label =
      coloring === 'scope' ? (scene.names.get(name) ?? name) : coloring === 'structure' ? item.node.name : name;
    const key = counts.get(name);
    if (key) key.count += 1;
    else counts.set(name, { label, count: 1, ...tintOf(item.node, parent) });
  }
  return {
    tintOf,
    keys: [...counts.values()].sort((a, b) => b.count - a.count),
    times: times.length > 0 && coloring === 'time' ? [least, most] : null,
  };
}

/** What decides on the hue of a node; `''` for none. */
function nameFor(coloring: Coloring, node: GraphNode, parent: string): string {
  switch (coloring) {
    case 'type':
      return node.kind === 'constant' || node.kind === 'parameter' ? '' : node.type;
    case 'scope':
      return node.kind === 'scope' ? node.id : node.kind === 'operator' || node.kind === 'stack' ? parent : '';
    case 'structure':
      return node.structure > 0 ? `#${node.structure}` : '';
    case 'device':
      return node.device;
    case 'time':
      return '';
  }
}
