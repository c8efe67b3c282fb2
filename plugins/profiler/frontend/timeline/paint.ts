/** One picture of the timeline's rows. */
import { hash, visibleText } from '@insight-host/kit';
import type { Locale } from '@insight-host/api';
import { onColor, type Ink } from '../figures/ink';
import { CATEGORY_NAMES, firstFrom, type Curves, type Flow, type Lane, type Slices, type StepInfo } from './answers';
import { axisOf } from './axis';
import { BAR, barTop, PAD, rowsBetween, type Layout, type Row } from './layout';
import type { Labels } from './labels';
import { layersOf } from './store';
import { lengthOf, type Range, type Span } from './span';
import { colorOf, type Color, type Strips } from './strips';

export const SHADES = 24; // colours of names
const PALE = 0.28; // of what is not searched for
const LABEL = 26; // px that a bar is wide at least to be named
const LABEL_MOVING = 64;

export interface Picture {
  readonly layout: Layout;
  readonly span: Span;
  readonly top: number;
  /** px */
  readonly width: number;
  readonly height: number;
  readonly ratio: number;
  readonly answers: readonly Slices[];
  readonly curves: readonly Curves[];
  readonly ink: Ink;
  readonly locale: Locale;
  readonly byCategory: boolean;
  readonly matches: ((name: string) => boolean) | null;
  readonly steps: readonly StepInfo[];
  readonly counted: Span | null;
  readonly range: Range | null;
  readonly chosen: Place | null;
  readonly pointed: Place | null;
  readonly flows: readonly Flow[];
  readonly isMoving: boolean;
}

export interface Place {
  readonly track: number;
  readonly depth: number;
  readonly start: number;
  readonly duration: number;
}

interface Label {
  readonly x: number;
  readonly y: number;
  readonly room: number;
  readonly text: string;
  readonly ink: string;
}

/** Which of the colours a name has; the same everywhere. */
export const shadeOf = (name: string): number => hash(name) % SHADES;

interface Shade {
  readonly full: Color;
  readonly pale: Color;
  readonly ink: string;
}
const shadesKnown = new WeakMap<Ink, { readonly names: readonly Shade[]; readonly categories: readonly Shade[] }>();

function shadesOf(ink: Ink): { readonly names: readonly Shade[]; readonly categories: readonly Shade[] } {
  let known = shadesKnown.get(ink);
  if (!known) {
    const shade = (hex: string): Shade => ({ full: colorOf(hex), pale: colorOf(hex, PALE), ink: onColor(hex) });
    known = {
      names: Array.from({ length: SHADES }, (_, i) => shade(ink.rank(i))),
      categories: CATEGORY_NAMES.map((name) => shade(ink.category(name))),
    };
    shadesKnown.set(ink, known);
  }
  return known;
}

/** Of each name of an answer, by its place: the shade, and whether it is found. */
interface Looks {
  readonly matches: Picture['matches'];
  readonly shade: Uint8Array;
  readonly isFound: Uint8Array;
}
const looksKnown = new WeakMap<Slices, Looks>();

function looksOf(answer: Slices, { matches }: Picture): Looks {
  const known = looksKnown.get(answer);
  if (known?.matches === matches) return known;
  const size = [...answer.names.keys()].reduce((most, place) => Math.max(most, place + 1), 0);
  const looks = { matches, shade: new Uint8Array(size), isFound: new Uint8Array(size) };
  for (const [place, text] of answer.names) {
    looks.shade[place] = shadeOf(text);
    looks.isFound[place] = matches === null || matches(text) ? 1 : 0;
  }
  looksKnown.set(answer, looks);
  return looks;
}

/** Draws everything; returns how many bars. */
export function paint(context: CanvasRenderingContext2D, picture: Picture, strips: Strips, labels: Labels): number {
  const { width, height, ratio, ink, top } = picture;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.fillStyle = ink.background;
  context.fillRect(0, 0, width, height);
  const rows = rowsBetween(picture.layout, top, top + height);
  grounds(context, picture, rows);
  const named: Label[] = [];
  const count = bars(context, picture, rows, strips, named);
  context.font = `11px ${ink.font}`;
  context.textBaseline = 'middle';
  for (const { x, y, room, text, ink: color } of named) {
    const shown = labels.fitting(context, visibleText(text), room);
    if (shown === '') continue;
    context.fillStyle = color;
    context.fillText(shown, x, y);
  }
  for (const row of rows) if (row.counter) curve(context, picture, row);
  shade(context, picture);
  arrows(context, picture);
  if (picture.pointed) outline(context, picture, picture.pointed, 1);
  if (picture.chosen) outline(context, picture, picture.chosen, 2);
  return count;
}

function grounds(context: CanvasRenderingContext2D, picture: Picture, rows: readonly Row[]): void {
  const { width, height, ink, top, span, locale } = picture;
  context.fillStyle = ink.grid;
  for (const { at } of axisOf(span, width, locale).ticks)
    context.fillRect(Math.round(((at - span.from) / lengthOf(span)) * width), 0, 1, height);
  for (const row of rows) {
    const y = row.top - top;
    if (row.kind === 'group') {
      context.globalAlpha = 0.55;
      context.fillRect(0, y, width, row.height);
      context.globalAlpha = 1;
    }
    context.fillRect(0, y + row.height - 1, width, 1);
  }
}

/** Bars of all rows in sight: lines of pixels at first, names after that. */
function bars(
  context: CanvasRenderingContext2D,
  picture: Picture,
  rows: readonly Row[],
  strips: Strips,
  named: Label[],
): number {
  const { span, width, ratio, top, height, answers } = picture;
  const pixels = Math.max(1, Math.round(width * ratio));
  const column = lengthOf(span) / width;
  const lines = rows.reduce((sum, { levels, tracks }) => sum + levels * Math.max(1, tracks.length) * 2, 0);
  let count = 0;
  strips.begin(pixels, lines);
  for (const row of rows) {
    for (const track of row.tracks) {
      const layers = layersOf(answers, track, span, column);
      layers.forEach((answer, i) => {
        const above = layers[i + 1];
        for (const lane of answer.lanes.get(track) ?? []) {
          if (lane.depth >= row.levels || strips.isFull) break;
          const y = barTop(row, lane.depth) - top;
          if (y + BAR < 0 || y > height) continue;
          count += line(picture, answer, lane, above ?? null, strips, strips.line(y, BAR), pixels, y, named);
        }
      });
    }
  }
  strips.draw(context, 0, width);
  return count;
}

/** One lane of one answer; what `above` draws better is left to it. */
function line(
  picture: Picture,
  answer: Slices,
  lane: Lane,
  above: Span | null,
  strips: Strips,
  line: number,
  pixels: number,
  y: number,
  named: Label[],
): number {
  const { span, width, byCategory, isMoving } = picture;
  const { start, duration, name, category, merged } = answer;
  const looks = looksOf(answer, picture);
  const { names, categories } = shadesOf(picture.ink);
  const scale = pixels / lengthOf(span);
  const ratio = pixels / width;
  const least = (isMoving ? LABEL_MOVING : LABEL) * ratio;
  let count = 0;
  for (let i = firstFrom(answer, lane, span.from); i < lane.high; i++) {
    const begin = start[i] as number;
    if (begin > span.to) break;
    const end = begin + (duration[i] as number);
    if (above && begin >= above.from && end <= above.to) continue;
    const from = Math.max(0, Math.round((begin - span.from) * scale));
    let to = Math.min(pixels, Math.round((end - span.from) * scale));
    if (to - from >= 3 && to < pixels) to--; // a gap to the next
    if (to <= from) to = from + 1;
    if (from >= pixels) break;
    count++;
    const place = name[i] as number;
    const shade = (byCategory ? categories[category[i] as number] : names[looks.shade[place] ?? 0]) as Shade;
    const isFound = looks.isFound[place] === 1 || picture.matches === null;
    strips.fill(line, from, to, isFound ? shade.full : shade.pale);
    if (to - from >= least && merged[i] === 1)
      named.push({
        x: from / ratio + 4,
        y: y + BAR / 2 + 0.5,
        room: (to - from) / ratio - 7,
        text: answer.names.get(place) ?? '',
        ink: isFound ? shade.ink : picture.ink.muted,
      });
  }
  return count;
}

/** An area from the lowest to the highest value of a counter. */
function curve(context: CanvasRenderingContext2D, picture: Picture, row: Row): void {
  const { counter } = row;
  const { span, width, top, ink, curves } = picture;
  const answer =
    curves.find((one) => one.counters.has(counter?.id ?? -1) && one.from <= span.from && one.to >= span.to) ??
    curves.find((one) => one.counters.has(counter?.id ?? -1));
  const points = answer?.counters.get(counter?.id ?? -1);
  if (!counter || !answer || !points || counter.maximum === null || counter.minimum === null) return;
  const [low, high] = [Math.min(0, counter.minimum), Math.max(counter.maximum, counter.minimum + 1e-9, 1e-9)];
  const room = row.height - 2 * PAD - 1;
  const y = (value: number): number => row.top - top + PAD + room - ((value - low) / (high - low)) * room;
  const x = (time: number): number => ((time - span.from) / lengthOf(span)) * width;
  const { time, last, maximum } = points;
  const color = ink.rank(counter.id + 3);
  context.beginPath();
  context.moveTo(x(time[0] as number), y(0));
  for (let i = 0; i < time.length; i++) {
    const at = x(time[i] as number);
    context.lineTo(at, y(i > 0 ? (last[i - 1] as number) : 0));
    context.lineTo(at, y(maximum[i] as number));
    context.lineTo(at, y(last[i] as number));
  }
  const end = Math.max(x(time.at(-1) as number), Math.min(width, x(answer.to))); // a value holds until the next
  context.lineTo(end, y(last.at(-1) as number));
  context.lineTo(end, y(0));
  context.closePath();
  context.globalAlpha = 0.28;
  context.fillStyle = color;
  context.fill();
  context.globalAlpha = 1;
  context.strokeStyle = color;
  context.lineWidth = 1;
  context.stroke();
}

/** What does not count is dull; what is summed up stands out. */
function shade(
  context: CanvasRenderingContext2D,
  { span, width, height, counted, range, ink, top, layout }: Picture,
): void {
  const x = (time: number): number => ((time - span.from) / lengthOf(span)) * width;
  if (counted) {
    context.globalAlpha = 0.62;
    context.fillStyle = ink.background;
    context.fillRect(0, 0, Math.max(0, x(counted.from)), height);
    context.fillRect(Math.min(width, x(counted.to)), 0, Math.max(0, width - x(counted.to)), height);
    context.globalAlpha = 1;
  }
  if (!range) return;
  const [from, to] = [x(range.from), x(range.to)];
  context.fillStyle = ink.selection;
  if (range.tracks === null) context.fillRect(from, 0, to - from, height);
  else
    for (const row of new Set(range.tracks.map((track) => layout.rowOf.get(track))))
      if (row) context.fillRect(from, row.top - top, to - from, row.height);
  context.fillStyle = ink.accent;
  context.fillRect(Math.round(from), 0, 1, height);
  context.fillRect(Math.round(to) - 1, 0, 1, height);
}

function boxOf(
  { layout, span, width, top }: Picture,
  { track, depth, start, duration }: Place,
): { readonly x: number; readonly y: number; readonly width: number } | null {
  const row = layout.rowOf.get(track);
  if (!row) return null;
  const x = ((start - span.from) / lengthOf(span)) * width;
  return { x, y: barTop(row, depth) - top, width: Math.max(1, (duration / lengthOf(span)) * width) };
}

function outline(context: CanvasRenderingContext2D, picture: Picture, place: Place, thick: number): void {
  const box = boxOf(picture, place);
  if (!box) return;
  const from = Math.max(-4, box.x);
  const to = Math.min(picture.width + 4, box.x + box.width);
  if (to < -3 || from > picture.width + 3) return;
  context.strokeStyle = picture.ink.text;
  context.lineWidth = thick;
  context.strokeRect(Math.round(from) - 0.5, box.y - 0.5, Math.max(2, Math.round(to - from)), BAR + 1);
}

/** Flows of the chosen slice, from where they begin to where they end. */
function arrows(context: CanvasRenderingContext2D, picture: Picture): void {
  const near = picture.chosen && boxOf(picture, picture.chosen);
  if (!near || picture.flows.length === 0) return;
  context.strokeStyle = context.fillStyle = picture.ink.warn;
  context.lineWidth = 1.5;
  for (const { direction, slice } of picture.flows) {
    const far = boxOf(picture, slice);
    if (!far) continue;
    const [source, target] = direction === 'out' ? [near, far] : [far, near];
    const [x1, y1] = [source.x + Math.min(source.width, 6), source.y + BAR / 2];
    const [x2, y2] = [target.x, target.y + BAR / 2];
    const bend = Math.max(24, Math.min(160, Math.abs(x2 - x1) / 2));
    context.beginPath();
    context.moveTo(x1, y1);
    context.bezierCurveTo(x1 + bend, y1, x2 - bend, y2, x2, y2);
    context.stroke();
    context.beginPath();
    context.moveTo(x2, y2);
    context.lineTo(x2 - 7, y2 - 4);
    context.lineTo(x2 - 7, y2 + 4);
    context.fill();
  }
}
