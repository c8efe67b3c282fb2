/** Where boxes and the lines between them are: a column for each stage, its boxes in order from top to bottom. */
import type { LayoutChange, StageLink, StrategyStage } from '../answers/strategy';
import type { Box } from './scopes';

export const WIDTH = 292;
const [HEIGHT, HEADING, GAP] = [38, 22, 16];
const [INDENT, LANE, LANES, APART, TOP] = [14, 9, 7, 62, 8];
const LEAST = 150; // px across

export interface PlacedBox extends Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The area of an open scope. */
export interface Frame {
  readonly key: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Tensors that go from one box to another of the same stage. */
export interface Line {
  readonly from: PlacedBox;
  readonly to: PlacedBox;
  /** The way next to the boxes; 0: straight down. */
  readonly lane: number;
  readonly change: LayoutChange | null;
  readonly changes: number;
}

export interface Column {
  readonly stage: StrategyStage;
  readonly x: number;
  readonly boxes: readonly PlacedBox[];
  readonly frames: readonly Frame[];
  readonly lines: readonly Line[];
  /** The box in sight that is or holds an operator. */
  readonly boxOf: ReadonlyMap<string, PlacedBox>;
  readonly height: number;
}

export function columnOf(stage: StrategyStage, boxes: readonly Box[], at: number): Column {
  const x = 12 + at * (WIDTH + LANE * LANES + APART);
  let y = TOP;
  const placed = boxes.map((box): PlacedBox => {
    const [top, height] = [y, box.isOpen ? HEADING : HEIGHT];
    y += height + (box.isOpen ? GAP / 2 : GAP);
    const width = Math.max(LEAST, WIDTH - box.level * INDENT);
    return { ...box, x: x + box.level * INDENT, y: top, width, height };
  });
  const frames = placed.flatMap(({ isOpen, key, x: left, y: top, width, below }, i): Frame[] => {
    const last = placed[i + below];
    if (!isOpen || !last) return [];
    return [{ key, x: left, y: top, width: width + 4, height: last.y + last.height + 5 - top }];
  });
  const boxOf = new Map<string, PlacedBox>();
  for (const box of placed) {
    if (box.operator) boxOf.set(box.operator.id, box);
    else if (!box.isOpen) for (const { id } of box.scope?.operators ?? []) boxOf.set(id, box);
  }
  return { stage, x, boxes: placed, frames, boxOf, lines: linesOf(stage, placed, boxOf), height: y };
}

function linesOf(
  stage: StrategyStage,
  boxes: readonly PlacedBox[],
  boxOf: ReadonlyMap<string, PlacedBox>,
): readonly Line[] {
  const found = new Map<string, { from: PlacedBox; to: PlacedBox; change: LayoutChange | null; changes: number }>();
  const add = (from: string, to: string, change: LayoutChange | null): void => {
    const [first, second] = [boxOf.get(from), boxOf.get(to)];
    if (!first || !second || first === second) return;
    const key = `${first.key}\n${second.key}`;
    const line = found.get(key) ?? { from: first, to: second, change: null, changes: 0 };
    if (change) {
      line.change ??= change;
      line.changes++;
    }
    found.set(key, line);
  };
  for (const { id, inputs } of stage.operators) for (const input of inputs) add(input, id, null);
  for (const change of stage.changes) add(change.from, change.to, change);
  const places = new Map(boxes.map((box, i) => [box.key, i]));
  const ends: number[] = []; // of the last line in each lane
  const span = (line: { from: PlacedBox; to: PlacedBox }): readonly [number, number] => {
    const [a, b] = [places.get(line.from.key) as number, places.get(line.to.key) as number];
    return [Math.min(a, b), Math.max(a, b)];
  };
  return [...found.values()]
    .map((line) => ({ line, span: span(line) }))
    .sort((a, b) => a.span[0] - b.span[0] || a.span[1] - b.span[1])
    .map(({ line, span: [top, bottom] }): Line => {
      if (bottom === top + 1 && line.to.y > line.from.y) return { ...line, lane: 0 };
      let lane = ends.findIndex((end) => end <= top);
      if (lane < 0) lane = ends.length < LANES ? ends.length : LANES - 1;
      ends[lane] = Math.max(bottom, ends[lane] ?? 0);
      return { ...line, lane: lane + 1 };
    });
}

/** The way of a line: straight down, or out to its lane and back. */
export function lineWay({ from, to, lane }: Line): string {
  if (lane === 0) return `M${to.x + 20} ${from.y + from.height}V${to.y - 1}`;
  const [x0, x1] = [from.x + from.width, to.x + to.width];
  const [y0, y1] = [from.y + from.height * 0.68, to.y + to.height * 0.32];
  const side = Math.max(x0, x1) + lane * LANE;
  const turn = y1 > y0 ? 5 : -5;
  return `M${x0} ${y0}H${side - 5}q5 0 5 ${turn}V${y1 - turn}q0 ${turn} -5 ${turn}H${x1 + 1}`;
}

export interface PlacedLink {
  readonly link: StageLink;
  readonly from: PlacedBox;
  readonly to: PlacedBox;
}

/** Sends and receives between the stages, between the boxes that are or hold them. */
export function placedLinks(links: readonly StageLink[], columns: readonly Column[]): readonly PlacedLink[] {
  const of = (stage: number, id: string | null): PlacedBox | undefined =>
    id === null ? undefined : columns.find((column) => column.stage.stage === stage)?.boxOf.get(id);
  return links.flatMap((link) => {
    const [from, to] = [of(link.from_stage, link.from), of(link.to_stage, link.to)];
    return from && to ? [{ link, from, to }] : [];
  });
}

export function linkWay({ from, to }: PlacedLink): string {
  const forward = to.x > from.x;
  const [x0, x1] = forward ? [from.x + from.width, to.x] : [from.x, to.x + to.width];
  const [y0, y1] = [from.y + from.height / 2, to.y + to.height / 2];
  const bend = Math.max(40, Math.abs(x1 - x0) / 2) * (forward ? 1 : -1);
  return `M${x0} ${y0}C${x0 + bend} ${y0} ${x1 - bend} ${y1} ${x1} ${y1}`;
}
