/** Bars on lanes below one another, over one axis of time: the course of a step. */
import type { JSX } from 'preact';
import { evenTicks } from '@insight-host/kit';
import type { ProfilerParts } from '../board';
import { inUnit, shareText, timeText, unitOf, unitSign } from '../units';
import { Drawing, useParts } from './drawing';
import { inkOf, onColor } from './ink';
import { shortened } from './scale';
import type { TipText } from './tip';

export interface Bar {
  readonly lane: number;
  readonly name: string;
  readonly start: number;
  readonly duration: number;
  readonly color: string;
}

export interface LanesProps {
  readonly board: ProfilerParts;
  readonly bars: readonly Bar[];
  readonly lanes: readonly string[];
  readonly label: string;
}

const [LEFT, RIGHT, TOP, LANE] = [150, 14, 26, 34];

export function Lanes({ board, bars, lanes, label }: LanesProps): JSX.Element {
  const parts = useParts(900);
  const { width } = parts;
  const ink = inkOf(board.page.theme.value);
  const start = bars.reduce((least, bar) => Math.min(least, bar.start), Infinity);
  const from = Number.isFinite(start) ? start : 0;
  const whole = Math.max(1, bars.reduce((most, bar) => Math.max(most, bar.start + bar.duration), 0) - from);
  const unit = unitOf(whole);
  const plot = Math.max(60, width - LEFT - RIGHT);
  const height = TOP + lanes.length * LANE + 10;
  const locale = board.page.locale.value;
  const x = (ns: number): number => LEFT + ((ns - from) / whole) * plot;
  const tip = (at: number): TipText => {
    const { name, start: begin, duration } = bars[at] as Bar;
    return {
      title: name,
      lines: [
        [board.page.t('column.duration'), timeText(duration, locale)],
        [board.page.t('lanes.start'), timeText(begin - from, locale)],
        [board.page.t('column.share'), shareText(duration / whole, locale)],
      ],
    };
  };
  const middle = (at: number): readonly [number, number] => {
    const { lane, start: begin, duration } = bars[at] as Bar;
    return [x(begin + duration / 2), TOP + lane * LANE + LANE / 2];
  };
  return (
    <Drawing parts={parts} count={bars.length} height={height} label={label} tip={tip} middle={middle}>
      {(part) => (
        <>
          {evenTicks(0, inUnit(whole, unit), 8).map((tick) => {
            const place = LEFT + (tick / inUnit(whole, unit)) * plot;
            return (
              <g key={tick}>
                <path d={`M${place} ${TOP - 6}V${height - 8}`} stroke={ink.grid} />
                <text x={place} y={12} text-anchor="middle" fill={ink.muted}>
                  {tick.toLocaleString(locale)}
                </text>
              </g>
            );
          })}
          <text x={LEFT - 10} y={12} text-anchor="end" fill={ink.muted}>
            {unitSign(unit)}
          </text>
          {lanes.map((lane, i) => (
            <text
              key={`${i}-${lane}`}
              x={LEFT - 10}
              y={TOP + i * LANE + LANE / 2 + 4}
              text-anchor="end"
              fill={ink.text}
            >
              {shortened(lane, LEFT - 16)}
              <title>{lane}</title>
            </text>
          ))}
          {bars.map((bar, i) => {
            const wide = Math.max(1, x(bar.start + bar.duration) - x(bar.start));
            const isNamed = wide > 70;
            const text = `${bar.name} ${timeText(bar.duration, locale)}`;
            return (
              <g
                key={`${i}-${bar.name}`}
                {...part(i)}
                aria-label={isNamed ? undefined : text}
                data-testid="bar"
                data-bar={bar.name}
              >
                <rect
                  x={x(bar.start)}
                  y={TOP + bar.lane * LANE + 3}
                  width={wide}
                  height={LANE - 8}
                  rx={Math.min(3, wide / 2)}
                  fill={bar.color}
                  stroke={parts.at.value === i ? ink.text : 'none'}
                />
                {isNamed && (
                  <text
                    x={x(bar.start) + 6}
                    y={TOP + bar.lane * LANE + LANE / 2 + 3}
                    fill={onColor(bar.color)}
                    font-weight={600}
                    pointer-events="none"
                  >
                    <title>{text}</title>
                    {shortened(text, wide - 12, 12.5)}
                  </text>
                )}
              </g>
            );
          })}
        </>
      )}
    </Drawing>
  );
}
