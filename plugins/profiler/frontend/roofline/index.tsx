/** The roofline of a profile: MFU and HFU of a step, the chart, and its operators as a table. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { ProfilerParts } from '../board';
import type { Bound, RooflineAnswer, Utilization } from '../answers/roofline';
import type { Unit } from '../answers/table';
import { Legend } from '../figures/drawing';
import { Figure } from '../figures/figure';
import { inkOf } from '../figures/ink';
import { LocalTable } from '../table/local_table';
import { powerText, shareText, shortShare, timeText } from '../units';
import { Ceilings } from './ceilings';
import { boundColor, RooflineChart } from './chart';
import { rooflineOf } from './scale';
import { boundText, typeText } from './words';

const BOUNDS: readonly Bound[] = ['compute', 'memory', 'neither'];
const COLUMNS: Readonly<Record<string, Unit>> = {
  name: 'text',
  shapes: 'text',
  time: 'ns',
  share: 'share',
  bound: 'text',
  reached: 'share',
  saving: 'ns',
  intensity: 'count',
  rate: 'rate',
  bandwidth: 'bytes_per_second',
  flops: 'flops',
  traffic: 'bytes',
  precision: 'text',
  calls: 'count',
};

interface Props {
  readonly board: ProfilerParts;
  readonly answer: RooflineAnswer;
  readonly busy: boolean;
}

export function Roofline({ board, answer, busy }: Props): JSX.Element {
  const { t: say } = board.page;
  const locale = board.page.locale.value;
  const chosen = useSignal<number | null>(null);
  const drawn = useMemo(() => rooflineOf(answer), [answer]);
  const ink = inkOf(board.page.theme.value);
  const choose = (at: number): void => void (chosen.value = chosen.value === at ? null : at);
  const rows = useMemo(
    () =>
      answer.rows.map((row) => ({
        ...row,
        share: answer.known > 0 ? row.time / answer.time : null,
        bound: boundText(board, row),
        reached: row.above ?? row.reached,
        precision: row.precision === null ? '' : typeText(board, row.precision),
      })),
    [answer, locale],
  );
  const keys = rows.map(({ name, shapes, precision }) => [name, shapes, precision].join('\n'));
  const keyOf = (row: { readonly [column: string]: unknown }): string =>
    [row['name'], row['shapes'], row['precision']].join('\n');
  const times = new Map<Bound | null, number>();
  for (const { bound, time } of answer.rows) times.set(bound, (times.get(bound) ?? 0) + time);
  const unplaced = answer.rows.reduce((sum, { intensity, time }) => sum + (intensity === null ? time : 0), 0);
  return (
    <>
      <Figure
        board={board}
        name="roofline"
        title={say('roofline.title')}
        hint={say('roofline.hint')}
        content={drawn ? 'drawing' : 'chart'}
        busy={busy}
        data={() => ({
          head: ['name', 'shapes', 'intensity', 'flop_per_second', 'bytes_per_second', 'bound', 'time_ns'],
          rows: answer.rows.map((row) => [
            row.name,
            row.shapes,
            row.intensity,
            row.rate,
            row.bandwidth,
            row.bound,
            row.time,
          ]),
        })}
      >
        <Ceilings board={board} answer={answer} />
        {drawn ? (
          <RooflineChart board={board} drawn={drawn} chosen={chosen.value} onChoose={choose} />
        ) : (
          <p class="hint">{say('roofline.no_points')}</p>
        )}
        <div class="below-curve">
          <Legend
            entries={[...BOUNDS, null].flatMap((bound) => {
              const time = times.get(bound);
              if (time === undefined) return [];
              const label = say(bound === null ? 'roofline.unknown' : `roofline.bound.${bound}`);
              const share = shortShare(time / answer.time, locale);
              return [{ key: bound ?? 'unknown', color: boundColor(ink, bound), label, share }];
            })}
          />
        </div>
        <p class="hint" data-testid="roofline-limits">
          {[
            say('roofline.known', { share: shortShare(answer.known / Math.max(1, answer.time), locale) }),
            unplaced > 0 && drawn && say('roofline.unplaced', { share: shortShare(unplaced / answer.time, locale) }),
            answer.rows.some(({ above }) => above !== null) && say('roofline.above'),
          ]
            .filter(Boolean)
            .join(' ')}
        </p>
      </Figure>
      <LocalTable
        board={board}
        name="roofline-operators"
        title={say('roofline.operators')}
        note={say('roofline.operators.note')}
        columns={COLUMNS}
        widths={{ name: 300, shapes: 260, bound: 190, rate: 130, bandwidth: 120, precision: 150, flops: 120 }}
        rows={rows as readonly { readonly [column: string]: string | number | null }[]}
        sort="-time"
        onOpen={(row) => choose(keys.indexOf(keyOf(row)))}
        isOpen={(row) => chosen.value !== null && keys[chosen.value] === keyOf(row)}
      />
    </>
  );
}

interface UsedProps {
  readonly board: ProfilerParts;
  readonly answer: RooflineAnswer;
}

/** MFU with HFU, and by how much a step could be shorter at most. */
export function UseOfPeak({ board, answer }: UsedProps): JSX.Element {
  const { t: say } = board.page;
  const locale = board.page.locale.value;
  const { utilization, rows, steps } = answer;
  const saved = rows.reduce((sum, { saving }) => sum + (saving ?? 0), 0);
  const isKnown = rows.some(({ saving }) => saving !== null);
  return (
    <>
      {utilization && <Used board={board} utilization={utilization} />}
      {isKnown && steps > 0 && (
        <div class="key-figure" data-fact="saving" title={say('roofline.saving.hint')}>
          <span class="label">{say('roofline.saving')}</span>
          <strong class="value">{timeText(saved, locale)}</strong>
          <span class="note">{say('roofline.saving.note')}</span>
        </div>
      )}
    </>
  );
}

function Used({ board, utilization }: Pick<UsedProps, 'board'> & { readonly utilization: Utilization }): JSX.Element {
  const { t: say } = board.page;
  const locale = board.page.locale.value;
  const { mfu, hfu, types } = utilization;
  return (
    <div class="key-figure" data-fact="mfu" title={say('roofline.mfu.hint')}>
      <span class="label">{say('roofline.mfu')}</span>
      <strong class="value">{mfu === null ? say('roofline.unknown') : shareText(mfu, locale)}</strong>
      <span class="note">
        {say(mfu === null ? 'roofline.flops_only' : 'roofline.flops_in', {
          flops: powerText(utilization.model_flops, 'FLOP', locale),
          time: timeText(utilization.step_time, locale),
          types: types.map((type) => typeText(board, type)).join(', '),
        })}
      </span>
      {hfu !== null && (
        <span class="note" data-fact="hfu" title={say('roofline.hfu.hint')}>
          {say('roofline.hfu', { share: shareText(hfu, locale) })}
        </span>
      )}
    </div>
  );
}
