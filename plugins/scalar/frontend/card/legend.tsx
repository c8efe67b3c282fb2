/** Which lines a card has: its legend, and the line that says so where there are more than it can show. */
import type { ColorScale } from '@insight-host/api';
import { scaleText } from '@insight-host/kit/draw';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { layersOf, type ScalarParts } from '../board';
import { mainLines, type Lines } from './lines';

const MOST_ENTRIES = 60;

const WIDE = 22; // pixels

/** A piece of a line. */
export function Sample({ color, dash }: { readonly color: string; readonly dash: readonly number[] }): JSX.Element {
  return (
    <svg class="sample" width={WIDE} height="10" aria-hidden="true">
      <line x1="0" x2={WIDE} y1="5" y2="5" stroke={color} stroke-width="3" stroke-dasharray={dash.join(' ')} />
    </svg>
  );
}

interface LegendProps {
  readonly lines: Lines;
  /** What the whole of it is, for screen readers. */
  readonly label: string;
  /** What the colours of the lines follow: a bar stands in the place of their names. */
  readonly scale: ColorScale | null;
}

function ColorBar({ scale }: { readonly scale: ColorScale }): JSX.Element {
  const { low, high, stops } = scale;
  return (
    <div class="legend" data-testid="color-bar">
      <em>{scaleText(scale)}</em>
      <span>{low}</span>
      <i class="color-bar" style={{ background: `linear-gradient(90deg, ${stops.join(', ')})` }} />
      <span>{high}</span>
    </div>
  );
}

/** Which colour is which line, for cards whose colours stand nowhere else on the page. */
export function Legend({ lines, label, scale }: LegendProps): JSX.Element | null {
  const all = mainLines(lines);
  const entries = useRef<HTMLDivElement>(null);
  const below = useSignal(0); // lines for which a card has no room
  useLayoutEffect(() => {
    const { current: element } = entries;
    if (!element) return;
    const count = (): void => {
      const { bottom } = element.getBoundingClientRect();
      below.value = [...element.children].filter((entry) => entry.getBoundingClientRect().top >= bottom - 1).length;
    };
    count();
    const observer = new ResizeObserver(count);
    observer.observe(element);
    return () => observer.disconnect();
  }, [lines]);
  if (all.length === 0) return null;
  if (scale) return <ColorBar scale={scale} />;
  const more = Math.max(0, all.length - MOST_ENTRIES) + below.value;
  return (
    <div class="legend" data-testid="legend">
      <div class="entries" role="group" tabIndex={0} aria-label={label} ref={entries}>
        {all.slice(0, MOST_ENTRIES).map((line) => (
          <span
            key={line.id}
            title={line.label}
            {...(line.runs?.length === 1 ? { 'data-hover-run': line.runs[0] } : {})}
          >
            <Sample color={line.color} dash={line.dash ?? []} />
            <em>{line.label}</em>
          </span>
        ))}
      </div>
      {more > 0 && (
        <span
          class="more"
          title={all
            .slice(-more)
            .map((line) => line.label)
            .join('\n')}
        >
          +{more}
        </span>
      )}
    </div>
  );
}

const MOST_LINES = 60; // lines

/** Names of the runs that a layer of a card draws: the first of the run panel, in the order of `names`. */
export function drawnOf(board: ScalarParts, names: readonly string[], layers: number): readonly string[] {
  const { lines, drawing, grouping } = board;
  const most = Math.max(1, Math.floor(MOST_LINES / layers));
  if (names.length <= most || lines.value === 'all' || grouping.isOn.value) return names;
  if (isBanded(board)) return [bestOf(board, names)].filter((best) => best !== null);
  const { places } = drawing.value;
  const place = (name: string): number => places.get(name) ?? Infinity;
  const first = new Set([...names].sort((a, b) => place(a) - place(b)).slice(0, most));
  return names.filter((name) => first.has(name));
}

/** Runs of which a layer of a card shows median and quartiles; undefined where it has no more than it can draw. */
export function aroundOf(board: ScalarParts, names: readonly string[], layers: number): readonly string[] | undefined {
  return isBanded(board) && names.length * layers > MOST_LINES ? names : undefined;
}

/** A snapshot has only the bands of the groups that it was saved with. */
const isBanded = ({ lines, grouping, page }: ScalarParts): boolean =>
  lines.value === 'band' && !grouping.isOn.value && !page.ctx.isSnapshot;

/** The run that lies over all others: the best one, while the run panel sorts by a metric. */
export function bestOf({ drawing }: ScalarParts, names: readonly string[]): string | null {
  const { places, orders } = drawing.value;
  if (!orders.slice(1).some(({ isChosen }) => isChosen)) return null;
  const place = (name: string): number => places.get(name) ?? Infinity;
  return names.reduce<string | null>((best, name) => (best === null || place(name) < place(best) ? name : best), null);
}

interface LineLimitProps {
  readonly board: ScalarParts;
  readonly tag: string;
}

/** "60 of 240 lines: newest · best val_acc · all", for a card with more lines than it draws at first. */
export function LineLimit({ board, tag }: LineLimitProps): JSX.Element | null {
  if (board.grouping.isOn.value) return null;
  const { t: say } = board.page;
  const layers = layersOf(board, tag).filter(({ edge }) => !edge);
  const names = layers.map((layer) => board.tags.runNames(layer.tag));
  const total = names.reduce((sum, one) => sum + one.length, 0);
  if (total <= MOST_LINES) return null;
  const drawn = names.reduce((sum, one) => sum + drawnOf(board, one, layers.length).length, 0);
  const { value: mode } = board.lines;
  const [isAll, isBand] = [mode === 'all', isBanded(board)];
  const choices = [
    ...board.drawing.value.orders.map(({ text, isChosen, choose }) => ({
      text,
      isChosen: isChosen && !isAll && !isBand,
      choose: () => {
        board.lines.set('first');
        choose();
      },
    })),
    { text: say('lines.all'), isChosen: isAll, choose: () => board.lines.set('all') },
    ...(board.page.ctx.isSnapshot
      ? []
      : [{ text: say('lines.band'), isChosen: isBand, choose: () => board.lines.set('band') }]),
  ];
  return (
    <p class="line-limit" data-testid="line-limit">
      <span>{isBand ? say('lines.banded', { count: total }) : say('lines.some', { drawn, count: total })}</span>
      {choices.map(({ text, isChosen, choose }) => (
        <button key={text} type="button" aria-pressed={isChosen} onClick={choose}>
          {text}
        </button>
      ))}
    </p>
  );
}
