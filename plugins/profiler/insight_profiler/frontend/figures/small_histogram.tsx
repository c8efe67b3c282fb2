import type { JSX } from 'preact';
import type { ProfilerBoard } from '../board';
import { countText, timeText } from '../units';
import { useWidth } from './figure';
import { inkOf } from './ink';
import { usePointed } from './pointed';
import { Tip, useTip } from './tip';

interface SmallHistogramProps {
  readonly board: ProfilerBoard;
  /** ns; bins of the same width in log space. */
  readonly edges: readonly number[];
  readonly counts: readonly number[];
  readonly label: string;
}

const [TOP, BOTTOM, HEIGHT] = [14, 18, 110];

/** How durations spread. */
export function SmallHistogram({ board, edges, counts, label }: SmallHistogramProps): JSX.Element {
  const [ref, width] = useWidth(320);
  const ink = inkOf(board.theme.value);
  const tip = useTip();
  const pointed = usePointed(counts.length, null);
  const locale = board.locale.value;
  const highest = Math.max(1, ...counts);
  const slot = width / Math.max(1, counts.length);
  const plot = HEIGHT - TOP - BOTTOM;
  const text = (i: number): string => `${timeText(edges[i] ?? 0, locale)} – ${timeText(edges[i + 1] ?? 0, locale)}`;
  return (
    <div ref={ref} class="drawing-place" onPointerLeave={() => ((tip.value = null), (pointed.at.value = null))}>
      <svg
        class="drawing"
        width={width}
        height={HEIGHT}
        font-size={10.5}
        role="listbox"
        tabIndex={0}
        aria-label={label}
        aria-activedescendant={pointed.at.value === null ? undefined : `profiler-bin-${pointed.at.value}`}
        onKeyDown={pointed.onKeyDown}
        onBlur={pointed.onBlur}
      >
        <text x={0} y={10} fill={ink.muted}>
          {countText(highest, locale)}
        </text>
        {counts.map((count, i) => (
          <g
            key={i}
            id={`profiler-bin-${i}`}
            role="option"
            aria-selected={pointed.at.value === i}
            aria-label={`${text(i)}: ${count}`}
            onPointerMove={(event) => {
              pointed.at.value = i;
              tip.value = {
                x: event.clientX,
                y: event.clientY,
                title: text(i),
                lines: [[board.t('column.calls'), countText(count, locale)]],
              };
            }}
          >
            <rect
              x={i * slot}
              y={TOP}
              width={slot}
              height={plot}
              fill={pointed.at.value === i ? ink.selection : 'transparent'}
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
      </svg>
      <Tip tip={tip} />
    </div>
  );
}
