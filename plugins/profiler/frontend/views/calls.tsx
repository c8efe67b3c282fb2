/** Where the time of the calls is: a flame graph from the outermost call, or from the one that spent it. */
import { Choice, Select } from '@insight-host/kit';
import { FlameGraph } from '@insight-host/kit/flame';
import type { JSX } from 'preact';
import type { CallMeasure, CallsAnswer } from '../answers/calls';
import type { ProfilerParts, ViewProps } from '../board';
import { Figure } from '../figures/figure';
import { Sides } from '../operators/sides';
import { CALL_ORDERS } from '../settings';
import { countText, sizeText, timeText } from '../units';
import { Answered, useProfileAnswer } from '../use_answer';

export default function Calls({ board }: ViewProps): JSX.Element {
  const { t: say } = board.page;
  const locale = board.page.locale.value;
  const { value: profile } = board.profiles.profile;
  const known = profile?.trees ?? [];
  const of = known.includes(board.callsOf.value) ? board.callsOf.value : (known[0] ?? 'host');
  const isUp = board.callOrder.value === 'up';
  const base = board.callsCompared.value ? board.profiles.base.value : null;
  const asked = useProfileAnswer<CallsAnswer>(board, 'call_tree', {
    of,
    ...(of === 'module' ? { side: board.side.value || null } : {}),
    ...(of === 'samples' ? { measure: board.callMeasure.value } : {}),
    ...(isUp ? { up: 1 } : {}),
    steps: of === 'memory' || of === 'samples' ? null : board.stepsQuery.value,
    ...(base ? { base_run: base.run, base_profile: base.profile } : {}),
  });
  const others = board.profiles.base.value === null && (board.profiles.listing.value?.length ?? 0) > 1;
  const texts: Readonly<Record<string, (value: number) => string>> = {
    bytes: (value) => sizeText(value, locale),
    ns: (value) => timeText(value, locale),
    count: (value) => countText(value, locale),
  };
  return (
    <div class="scroll">
      <Answered board={board} asked={asked}>
        {(nodes) => {
          const measure = nodes.measures[nodes.measure ?? -1];
          const unit = measure?.unit ?? (of === 'memory' ? 'bytes' : 'ns');
          const text = texts[unit] ?? ((value: number): string => `${countText(value, locale)} ${unit}`);
          const what = measure ? measureText(board, measure) : '';
          const title = say(`calls.title.${of}`, { total: text(nodes.total), what });
          return (
            <Figure
              board={board}
              name="calls"
              title={title}
              busy={asked.busy}
              tools={
                <>
                  {known.length > 1 && (
                    <Choice say={say} name="calls" label={say('calls')} values={known} setting={board.callsOf} />
                  )}
                  {of === 'module' && <Sides board={board} />}
                  {measure && nodes.measures.length > 1 && (
                    <Select
                      name="measure"
                      label={say('calls.measure')}
                      value={keyOf(measure)}
                      options={nodes.measures.map((one) => ({ value: keyOf(one), text: measureText(board, one) }))}
                      onPick={(name) => board.callMeasure.set(name)}
                    />
                  )}
                  <Choice say={say} name="order" label={say('order')} values={CALL_ORDERS} setting={board.callOrder} />
                  {others && (
                    <button
                      type="button"
                      class="tool text"
                      data-action="compare-calls"
                      onClick={() => (board.dialog.value = 'base')}
                    >
                      {say('calls.compare')}
                    </button>
                  )}
                  {board.profiles.base.value && (
                    <label class="tool">
                      <input
                        type="checkbox"
                        data-control="calls-compared"
                        checked={board.callsCompared.value}
                        onChange={(event) => board.callsCompared.set(event.currentTarget.checked)}
                      />{' '}
                      {say('calls.compared', { name: board.profiles.base.value.name })}
                    </label>
                  )}
                </>
              }
            >
              <FlameGraph
                page={board.page}
                nodes={nodes}
                label={title}
                valueText={text}
                counted={measure && nodes.counted === 'samples' ? say('calls.counted') : undefined}
              />
            </Figure>
          );
        }}
      </Answered>
    </div>
  );
}

/** What names a measure in the address. */
const keyOf = ({ name, unit }: CallMeasure): string => name || unit;

/** What was measured, in the words of the file, or by its unit. */
const measureText = (board: ProfilerParts, { name, unit }: CallMeasure): string =>
  name || (['ns', 'bytes', 'count'].includes(unit) ? board.page.t(`calls.unit.${unit}`) : unit);
