/** The reserved segments of a device at a moment and the blocks in them, to scale; what is between is free. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { PoolAnswer } from '../answers/calls';
import type { ProfilerParts } from '../board';
import { Drawing, type TipText, useParts } from '../figures/drawing';
import { inkOf } from '../figures/ink';
import { sizeText, timeText } from '../units';

const [ROW, GAP, LEFT] = [20, 5, 84];
const NARROWEST = 0.4; // px
const MOST_ROWS = 40;

interface Block {
  readonly row: number;
  readonly left: number;
  readonly width: number;
  readonly place: number;
}

/** A layer that is drawn anew only when what it is of has changed: there may be thousands of blocks. */
function Unchanged({ of, draw }: { readonly of: readonly unknown[]; readonly draw: () => JSX.Element[] }): JSX.Element {
  return useMemo(() => <g>{draw()}</g>, of);
}

export interface PoolProps {
  readonly board: ProfilerParts;
  readonly pool: Pick<PoolAnswer, 'segments' | 'blocks'>;
  readonly colorOf: (purpose: string) => string;
  readonly purposeOf: (purpose: string) => string;
  readonly label: string;
}

export function Pool({ board, pool, colorOf, purposeOf, label }: PoolProps): JSX.Element {
  const parts = useParts(900);
  const all = useSignal(false);
  const near = useSignal<number | null>(null); // the segment that fills the width
  const ink = inkOf(board.page.theme.value);
  const locale = board.page.locale.value;
  const { segments, blocks } = pool;
  const plot = Math.max(60, parts.width - LEFT - 8);
  const order = useMemo(
    () => segments.bytes.map((_, i) => i).sort((a, b) => (segments.bytes[b] ?? 0) - (segments.bytes[a] ?? 0)),
    [segments],
  );
  const rows = all.value ? order : order.slice(0, MOST_ROWS);
  const largest = segments.bytes[order[0] ?? 0] ?? 1;
  const scaleOf = (segment: number): number =>
    plot / (near.value === segment ? (segments.bytes[segment] ?? 1) : largest);
  const shown = useMemo(() => {
    const rowOf = new Map(rows.map((segment, row) => [segment, row]));
    const found: Block[] = [];
    blocks.segment.forEach((segment, place) => {
      const row = rowOf.get(segment);
      if (row === undefined) return;
      const scale = scaleOf(segment);
      const width = (blocks.bytes[place] ?? 0) * scale;
      if (width >= NARROWEST) found.push({ row, left: (blocks.offset[place] ?? 0) * scale, width, place });
    });
    return found;
  }, [blocks, rows.length, near.value, plot]);
  const tip = (at: number): TipText => {
    const place = shown[at]?.place ?? 0;
    return {
      title: blocks.name[place] || board.page.t('memory.unknown'),
      lines: [
        [board.page.t('column.bytes'), sizeText(blocks.bytes[place] ?? 0, locale)],
        [board.page.t('column.purpose'), purposeOf(blocks.purpose[place] ?? '')],
        [board.page.t('memory.since'), timeText(blocks.start[place] ?? 0, locale)],
      ],
    };
  };
  const pointed = parts.at.value === null ? undefined : shown[parts.at.value];
  const y = (row: number): number => row * (ROW + GAP) + 2;
  const turn = (segment: number): void => void (near.value = near.value === segment ? null : segment);
  return (
    <>
      <Drawing
        parts={parts}
        count={shown.length}
        height={rows.length * (ROW + GAP) + 4}
        label={label}
        tip={tip}
        middle={(at) => {
          const { left = 0, width = 0, row = 0 } = shown[at] ?? {};
          return [LEFT + left + width / 2, y(row) + ROW / 2];
        }}
        onPress={(at) => turn(rows[shown[at]?.row ?? 0] ?? 0)}
      >
        {(part) => (
          <>
            {rows.map((segment, row) => (
              <g key={segment} data-segment={segment}>
                <text x={LEFT - 8} y={y(row) + 14} text-anchor="end" fill={ink.muted}>
                  {sizeText(segments.bytes[segment] ?? 0, locale)}
                </text>
                <rect
                  x={LEFT}
                  y={y(row)}
                  width={Math.max(1, (segments.bytes[segment] ?? 0) * scaleOf(segment))}
                  height={ROW}
                  rx={3}
                  fill={ink.grid}
                  stroke={near.value === segment ? ink.accent : 'none'}
                  onClick={() => turn(segment)}
                />
              </g>
            ))}
            <Unchanged
              of={[shown, board.page.theme.value, locale]}
              draw={() =>
                shown.map(({ row, left, width, place }, i) => (
                  <rect
                    key={place}
                    {...part(i)}
                    aria-label={`${blocks.name[place] ?? ''} ${sizeText(blocks.bytes[place] ?? 0, locale)}`}
                    x={LEFT + left}
                    y={y(row)}
                    width={Math.max(0.6, width - (width > 3 ? 0.6 : 0))}
                    height={ROW}
                    fill={colorOf(blocks.purpose[place] ?? '')}
                    onClick={() => turn(rows[row] ?? 0)}
                  />
                ))
              }
            />
            {pointed && (
              <rect
                data-testid="pool-pointed"
                x={LEFT + pointed.left}
                y={y(pointed.row)}
                width={Math.max(0.6, pointed.width)}
                height={ROW}
                fill="none"
                stroke={ink.text}
                pointer-events="none"
              />
            )}
          </>
        )}
      </Drawing>
      {order.length > MOST_ROWS && (
        <button type="button" class="tool text" data-action="all-segments" onClick={() => (all.value = !all.value)}>
          {board.page.t(all.value ? 'memory.segments.fewer' : 'memory.segments.all', { count: order.length })}
        </button>
      )}
    </>
  );
}
