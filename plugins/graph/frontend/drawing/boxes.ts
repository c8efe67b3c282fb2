/** Boxes sized to their texts. */
import type { GraphNode, Proxy } from '../answers';

export interface Box {
  readonly width: number;
  readonly height: number;
  readonly title: string;
  /** Second line: the type, where the title does not say it. */
  readonly note: string;
  /** How many members: at the right end of what can be opened. */
  readonly badge: string;
}

export const FAMILY =
  "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'PingFang SC', 'Microsoft YaHei', 'Noto " +
  "Sans CJK SC', sans-serif";
export const TITLE_SIZE = 12;
export const NOTE_SIZE = 10;
export const SMALL_SIZE = 10.5;
export const TITLE_WEIGHT = 600;
const WIDEST = 190; // pixels of a title
const NARROWEST = 44;

type Measure = (text: string, font: string) => number;

let context: CanvasRenderingContext2D | null | undefined;
const measured = new Map<string, number>();

/** Pixels that a text takes; without a canvas (tests) an estimate. */
export const textWidth: Measure = (text, font) => {
  const key = `${font}\n${text}`;
  let width = measured.get(key);
  if (width === undefined) {
    context ??= document.createElement('canvas').getContext('2d');
    if (context) {
      context.font = font;
      ({ width } = context.measureText(text));
    } else
      width =
        [...text].reduce((sum, letter) => sum + (letter > '⺀' ? 1 : 0.56), 0) *
        Number(/([\d.]+)px/.exec(font)?.[1] ?? TITLE_SIZE);
    if (measured.size > 20_000) measured.clear();
    measured.set(key, width);
  }
  return width;
};

export const fontOf = (size: number, weight = 400): string => `${weight} ${size}px ${FAMILY}`;

/** The text, its middle left out where it is wider than `room`: names differ at both ends. */
export function shortened(text: string, font: string, room: number, measure: Measure = textWidth): string {
  if (measure(text, font) <= room) return text;
  const letters = [...text];
  let [low, high] = [1, letters.length - 1]; // letters that stay
  const kept = (count: number): string =>
    `${letters.slice(0, Math.ceil(count * 0.6)).join('')}…` +
    `${count > 1 ? letters.slice(letters.length - Math.floor(count * 0.4)).join('') : ''}`;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (measure(kept(middle), font) <= room) low = middle;
    else high = middle - 1;
  }
  return kept(low);
}

/** Whether a title says its type already: `Conv2D-op12`, `Conv2D`. */
function saysType(name: string, type: string): boolean {
  const letters = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  return type === '' || letters(name).includes(letters(type).replace(/^aten|^prim|^onnx/, ''));
}

export function boxOf(node: GraphNode | Proxy): Box {
  const { kind, name, type } = node;
  if (kind === 'proxy') return pill(name, 24);
  if (kind === 'constant' || kind === 'parameter') return pill(name, 20);
  const opens = node.children > 0;
  const font = fontOf(TITLE_SIZE, opens ? TITLE_WEIGHT : 400);
  const title = shortened(name, font, WIDEST);
  const note = opens || saysType(name, type) ? '' : shortened(type, fontOf(NOTE_SIZE), WIDEST);
  const badge = opens ? node.children.toLocaleString('en') : '';
  const text = Math.max(textWidth(title, font), textWidth(note, fontOf(NOTE_SIZE)));
  const width = Math.max(
    NARROWEST,
    Math.ceil(text) + 24 + (opens ? Math.ceil(textWidth(badge, fontOf(NOTE_SIZE, TITLE_WEIGHT))) + 18 : 0),
  );
  return { width, height: note ? 40 : opens ? 34 : 28, title, note, badge };
}

function pill(name: string, height: number): Box {
  const font = fontOf(SMALL_SIZE);
  const title = shortened(name, font, WIDEST * 0.75);
  return { width: Math.max(28, Math.ceil(textWidth(title, font)) + 20), height, title, note: '', badge: '' };
}
