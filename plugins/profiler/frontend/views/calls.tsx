/** Where the time of the calls is: a flame graph from the outermost call, or from the one that spent it. */
import { Choice } from '@insight-host/kit';
import { FlameGraph, type CallNodes } from '@insight-host/kit/flame';
import type { JSX } from 'preact';
import type { ViewProps } from '../board';
import { Figure } from '../figures/figure';
import { Sides } from '../operators/sides';
import { CALL_ORDERS } from '../settings';
import { sizeText, timeText } from '../units';
import { Answered, useProfileAnswer } from '../use_answer';

export default function Calls({ board }: ViewProps): JSX.Element {
  const { t: say } = board.page;
  const locale = board.page.locale.value;
  const { value: profile } = board.profiles.profile;
  const known = profile?.trees ?? [];
  const of = known.includes(board.callsOf.value) ? board.callsOf.value : (known[0] ?? 'host');
  const isUp = board.callOrder.value === 'up';
  const base = board.callsCompared.value ? board.profiles.base.value : null;
  const asked = useProfileAnswer<CallNodes>(board, 'call_tree', {
    of,
    ...(of === 'module' ? { side: board.side.value || null } : {}),
    ...(isUp ? { up: 1 } : {}),
    steps: of === 'memory' ? null : board.stepsQuery.value,
    ...(base ? { base_run: base.run, base_profile: base.profile } : {}),
  });
  const others = board.profiles.base.value === null && (board.profiles.listing.value?.length ?? 0) > 1;
  const text = (value: number): string => (of === 'memory' ? sizeText(value, locale) : timeText(value, locale));
  return (
    <div class="scroll">
      <Answered board={board} asked={asked}>
        {(nodes) => {
          const title = say(`calls.title.${of}`, { total: text(nodes.total) });
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
              <FlameGraph page={board.page} nodes={nodes} label={title} valueText={text} />
            </Figure>
          );
        }}
      </Answered>
    </div>
  );
}
