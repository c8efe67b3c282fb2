/** Columns side by side, each stacked of parts: steps by what their time was spent on. */
import type { JSX } from 'preact';
import { evenTicks } from '@insight-host/kit';
import type { ProfilerParts } from '../board';
import { inUnit, unitOf, unitSign } from '../units';
import { Drawing, useParts } from './drawing';
import { inkOf } from './ink';
import type { TipText } from './tip';

export interface StackedColumn {
  readonly label: string;
  /** ns, from the bottom to the top. */
  readonly parts: readonly number[];
  readonly isChosen: boolean;
  /** Marked by a point above the column. */
  readonly isOutlier?: boolean;
}

export interface ColumnsProps {
  readonly board: ProfilerParts;
  readonly columns: readonly StackedColumn[];
  readonly layers: readonly { readonly key: string; readonly color: string; readonly label: string }[];
  readonly label: string;
  readonly xLabel: string;
  readonly height?: number;
  /** Of one column, for the tip. */
  readonly tip: (at: number) => TipText;
  readonly onPress?: (at: number, extend: boolean) => void;
}

const [LEFT, RIGHT, TOP, BOTTOM] = [56, 8, 10, 34];

export function Columns({
  board,
  columns,
  layers,
  label,
  xLabel,
  height = 240,
  tip,
  onPress,
}: ColumnsProps): JSX.Element {
  const parts = useParts(900);
  const { width } = parts;
  const ink = inkOf(board.page.theme.value);
  const highest = columns.reduce(
    (most, { parts }) =>
      Math.max(
        most,
        parts.reduce((sum, part) => sum + part, 0),
      ),
    0,
  );
  const unit = unitOf(highest);
  const [plotWidth, plotHeight] = [Math.max(50, width - LEFT - RIGHT), height - TOP - BOTTOM];
  const pitch = plotWidth / Math.max(1, columns.length);
  const slot = Math.min(96, pitch);
  const bar = Math.max(1, slot > 8 ? slot - Math.min(6, slot * 0.25) : slot * 0.85);
  const y = (ns: number): number => TOP + plotHeight - (highest > 0 ? (ns / highest) * plotHeight : 0);
  const x = (at: number): number => LEFT + at * slot + (slot - bar) / 2;
  const every = Math.max(
    1,
    Math.ceil((columns.reduce((most, { label: text }) => Math.max(most, text.length), 1) * 7 + 10) / slot),
  );
  const isFiltered = columns.some(({ isChosen }) => !isChosen);
  const locale = board.page.locale.value;
  return (
    <Drawing
      parts={parts}
      count={columns.length}
      height={height}
      label={label}
      tip={tip}
      middle={(at) => [LEFT + (at + 0.5) * slot, TOP + plotHeight / 2]}
      onPress={onPress ? (at, event) => onPress(at, event.shiftKey) : null}
    >
      {(part) => (
        <>
          {evenTicks(0, inUnit(highest, unit), 4).map((tick) => {
            const place = TOP + plotHeight - (tick / Math.max(1e-12, inUnit(highest, unit))) * plotHeight;
            return (
              <g key={tick}>
                <path d={`M${LEFT} ${place}H${width - RIGHT}`} stroke={ink.grid} />
                <text x={LEFT - 6} y={place + 4} text-anchor="end" fill={ink.muted}>
                  {tick.toLocaleString(locale)}
                </text>
              </g>
            );
          })}
          <text x={4} y={TOP + 2} fill={ink.muted} font-size={10.5}>
            {unitSign(unit)}
          </text>
          {columns.map((column, i) => {
            let below = 0;
            return (
              <g
                key={`${i}-${column.label}`}
                {...part(i)}
                aria-selected={column.isChosen && isFiltered}
                aria-label={[tip(i).title, ...tip(i).lines.map(([name, value]) => `${name} ${value}`)].join(', ')}
                data-testid="column"
                data-column={column.label}
                opacity={column.isChosen ? 1 : 0.3}
                cursor={onPress ? 'pointer' : 'default'}
                onClick={(event) => onPress?.(i, event.shiftKey)}
              >
                <rect
                  x={LEFT + i * slot}
                  y={TOP}
                  width={slot}
                  height={plotHeight}
                  fill={parts.at.value === i ? ink.selection : 'transparent'}
                />
                {column.parts.map((part, layer) => {
                  const top = y(below + part);
                  const bottom = y(below);
                  below += part;
                  return part > 0 ? (
                    <rect
                      key={layers[layer]?.key}
                      x={x(i)}
                      y={top}
                      width={bar}
                      height={Math.max(0, bottom - top)}
                      fill={layers[layer]?.color ?? ink.other}
                    />
                  ) : null;
                })}
                {column.isOutlier && (
                  <circle
                    data-testid="outlier"
                    cx={LEFT + (i + 0.5) * slot}
                    cy={TOP - 4}
                    r={Math.min(3, Math.max(1.5, slot / 3))}
                    fill={ink.accent}
                  />
                )}
                {i % every === 0 && (
                  <text
                    x={LEFT + i * slot + slot / 2}
                    y={height - BOTTOM + 14}
                    text-anchor="middle"
                    fill={column.isChosen && isFiltered ? ink.accent : ink.muted}
                  >
                    {column.label}
                  </text>
                )}
              </g>
            );
          })}
          <path d={`M${LEFT} ${TOP + plotHeight}H${width - RIGHT}`} stroke={ink.muted} />
          <text
            x={LEFT + Math.min(plotWidth, slot * columns.length) / 2}
            y={height - 4}
            text-anchor="middle"
            fill={ink.muted}
          >
            {xLabel}
          </text>
        </>
      )}
    </Drawing>
  );
}
