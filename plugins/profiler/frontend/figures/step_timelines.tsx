/** Steps of two profiles below each other, on one time axis that starts with the step. */
import type { JSX } from 'preact';
import type { StepTimeline } from '../answers/comparison';
import type { ProfilerParts } from '../board';
import { timeText } from '../units';
import { categoryText } from '../words';
import { inkOf } from './ink';
import { Legend, shortened } from './drawing';

const [LANE, GAP, HEAD, AXIS] = [16, 4, 24, 22]; // px
const NARROW = 560; // px, of a phone
const TICK = 110; // px, about, between two

/** Round times from 0 to the longest. */
function ticksOf(longest: number, count: number): readonly number[] {
  const rough = longest / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const pitch = ([1, 2, 5].find((one) => one * power >= rough) ?? 10) * power;
  return Array.from({ length: Math.floor(longest / pitch) + 1 }, (_, i) => i * pitch);
}

export interface StepTimelinesProps {
  readonly board: ProfilerParts;
  readonly width: number;
  /** A step without a title has no line for it. */
  readonly steps: readonly { readonly title: string; readonly timeline: StepTimeline }[];
}

export function StepTimelines({ board, width, steps }: StepTimelinesProps): JSX.Element {
  const locale = board.page.locale.value;
  const ink = inkOf(board.page.theme.value);
  const longest = steps.reduce((most, { timeline }) => Math.max(most, timeline.duration), 1);
  const labels = width < NARROW ? 84 : 150;
  const scale = (width - labels - 8) / longest;
  const tops: number[] = [];
  let height = 0;
  for (const { title, timeline } of steps) {
    tops.push(height);
    height += (title ? HEAD : 0) + timeline.lanes.length * (LANE + GAP) + GAP;
  }
  const categories = new Set(
    steps.flatMap(({ timeline }) => timeline.lanes.flatMap(({ runs }) => runs.map(({ category }) => category))),
  );
  return (
    <>
      <svg
        class="drawing"
        role="img"
        width={width}
        height={height + AXIS}
        aria-label={steps
          .map(({ title, timeline }) => [title, timeText(timeline.duration, locale)].filter(Boolean).join(': '))
          .join('; ')}
      >
        {ticksOf(longest, Math.max(2, (width - labels) / TICK)).map((time) => {
          const x = labels + time * scale;
          return (
            <g key={time}>
              <line x1={x} x2={x} y1={0} y2={height} stroke={ink.grid} />
              <text
                x={x}
                y={height + 15}
                fill={ink.muted}
                font-size={11}
                text-anchor={width - x < 40 ? 'end' : 'middle'}
              >
                {time === 0 ? '0' : timeText(time, locale)}
              </text>
            </g>
          );
        })}
        {steps.map(({ title, timeline }, at) => (
          <g key={title} transform={`translate(0 ${tops[at]})`} data-testid="aligned-step">
            {title && (
              <text x={0} y={16} fill={ink.text} font-size={12} font-weight={600}>
                {`${title} · ${timeText(timeline.duration, locale)}`}
              </text>
            )}
            {timeline.lanes.map(({ label, runs }, row) => (
              <g key={row} transform={`translate(0 ${(title ? HEAD : 0) + row * (LANE + GAP)})`}>
                <text x={0} y={LANE - 4} fill={ink.muted} font-size={11}>
                  <title>{label}</title>
                  {shortened(label, labels - 8)}
                </text>
                <rect x={labels} width={timeline.duration * scale} height={LANE} fill={ink.grid} fill-opacity={0.5} />
                {runs.map(({ start, end, category }) => (
                  <rect
                    key={start}
                    x={labels + start * scale}
                    width={Math.max(0.5, (end - start) * scale)}
                    height={LANE}
                    fill={ink.category(category)}
                  >
                    <title>{`${categoryText(board, category)} · ${timeText(end - start, locale)}`}</title>
                  </rect>
                ))}
              </g>
            ))}
          </g>
        ))}
      </svg>
      <div class="inline-legend">
        <Legend
          entries={[...categories].map((key) => ({ key, color: ink.category(key), label: categoryText(board, key) }))}
        />
      </div>
    </>
  );
}
