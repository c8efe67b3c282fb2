/** Operators below the ceilings of a device: speed over operations a byte, both logarithmic. */
import { logTicks } from '@insight-host/kit/draw';
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { ProfilerParts } from '../board';
import type { Bound, RooflineRow } from '../answers/roofline';
import { Drawing, type TipText, useParts } from '../figures/drawing';
import { type Ink, inkOf } from '../figures/ink';
import { MISSING, powerText, shareText, sizeText, timeText } from '../units';
import { boundText, typeText } from './words';
import type { Roofline } from './scale';

const [LEFT, RIGHT, TOP, BOTTOM] = [56, 14, 22, 38];
const [HEIGHT, LOW] = [400, 320];
const [LEAST, MOST] = [3.5, 18]; // radius, px
const LABEL = 110; // px that the name of a ceiling takes

interface Props {
  readonly board: ProfilerParts;
  readonly drawn: Roofline;
  /** Place in the answer of the operator that is chosen. */
  readonly chosen: number | null;
  readonly onChoose: (at: number) => void;
}

export function boundColor(ink: Ink, bound: Bound | null): string {
  return ink.category(bound === 'compute' ? 'kernel' : bound === 'memory' ? 'communication' : 'other');
}

export function RooflineChart({ board, drawn, chosen, onChoose }: Props): JSX.Element {
  const { t: say } = board.page;
  const locale = board.page.locale.value;
  const parts = useParts(900);
  const { width } = parts;
  const ink = inkOf(board.page.theme.value);
  const height = width < 520 ? LOW : HEIGHT;
  const { points, x: across, y: up } = drawn;
  const [right, bottom] = [width - RIGHT, height - BOTTOM];
  const x = (value: number): number =>
    LEFT + (Math.log(value / across[0]) / Math.log(across[1] / across[0])) * (right - LEFT);
  const y = (value: number): number => bottom - (Math.log(value / up[0]) / Math.log(up[1] / up[0])) * (bottom - TOP);
  // not again for each point under the pointer
  const labels = useMemo(() => points.map(({ row }) => describedBy(tipOf(board, row))), [points, locale]);
  const longest = points.reduce((most, { row }) => Math.max(most, row.time), 1);
  const radius = ({ time }: RooflineRow): number => LEAST + (MOST - LEAST) * Math.sqrt(time / longest);
  const place = (i: number): readonly [number, number] => {
    const row = points[i]?.row;
    return row ? [x(row.intensity ?? 1), y(row.rate ?? 1)] : [0, 0];
  };
  return (
    <Drawing
      parts={parts}
      count={points.length}
      height={height}
      label={say('roofline.title')}
      tip={(i) => tipOf(board, points[i]?.row)}
      middle={place}
      onPress={(i) => onChoose(points[i]?.at ?? 0)}
    >
      {(part) => (
        <>
          {namedTicks(across, (right - LEFT) / 52).map((tick) => (
            <g key={tick}>
              <path d={`M${x(tick)} ${TOP}V${bottom}`} stroke={ink.grid} />
              <text x={x(tick)} y={bottom + 15} text-anchor="middle" fill={ink.muted}>
                {tick.toLocaleString(locale, { maximumFractionDigits: 6 })}
              </text>
            </g>
          ))}
          {namedTicks(up, (bottom - TOP) / 26).map((tick) => (
            <g key={tick}>
              <path d={`M${LEFT} ${y(tick)}H${right}`} stroke={ink.grid} />
              <text x={LEFT - 6} y={y(tick) + 4} text-anchor="end" fill={ink.muted}>
                {powerText(tick, '', locale)}
              </text>
            </g>
          ))}
          <text x={4} y={TOP - 8} fill={ink.muted}>
            FLOP/s
          </text>
          <text x={right} y={height - 4} text-anchor="end" fill={ink.muted}>
            {say('roofline.intensity')}
          </text>
          <Roofs board={board} drawn={drawn} ink={ink} x={x} y={y} right={right} bottom={bottom} />
          {points.map(({ at, row }, i) => {
            const [cx, cy] = place(i);
            const isChosen = at === chosen;
            return (
              <circle
                key={at}
                {...part(i)}
                aria-selected={isChosen}
                aria-label={labels[i]}
                data-testid="operator-point"
                data-bound={row.bound ?? ''}
                cx={cx}
                cy={cy}
                r={radius(row)}
                fill={boundColor(ink, row.bound)}
                fill-opacity={isChosen ? 0.95 : 0.55}
                stroke={isChosen || parts.at.value === i ? ink.text : boundColor(ink, row.bound)}
                stroke-width={isChosen ? 2.5 : parts.at.value === i ? 1.5 : 1}
                cursor="pointer"
                onClick={() => onChoose(at)}
              />
            );
          })}
        </>
      )}
    </Drawing>
  );
}

const namedTicks = (range: readonly [number, number], most: number): readonly number[] =>
  logTicks(range, most).flatMap(({ value, label }) => (label ? [value] : []));

interface RoofsProps {
  readonly board: ProfilerParts;
  readonly drawn: Roofline;
  readonly ink: Ink;
  readonly x: (value: number) => number;
  readonly y: (value: number) => number;
  readonly right: number;
  readonly bottom: number;
}

/** The bandwidth of the memory as a slope, and the peak of each type from there on. */
function Roofs({ board, drawn, ink, x, y, right, bottom }: RoofsProps): JSX.Element {
  const locale = board.page.locale.value;
  const { roofs, memory, x: across, y: up } = drawn;
  const highest = roofs[0]?.rate ?? up[1];
  const lowest = Math.max(across[0], memory === null ? 0 : up[0] / memory);
  const ridge = memory === null ? null : Math.min(highest / memory, across[1]);
  const angle =
    memory === null || ridge === null
      ? 0
      : (Math.atan2(y(ridge * memory) - y(lowest * memory), x(ridge) - x(lowest)) * 180) / Math.PI;
  const along = memory === null || ridge === null ? 0 : 10 ** (Math.log10(lowest) * 0.55 + Math.log10(ridge) * 0.45);
  const isLong = ridge !== null && x(ridge) - x(lowest) > LABEL;
  return (
    <g pointer-events="none">
      {memory !== null && ridge !== null && ridge > lowest && (
        <>
          <path
            d={`M${x(lowest)} ${y(lowest * memory)}L${x(ridge)} ${y(ridge * memory)}`}
            stroke={ink.category('communication')}
            stroke-width={2}
            data-roof="memory"
          />
          <text
            transform={
              isLong
                ? `translate(${x(along)} ${y(along * memory) - 6}) rotate(${angle})`
                : `translate(${x(ridge) + 4} ${y(ridge * memory) + 14})`
            }
            text-anchor={isLong ? 'middle' : 'start'}
            fill={ink.text}
          >
            {`${board.page.t('roofline.memory')} ${sizeText(memory, locale)}/s`}
          </text>
        </>
      )}
      {roofs.map(({ type, rate }) => {
        const begin = memory === null ? across[0] : Math.min(rate / memory, across[1]);
        return (
          <g key={type}>
            <path
              d={`M${x(begin)} ${y(rate)}H${right}`}
              stroke={ink.category('kernel')}
              stroke-width={2}
              data-roof={type}
            />
            <text x={right - 2} y={Math.min(bottom, y(rate)) - 6} text-anchor="end" fill={ink.text}>
              {`${typeText(board, type)} ${powerText(rate, 'FLOP/s', locale)}`}
            </text>
          </g>
        );
      })}
    </g>
  );
}

const describedBy = ({ title, lines }: TipText): string =>
  [title, ...lines.map(([name, value]) => `${name} ${value}`)].join(', ');

function tipOf(board: ProfilerParts, row: RooflineRow | undefined): TipText {
  if (!row) return { title: '', lines: [] };
  const { t: say } = board.page;
  const locale = board.page.locale.value;
  const share = row.above ?? row.reached;
  return {
    title: row.name,
    lines: [
      [say('column.shapes'), row.shapes.length > 60 ? `${row.shapes.slice(0, 58)}…` : row.shapes || MISSING],
      [say('column.time'), `${timeText(row.time, locale)} (${say('roofline.calls', { count: row.calls })})`],
      [say('column.intensity'), row.intensity === null ? MISSING : row.intensity.toLocaleString(locale, DIGITS)],
      [say('column.rate'), row.rate === null ? MISSING : powerText(row.rate, 'FLOP/s', locale)],
      [say('column.bandwidth'), row.bandwidth === null ? MISSING : `${sizeText(row.bandwidth, locale)}/s`],
      [say('column.bound'), boundText(board, row)],
      ...(share === null ? [] : [[say('column.reached'), shareText(share, locale)] as const]),
    ],
  };
}

const DIGITS = { maximumSignificantDigits: 3 } as const;
