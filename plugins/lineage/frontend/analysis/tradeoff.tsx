import { Segments, Select, type Setting } from '@insight-host/kit';
import type { Column, Goal } from '@insight-host/kit/runs';
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { Axis } from '../axes';
import type { GOALS, LineageParts } from '../board';
import { Scatter, type Places } from './scatter';

interface TradeoffProps {
  readonly board: LineageParts;
  readonly target: Column;
  readonly goal: Goal | null;
}

/** A second target: runs that no other run beats in both. */
export function Tradeoff({ board, target, goal }: TradeoffProps): JSX.Element | null {
  const { t: say } = board.page;
  const others = board.targets.value.filter(({ name }) => name !== target.name);
  const second = others.find(({ name }) => name === board.secondTarget.value) ?? null;
  const secondGoal = goalOf(board.secondGoal, second);
  const { value: rows } = board.rows.shown;
  const front = useMemo(
    () =>
      second && goal && secondGoal
        ? paretoFront(rows, { column: target, goal }, { column: second, goal: secondGoal })
        : new Int32Array(),
    [rows, target, goal, second, secondGoal],
  );
  if (others.length === 0) return null;
  const [x, y] = [board.columns.axis(target.name), second && board.columns.axis(second.name)];
  return (
    <section class="tradeoff" data-testid="tradeoff">
      <h4>{say('tradeoff')}</h4>
      <label class="target">
        <span>{say('tradeoff.second')}</span>
        <Select
          name="second-target"
          label={say('tradeoff.second')}
          value={second?.name ?? ''}
          options={[
            { value: '', text: say('tradeoff.none') },
            ...others.map(({ name }) => ({ value: name, text: name })),
          ]}
          onPick={(name) => board.secondTarget.set(name || null)}
        />
      </label>
      {second && <GoalChoice board={board} name="second-goal" setting={board.secondGoal} goal={secondGoal} />}
      {second && goal && secondGoal && x && y && (
        <>
          <p class="hint" data-testid="front">
            {say('tradeoff.front', { count: front.length })}
          </p>
          <div class="row">
            <button
              type="button"
              class="ih-button ih-small"
              data-action="select-front"
              title={say('tradeoff.select', { count: front.length })}
              disabled={front.length === 0}
              onClick={() => board.selection.only(front)}
            >
              {say('tradeoff.select.short')}
            </button>
          </div>
          <Scatter
            board={board}
            name="front-plot"
            x={x}
            y={y}
            parameters={board.columns.axes.value.map(({ column }) => column)}
            over={(places) => <Front front={front} x={x} y={y} places={places} />}
          />
        </>
      )}
    </section>
  );
}

interface FrontProps {
  readonly front: Int32Array;
  readonly x: Axis;
  readonly y: Axis;
  readonly places: Places;
}

/** Steps through the runs of the front: what is on the worse side of them is beaten. */
function Front({ front, x, y, places }: FrontProps): JSX.Element | null {
  const points = Array.from(front, (row): readonly [number, number] => [
    places.x(x.places[row] as number),
    places.y(y.places[row] as number),
  ]).filter(([left, top]) => Number.isFinite(left) && Number.isFinite(top));
  const [first, ...others] = points;
  if (!first) return null;
  const steps = others.map(([left, top]) => `H${left.toFixed(1)}V${top.toFixed(1)}`).join('');
  return (
    <g class="front">
      <path d={`M${first[0].toFixed(1)} ${first[1].toFixed(1)}${steps}`} />
      {points.map(([left, top], at) => (
        <circle key={at} cx={left} cy={top} r={6} />
      ))}
    </g>
  );
}

interface GoalChoiceProps {
  readonly board: LineageParts;
  readonly name: string;
  readonly setting: Setting<(typeof GOALS)[number]>;
  /** The one that counts now; null if nobody said it. */
  readonly goal: Goal | null;
}

/** Whether small or large values of a target are better: as chosen, else as its name or the logs say. */
export const goalOf = ({ value }: { readonly value: (typeof GOALS)[number] }, target: Column | null): Goal | null =>
  value === 'auto' ? (target?.goal ?? null) : value;

/** Chooses it. */
export function GoalChoice({ board, name, setting, goal }: GoalChoiceProps): JSX.Element {
  const { t: say } = board.page;
  return (
    <>
      <Segments<Goal | 'auto'>
        name={name}
        label={say('goal')}
        value={goal ?? 'auto'}
        options={[
          { value: 'min', text: say('goal.min') },
          { value: 'max', text: say('goal.max') },
        ]}
        onPick={(picked) => setting.set(picked)}
      />
      {goal === null && (
        <p class="hint" data-testid={`${name}-unknown`}>
          {say('goal.unknown')}
        </p>
      )}
    </>
  );
}

/** A target and whether small or large values are better. */
interface Wanted {
  readonly column: Column;
  readonly goal: Goal;
}

/**
 * Rows with finite numbers for which no other row is at least as good in both targets and better in one, the best of
 * the first target first. Of rows that are equal in both, all.
 */
export function paretoFront(rows: Int32Array, one: Wanted, other: Wanted): Int32Array {
  const better = ({ column: { numbers }, goal }: Wanted, row: number): number =>
    goal === 'min' ? (numbers[row] as number) : -(numbers[row] as number);
  const ordered = rows
    .filter((row) => Number.isFinite(better(one, row)) && Number.isFinite(better(other, row)))
    .sort((left, right) => better(one, left) - better(one, right) || better(other, left) - better(other, right));
  const front: number[] = [];
  let [best, equal] = [Infinity, NaN];
  for (const row of ordered) {
    const [first, second] = [better(one, row), better(other, row)];
    if (second < best || (second === best && first === equal)) {
      front.push(row);
      [best, equal] = [second, first];
    }
  }
  return Int32Array.from(front);
}
