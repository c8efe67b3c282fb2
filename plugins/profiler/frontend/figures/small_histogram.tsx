import type { JSX } from 'preact';
import type { ProfilerParts } from '../board';
import { countText, timeText } from '../units';
import { Drawing, useParts } from './drawing';
import { inkOf } from './ink';

interface SmallHistogramProps {
  readonly board: ProfilerParts;
  /** ns; bins of the same width in log space. */
  readonly edges: readonly number[];
  readonly counts: readonly number[];
  readonly label: string;
}

const [TOP, BOTTOM, HEIGHT] = [14, 18, 110];

/** How durations spread. */
export function SmallHistogram({ board, edges, counts, label }: SmallHistogramProps): JSX.Element {
  const parts = useParts(320);
  const { width } = parts;
  const ink = inkOf(board.page.theme.value);
  const locale = board.page.locale.value;
  const highest = Math.max(1, ...counts);
  const slot = width / Math.max(1, counts.length);
  const plot = HEIGHT - TOP - BOTTOM;
  const text = (i: number): string => `${timeText(edges[i] ?? 0, locale)} – ${timeText(edges[i + 1] ?? 0, locale)}`;
  return (
    <Drawing
      parts={parts}
      count={counts.length}
      height={HEIGHT}
      label={label}
      fontSize={10.5}
      tip={(i) => ({ title: text(i), lines: [[board.page.t('column.calls'), countText(counts[i] ?? 0, locale)]] })}
      middle={(i) => [(i + 0.5) * slot, TOP + plot / 2]}
    >
      {(part) => (
        <>
          <text x={0} y={10} fill={ink.muted}>
            {countText(highest, locale)}
          </text>
          {counts.map((count, i) => (
            <g key={i} {...part(i)} aria-label={`${text(i)}: ${count}`}>
              <rect
                x={i * slot}
                y={TOP}
                width={slot}
                height={plot}
                fill={parts.at.value === i ? ink.selection : 'transparent'}
              />
              <rect
                x={i * slot + 0.5}
                y={TOP + plot * (1 - count / highest)}
                width={Math.max(1, slot - 1)}
                height={(plot * count) / highest}
                fill={ink.accent}
              />
            </g>
          ))}
          <path d={`M0 ${TOP + plot + 0.5}H${width}`} stroke={ink.muted} />
          <text x={0} y={HEIGHT - 5} fill={ink.muted}>
            {timeText(edges[0] ?? 0, locale)}
          </text>
          <text x={width} y={HEIGHT - 5} text-anchor="end" fill={ink.muted}>
            {timeText(edges.at(-1) ?? 0, locale)}
          </text>
        </>
      )}
    </Drawing>
  );
}
