/** What stands above the rows: the whole profile in small, and the axis of time with the steps. */
import { holds, type StepRange } from '../steps';
import { shadeOf, type Picture } from './paint';
import { firstFrom, CATEGORY_NAMES, type Slices, type TracksAnswer } from './answers';
import { axisOf } from './axis';
import { lengthOf, type Span } from './span';
import { colorOf, type Strips } from './strips';

const STEPS_TOP = 22;
const HANDLE = 5; // px

export function paintRuler(context: CanvasRenderingContext2D, { span, width, ink, locale, steps }: Picture, chosen: StepRange | null): void {
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

/** All of the profile: a line for each group, and what part of it is below. */
export function paintMinimap(context: CanvasRenderingContext2D, { width, ratio, ink, span, byCategory }: Picture, whole: Span, answer: Slices | null, { tracks }: TracksAnswer, strips: Strips): void {
  const height = 44;
  context.fillStyle = ink.background;
  context.fillRect(0, 0, width, height);
  const groups = [...new Set(tracks.filter(({ slices }) => slices > 0).map(({ id, parent }) => parent ?? id))].sort((a, b) => (tracks[a]?.order ?? 0) - (tracks[b]?.order ?? 0) || a - b);
  const pitch = (height - 6) / Math.max(1, groups.length);
  const pixels = Math.max(1, Math.round(width * ratio));
  const scale = pixels / lengthOf(whole);
  if (answer) {
    strips.begin(pixels, groups.length);
    const [names, categories] = [Array.from({ length: 24 }, (_, i) => colorOf(ink.rank(i))), CATEGORY_NAMES.map((name) => colorOf(ink.category(name)))];
    groups.forEach((group, at) => {
      const line = strips.line(3 + at * pitch, Math.max(1, Math.min(14, pitch - 1)));
      for (const { id, parent } of tracks) {
        const lane = (parent ?? id) === group ? answer.lanes.get(id)?.[0] : undefined;
        for (let i = lane ? firstFrom(answer, lane, whole.from) : 0; lane && i < lane.high; i++) {
          const begin = answer.start[i] as number;
          const from = Math.min(pixels - 1, Math.max(0, Math.round((begin - whole.from) * scale)));
          const to = Math.min(pixels, Math.max(from + 1, Math.round((begin + (answer.duration[i] as number) - whole.from) * scale)));
          const color = byCategory ? categories[answer.category[i] as number] : names[shadeOf(answer.names.get(answer.name[i] as number) ?? '')];
          strips.fill(line, from, to, color as number);
        }
      }
    });
    strips.draw(context, 0, width);
  }
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
