/** What stands above the rows: the whole profile in small, and the axis of time with the steps. */
import { closedAtFirst } from './layout';
import { holds, type StepRange } from '../address';
import { type Picture, shadeOf, SHADES } from './paint';
import { CATEGORY_NAMES, type Slices, type TracksAnswer } from './answers';
import { axisOf } from './axis';
import { lengthOf, type Span } from './span';
import { colorOf, Strips } from './strips';

const STEPS_TOP = 22;
const HANDLE = 5; // px
export const HEIGHT = 44; // of the minimap, px

export function paintRuler(
  context: CanvasRenderingContext2D,
  { span, width, ink, locale, steps }: Picture,
  chosen: StepRange | null,
): void {
  context.fillStyle = ink.background;
  context.fillRect(0, 0, width, 80);
  const x = (time: number): number => ((time - span.from) / lengthOf(span)) * width;
  const { ticks, base } = axisOf(span, width, locale);
  context.font = `11px ${ink.font}`;
  context.textBaseline = 'middle';
  const left = base === '' ? 0 : context.measureText(base).width + 14;
  context.fillStyle = ink.muted;
  for (const { at, text } of ticks) {
    const place = Math.round(x(at));
    context.fillRect(place, 15, 1, 6);
    const wide = context.measureText(text).width;
    if (place > left && place + 4 + wide < width) context.fillText(text, place + 4, 11);
  }
  if (base !== '') {
    context.fillStyle = ink.text;
    context.fillText(base, 4, 11);
  }
  context.fillStyle = ink.grid;
  context.fillRect(0, STEPS_TOP - 1, width, 1);
  let last = -1;
  for (const { number, start, duration } of steps) {
    const [from, to] = [Math.max(0, x(start)), Math.min(width, x(start + duration))];
    if (to < 0 || from > width || (to - from < 1 && Math.round(from) === last)) continue;
    last = Math.round(from);
    const isIn = holds(chosen, number);
    context.globalAlpha = isIn ? 1 : 0.35;
    context.fillStyle = chosen && isIn ? ink.accent : number % 2 === 0 ? ink.other : ink.grid;
    context.fillRect(Math.round(from), STEPS_TOP + 2, Math.max(1, Math.round(to) - Math.round(from) - 1), 16);
    const text = number.toLocaleString(locale, { useGrouping: false });
    if (to - from > context.measureText(text).width + 8) {
      context.fillStyle = chosen && isIn ? ink.background : ink.text;
      context.fillText(text, from + 4, STEPS_TOP + 10.5);
    }
  }
  context.globalAlpha = 1;
}

/** All of the profile in small: a line for each group. It is painted again only when it changes. */
export class Minimap {
  private readonly canvas = document.createElement('canvas');
  private readonly strips = new Strips();
  private painted: readonly unknown[] = [];

  draw(
    context: CanvasRenderingContext2D,
    { width, ratio, ink, byCategory }: Picture,
    whole: Span,
    answer: Slices | null,
    answered: TracksAnswer,
  ): void {
    const { width: columns, height: rows } = context.canvas;
    const wanted = [columns, rows, ratio, ink, byCategory, answer, answered];
    if (wanted.some((one, i) => one !== this.painted[i])) {
      this.painted = wanted;
      this.canvas.width = columns;
      this.canvas.height = rows;
      const own = this.canvas.getContext('2d');
      own?.setTransform(ratio, 0, 0, ratio, 0, 0);
      if (own && answer) paintGroups(own, this.strips, { width, ratio, ink, byCategory }, whole, answer, answered);
    }
    context.drawImage(this.canvas, 0, 0, columns / ratio, rows / ratio);
  }
}

function paintGroups(
  context: CanvasRenderingContext2D,
  strips: Strips,
  { width, ratio, ink, byCategory }: Pick<Picture, 'width' | 'ratio' | 'ink' | 'byCategory'>,
  whole: Span,
  answer: Slices,
  { tracks }: TracksAnswer,
): void {
  const quiet = new Set(closedAtFirst(tracks));
  const shown = tracks.filter(({ slices, id, parent }) => slices > 0 && !quiet.has(`g${parent ?? id}`));
  const groups = [...new Set(shown.map(({ id, parent }) => parent ?? id))].sort(
    (a, b) => (tracks[a]?.order ?? 0) - (tracks[b]?.order ?? 0) || a - b,
  );
  const pitch = (HEIGHT - 6) / Math.max(1, groups.length);
  const pixels = Math.max(1, Math.round(width * ratio));
  const scale = pixels / lengthOf(whole);
  strips.begin(pixels, groups.length);
  const lines = new Map(
    groups.map((group, at) => [group, strips.line(3 + at * pitch, Math.max(1, Math.min(14, pitch - 1)))]),
  );
  const [names, categories] = [
    Array.from({ length: SHADES }, (_, i) => colorOf(ink.rank(i))),
    CATEGORY_NAMES.map((name) => colorOf(ink.category(name))),
  ];
  const shades = new Map([...answer.names].map(([place, text]) => [place, names[shadeOf(text)]]));
  for (const { id, parent } of shown) {
    const lane = answer.lanes.get(id)?.[0];
    const line = lines.get(parent ?? id) ?? 0;
    for (let i = lane?.low ?? 0; lane && i < lane.high; i++) {
      const begin = answer.start[i] as number;
      const from = Math.min(pixels - 1, Math.max(0, Math.round((begin - whole.from) * scale)));
      const to = Math.min(
        pixels,
        Math.max(from + 1, Math.round((begin + (answer.duration[i] as number) - whole.from) * scale)),
      );
      strips.fill(
        line,
        from,
        to,
        (byCategory ? categories[answer.category[i] as number] : shades.get(answer.name[i] as number)) ?? 0,
      );
    }
  }
  strips.draw(context, 0, width);
}

/** The whole profile, and what part of it is below. */
export function paintMinimap(
  context: CanvasRenderingContext2D,
  picture: Picture,
  whole: Span,
  answer: Slices | null,
  tracks: TracksAnswer,
  minimap: Minimap,
): void {
  const { width, ink, span } = picture;
  const height = HEIGHT;
  context.fillStyle = ink.background;
  context.fillRect(0, 0, width, height);
  minimap.draw(context, picture, whole, answer, tracks);
  const x = (time: number): number => ((time - whole.from) / lengthOf(whole)) * width;
  const [from, to] = [x(span.from), Math.max(x(span.from) + 2, x(span.to))];
  context.fillStyle = ink.background;
  context.globalAlpha = 0.6;
  context.fillRect(0, 0, from, height);
  context.fillRect(to, 0, width - to, height);
  context.globalAlpha = 1;
  context.strokeStyle = ink.accent;
  context.lineWidth = 1.5;
  context.strokeRect(from + 0.75, 0.75, Math.max(1, to - from - 1.5), height - 1.5);
  context.fillStyle = ink.accent;
  context.fillRect(from - 1, height / 2 - 8, HANDLE - 1, 16);
  context.fillRect(to - HANDLE + 2, height / 2 - 8, HANDLE - 1, 16);
}
