/** Parts of a whole: as a ring or as bars, each with its time and its share. */
import type { Signal } from '@preact/signals';
import type { JSX } from 'preact';
import type { ProfilerParts } from '../board';
import { shareText, timeCell, timeText, type TimeUnit } from '../units';
import { Drawing, useParts, type PartAttributes } from './drawing';
import { inkOf, type Ink } from './ink';
import { shortened } from './scale';

export interface Part {
  readonly key: string;
  readonly label: string;
  readonly value: number;
  readonly share: number;
  readonly color: string;
  /** Nothing to go into. */
  readonly isRest?: boolean;
}

export interface SharesProps {
  readonly board: ProfilerParts;
  readonly parts: readonly Part[];
  readonly unit: TimeUnit;
  readonly label: string;
  readonly as: 'pie' | 'bars';
  readonly onPress?: (part: Part) => void;
}

const LINE = 19;
const RING = 208; // px across
const TWO = 640; // px from which there are two columns of lines

export function Shares({ board, parts, unit, label, as, onPress }: SharesProps): JSX.Element {
  const drawing = useParts(900);
  const { width } = drawing;
  const press = (at: number): void => {
    const part = parts[at];
    if (part && !part.isRest) onPress?.(part);
  };
  const ink = inkOf(board.page.theme.value);
  const common = { board, parts, unit, ink, at: drawing.at, press: onPress ? press : null };
  const room = as === 'pie' ? Math.max(260, width - RING - 32) : width;
  const inColumn = parts.length > 11 && room >= TWO ? Math.ceil(parts.length / 2) : parts.length;
  const height = Math.max(as === 'pie' ? RING + 8 : 0, inColumn * LINE + 8);
  return (
    <Drawing parts={drawing} count={parts.length} height={height} label={label} fontSize={11.5} onPress={common.press}>
      {(part) =>
        as === 'pie' ? (
          <>
            <Ring {...common} />
            <g transform={`translate(${RING + 28} ${(height - inColumn * LINE) / 2})`}>
              <Lines {...common} part={part} room={room} inColumn={inColumn} bars={false} />
            </g>
          </>
        ) : (
          <g transform="translate(0 4)">
            <Lines {...common} part={part} room={room} inColumn={inColumn} bars />
          </g>
        )
      }
    </Drawing>
  );
}

interface PartsProps {
  readonly board: ProfilerParts;
  readonly parts: readonly Part[];
  readonly unit: TimeUnit;
  readonly ink: Ink;
  /** The one that is pointed at. */
  readonly at: Signal<number | null>;
  readonly press: ((at: number) => void) | null;
}

function Ring({ board, parts, ink, at: pointed, press }: PartsProps): JSX.Element {
  const [outer, inner, middle] = [RING / 2 - 4, RING / 4 + 8, RING / 2];
  let angle = -Math.PI / 2;
  const whole = parts.reduce((sum, { value }) => sum + value, 0);
  const { value: at } = pointed;
  const shown = at === null ? null : (parts[at] ?? null);
  const locale = board.page.locale.value;
  return (
    <g transform={`translate(0 4)`}>
      {parts.map((part, i) => {
        const sweep = whole > 0 ? (part.value / whole) * 2 * Math.PI : 0;
        const [from, to] = [angle, angle + sweep];
        angle = to;
        if (sweep <= 0) return null;
        return (
          <path
            key={part.key}
            d={arc(middle, inner, at === i ? outer + 4 : outer, from, to)}
            fill={part.color}
            stroke={ink.background}
            stroke-width={sweep > 0.02 ? 1 : 0}
            data-part={part.key}
            cursor={press && !part.isRest ? 'pointer' : 'default'}
            onPointerEnter={() => (pointed.value = i)}
            onClick={() => press?.(i)}
          />
        );
      })}
      <text x={middle} y={middle - 3} text-anchor="middle" fill={ink.muted} font-size={11}>
        {shown ? shortened(shown.label, 2 * inner - 12, 11) : board.page.t('shares.whole')}
      </text>
      <text x={middle} y={middle + 15} text-anchor="middle" fill={ink.text} font-size={14} font-weight={600}>
        {shown ? shareText(shown.share, locale) : timeText(whole, locale)}
      </text>
    </g>
  );
}

function arc(middle: number, inner: number, outer: number, from: number, to: number): string {
  // A whole turn has no two ends: it is drawn as almost one.
  const end = Math.min(to, from + 2 * Math.PI - 1e-4);
  const large = end - from > Math.PI ? 1 : 0;
  const at = (radius: number, angle: number): string =>
    `${(middle + radius * Math.cos(angle)).toFixed(2)} ${(middle + radius * Math.sin(angle)).toFixed(2)}`;
  return (
    `M${at(outer, from)}A${outer} ${outer} 0 ${large} 1 ${at(outer, end)}` +
    `L${at(inner, end)}A${inner} ${inner} 0 ${large} 0 ${at(inner, from)}Z`
  );
}

interface LinesProps extends PartsProps {
  /** px for all of them. */
  readonly room: number;
  readonly inColumn: number;
  readonly bars: boolean;
  readonly part: (at: number) => PartAttributes;
}

/** One line for each part: its colour, name, time and share. */
function Lines({
  board,
  parts,
  unit,
  ink,
  at,
  press,
  room: all,
  inColumn,
  bars,
  part: attributes,
}: LinesProps): JSX.Element {
  const locale = board.page.locale.value;
  const highest = parts.reduce((most, { value }) => Math.max(most, value), 0);
  const count = Math.ceil(parts.length / inColumn);
  const pitch = all / Math.max(1, count);
  const width = bars ? pitch - (count > 1 ? 20 : 0) : Math.min(420, pitch - 16);
  const numbers = 140;
  const names = bars ? Math.min(210, width * 0.36) : width - numbers;
  const room = Math.max(10, width - names - numbers - 16);
  return (
    <g>
      {parts.map((part, i) => (
        <g
          key={part.key}
          {...attributes(i)}
          data-part={part.key}
          data-testid="part"
          transform={`translate(${Math.floor(i / inColumn) * pitch} ${(i % inColumn) * LINE})`}
          cursor={press && !part.isRest ? 'pointer' : 'default'}
          onClick={() => press?.(i)}
        >
          <rect width={width} height={LINE} rx={3} fill={at.value === i ? ink.selection : 'transparent'} />
          {bars ? (
            <rect
              x={names + 8}
              y={4}
              height={LINE - 8}
              rx={2}
              width={highest > 0 ? Math.max(1, (part.value / highest) * room) : 0}
              fill={part.color}
            />
          ) : (
            <rect x={2} y={5} width={10} height={10} rx={3} fill={part.color} />
          )}
          <text
            x={bars ? names : 18}
            y={13.5}
            text-anchor={bars ? 'end' : 'start'}
            fill={part.isRest ? ink.muted : ink.text}
            {...(part.isRest ? { 'font-style': 'italic' } : {})}
          >
            <title>{part.label}</title>
            {shortened(part.label, names - 20, 11.5)}
          </text>
          <text x={width - 62} y={13.5} text-anchor="end" fill={ink.text}>
            {timeCell(part.value, unit, locale)}
          </text>
          <text x={width - 4} y={13.5} text-anchor="end" fill={ink.muted}>
            {shareText(part.share, locale)}
          </text>
        </g>
      ))}
    </g>
  );
}
