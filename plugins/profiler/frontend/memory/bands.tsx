/** Who held how much memory over time: bands upon each other. A press chooses the moment, a drag a span. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { evenTicks } from '@insight-host/kit';
import { sizeText, summandTexts, timeText, inUnit, unitOf, unitSign } from '../units';
import type { HeldAnswer } from '../answers/calls';
import type { ProfilerParts } from '../board';
import { Drawing, Legend, type TipText, useParts } from '../figures/drawing';
import { inkOf } from '../figures/ink';

const [LEFT, RIGHT, TOP, BOTTOM, HEIGHT] = [74, 14, 10, 26, 260];

export interface BandsProps {
  readonly board: ProfilerParts;
  readonly answer: HeldAnswer;
  /** Else columns are of equally many events. */
  readonly isOverTime: boolean;
  readonly nameOf: (name: string | null) => string;
  readonly colorOf: (place: number, name: string | null) => string;
  readonly at: number;
  readonly label: string;
  /** Where the span begins that ends at that moment. */
  readonly since: number | null;
  readonly onPick: (time: number) => void;
  readonly onSpan: (from: number, to: number) => void;
}

export function Bands({
  board,
  answer,
  isOverTime,
  nameOf,
  colorOf,
  at,
  since,
  label,
  onPick,
  onSpan,
}: BandsProps): JSX.Element {
  const parts = useParts(900);
  const ink = inkOf(board.page.theme.value);
  const locale = board.page.locale.value;
  const { time, names, bytes } = answer;
  const [first, last] = [time[0] ?? 0, time.at(-1) ?? 0];
  const plot = Math.max(60, parts.width - LEFT - RIGHT);
  const tall = HEIGHT - TOP - BOTTOM;
  const sums = stackedUp(bytes, time.length);
  const high = sums.at(-1)?.reduce((most, value) => Math.max(most, value), 0) ?? 0;
  const columns = time.map((ns, i) =>
    isOverTime ? (ns - first) / Math.max(1, last - first) : i / Math.max(1, time.length - 1),
  );
  const x = (place: number): number => LEFT + (columns[place] ?? 0) * plot;
  const nearest = (moment: number): number =>
    time.reduce((best, ns, i) => (Math.abs(ns - moment) < Math.abs((time[best] ?? 0) - moment) ? i : best), 0);
  const chosen = nearest(at);
  const dragged = useSignal<number | null>(null); // the column where a drag began
  const end = dragged.value === null ? chosen : (parts.at.value ?? dragged.value);
  const begin = dragged.value ?? (since === null ? null : nearest(since));
  const choose = (place: number, from: number | null): void => {
    const [first, last] = [Math.min(place, from ?? place), Math.max(place, from ?? place)];
    if (first === last) onPick(time[place] ?? 0);
    else onSpan(time[first] ?? 0, time[last] ?? 0);
  };
  const y = (value: number): number => TOP + tall - (high > 0 ? value / high : 0) * tall;
  useEffect(() => {
    const stop = (): void => void (dragged.value = null);
    window.addEventListener('pointerup', stop);
    return () => window.removeEventListener('pointerup', stop);
  }, []);
  const unit = unitOf(last);
  const tip = (place: number): TipText => ({
    title: timeText(time[place] ?? 0, locale),
    lines: [
      [board.page.t('memory.all'), sizeText(sums.at(-1)?.[place] ?? 0, locale)],
      ...names
        .map((name, i) => [nameOf(name), sizeText(bytes[i]?.[place] ?? 0, locale), colorOf(i, name)] as const)
        .filter((_, i) => (bytes[i]?.[place] ?? 0) > 0)
        .slice(0, 10),
    ],
  });
  return (
    <>
      <Drawing
        parts={parts}
        count={time.length}
        height={HEIGHT}
        label={label}
        tip={tip}
        middle={(place) => [x(place), TOP + tall / 2]}
        onPress={(place, event) => choose(place, event.shiftKey ? chosen : null)}
      >
        {(part) => (
          <>
            {evenTicks(0, high, 4).map((tick) => (
              <g key={tick}>
                <path d={`M${LEFT} ${y(tick)}H${LEFT + plot}`} stroke={ink.grid} />
                <text x={LEFT - 8} y={y(tick) + 4} text-anchor="end" fill={ink.muted}>
                  {sizeText(tick, locale)}
                </text>
              </g>
            ))}
            {ticksOf(columns, time, plot).map((place) => (
              <text key={place} x={x(place)} y={HEIGHT - 8} text-anchor="middle" fill={ink.muted}>
                {inUnit(time[place] ?? 0, unit).toLocaleString(locale, { maximumFractionDigits: 3 })} {unitSign(unit)}
              </text>
            ))}
            {names.map((name, i) => (
              <path
                key={i}
                data-band={name ?? ''}
                d={bandPath(
                  time.map((_, i) => x(i)),
                  sums[i - 1],
                  sums[i] ?? [],
                  y,
                )}
                fill={colorOf(i, name)}
              />
            ))}
            {time.map((moment, i) => {
              const from = i === 0 ? LEFT : (x(i - 1) + x(i)) / 2;
              const to = i === time.length - 1 ? LEFT + plot : (x(i) + x(i + 1)) / 2;
              return (
                <rect
                  key={i}
                  {...part(i)}
                  aria-label={`${timeText(moment, locale)}: ${summandTexts(sums.at(-1)?.[i] ?? 0, 0, locale)[0]}`}
                  x={from}
                  y={TOP}
                  width={Math.max(0.5, to - from)}
                  height={tall}
                  fill={parts.at.value === i ? ink.selection : 'transparent'}
                  onPointerDown={(event) => {
                    if (event.pointerType === 'touch' || event.button !== 0) return;
                    event.currentTarget.releasePointerCapture(event.pointerId);
                    dragged.value = i;
                  }}
                  onPointerUp={() => {
                    // no click follows where a drag ends in another column
                    if (dragged.value !== null && dragged.value !== i) choose(i, dragged.value);
                  }}
                  onClick={(event) => choose(i, event.shiftKey ? chosen : null)}
                />
              );
            })}
            {begin !== null && (
              <rect
                data-testid="held-span"
                x={Math.min(x(begin), x(end))}
                y={TOP}
                width={Math.max(1, Math.abs(x(end) - x(begin)))}
                height={tall}
                fill={ink.selection}
                stroke={ink.text}
                stroke-dasharray="3 2"
                pointer-events="none"
              />
            )}
            <path
              d={`M${x(chosen)} ${TOP}V${TOP + tall}`}
              stroke={ink.text}
              stroke-dasharray="3 2"
              pointer-events="none"
            />
          </>
        )}
      </Drawing>
      <Legend entries={names.map((name, i) => ({ key: name ?? '', color: colorOf(i, name), label: nameOf(name) }))} />
    </>
  );
}

/** For each band how high it reaches at each time, upon those before it. */
export function stackedUp(bytes: readonly (readonly number[])[], count: number): readonly (readonly number[])[] {
  let below: readonly number[] = new Array<number>(count).fill(0);
  return bytes.map((band) => (below = below.map((value, i) => value + (band[i] ?? 0))));
}

/** Columns whose times are written below, far enough from each other and from the edges. */
function ticksOf(columns: readonly number[], time: readonly number[], plot: number): readonly number[] {
  const found: number[] = [];
  let free = 0.04;
  columns.forEach((share, i) => {
    if (share < free || share > 0.96 || time[i] === time[found.at(-1) ?? -1]) return;
    found.push(i);
    free = share + 130 / plot;
  });
  return found;
}

function bandPath(
  places: readonly number[],
  below: readonly number[] | undefined,
  above: readonly number[],
  y: (value: number) => number,
): string {
  // memory stays as it is until it is taken or given back
  const steps = (levels: readonly number[]): string[] =>
    levels.flatMap((level, i) => [
      `${places[i]?.toFixed(1)} ${y(level).toFixed(1)}`,
      ...(i + 1 < levels.length ? [`${places[i + 1]?.toFixed(1)} ${y(level).toFixed(1)}`] : []),
    ]);
  const base = steps(below ?? above.map(() => 0)).reverse();
  return `M${[...steps(above), ...base].join('L')}Z`;
}
