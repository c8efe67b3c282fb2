/** What a memory snapshot says: leaks, who held memory when, and at one moment by which calls and where. */
import { Choice } from '@insight-host/kit';
import { FlameGraph, type CallNodes } from '@insight-host/kit/flame';
import type { JSX } from 'preact';
import type { HeldAnswer, LeaksAnswer, PoolAnswer } from '../answers/calls';
import type { ProfilerParts } from '../board';
import { Figure } from '../figures/figure';
import { inkOf } from '../figures/ink';
import { LocalTable } from '../table/local_table';
import { shareText, sizeText, timeText } from '../units';
import { Answered, useProfileAnswer } from '../use_answer';
import { word } from '../words';
import { HELD_PER, HOLDERS } from '../settings';
import { Bands } from './bands';
import { Pool } from './pool';
import { Span } from './span';

const WIDTH = 400;
const PURPOSES = ['parameter', 'optimiser', 'activation', 'gradient', 'data', ''];

export function Snapshot({
  board,
  device,
  name,
}: {
  readonly board: ProfilerParts;
  readonly device: number;
  readonly name: string;
}): JSX.Element {
  const by = board.heldBy.value;
  const held = useProfileAnswer<HeldAnswer>(board, 'held', { by, per: board.heldPer.value, device, width: WIDTH });
  const { t: say } = board.page;
  const locale = board.page.locale.value;
  const ink = inkOf(board.page.theme.value);
  const purposeOf = (purpose: string): string =>
    purpose === '' ? say('memory.unknown') : word(board, 'purpose', purpose);
  const colorOf = (purpose: string): string => (purpose === '' ? ink.other : ink.rank(PURPOSES.indexOf(purpose)));
  return (
    <Answered board={board} asked={held}>
      {(answer) => {
        const at = board.moment.value ?? answer.peak;
        const since = board.since.value !== null && board.since.value < at ? board.since.value : null;
        const when = at === answer.peak ? say('memory.at_peak') : say('memory.at', { time: timeText(at, locale) });
        return (
          <>
            <Figure
              board={board}
              name={`held-${device}`}
              title={say('memory.held', { device: name })}
              hint={say('memory.span.hint')}
              busy={held.busy}
              data={() => ({
                head: ['ns', ...answer.names.map((one) => one ?? say('memory.others'))],
                rows: answer.time.map((time, i) => [time, ...answer.bytes.map((band) => band[i] ?? 0)]),
              })}
              tools={
                <>
                  <Choice say={say} name="held" label={say('held')} values={HOLDERS} setting={board.heldBy} />
                  <Choice say={say} name="held-per" label={say('held-per')} values={HELD_PER} setting={board.heldPer} />
                  {since !== null && (
                    <button
                      type="button"
                      class="tool text"
                      data-action="leave-span"
                      onClick={() => board.since.set(null)}
                    >
                      {say('memory.span.clear')}
                    </button>
                  )}
                  {at !== answer.peak && (
                    <button type="button" class="tool text" data-action="peak" onClick={() => board.moment.set(null)}>
                      {say('memory.to_peak')}
                    </button>
                  )}
                </>
              }
            >
              <Bands
                board={board}
                answer={answer}
                isOverTime={board.heldPer.value === 'time'}
                nameOf={(one) =>
                  one === null ? say('memory.others') : by === 'purpose' ? purposeOf(one) : one || say('memory.unknown')
                }
                colorOf={(place, one) => (one === null ? ink.other : by === 'purpose' ? colorOf(one) : ink.rank(place))}
                at={at}
                label={say('memory.held', { device: name })}
                since={since}
                onPick={(time) => {
                  board.since.set(null);
                  board.moment.set(time === answer.peak ? null : time);
                }}
                onSpan={(from, to) => {
                  board.since.set(from);
                  board.moment.set(to);
                }}
              />
            </Figure>
            {since !== null && <Span board={board} device={device} since={since} at={at} purposeOf={purposeOf} />}
            <Calls board={board} device={device} at={at} when={when} />
            <Segments board={board} device={device} at={at} when={when} colorOf={colorOf} purposeOf={purposeOf} />
          </>
        );
      }}
    </Answered>
  );
}

interface MomentProps {
  readonly board: ProfilerParts;
  readonly device: number;
  readonly at: number;
  readonly when: string;
}

function Calls({ board, device, at, when }: MomentProps): JSX.Element {
  const asked = useProfileAnswer<CallNodes>(board, 'call_tree', { of: 'memory', device, at });
  const title = board.page.t('memory.calls', { when });
  return (
    <Figure board={board} name={`calls-${device}`} title={title} busy={asked.busy}>
      <Answered board={board} asked={asked}>
        {(nodes) => (
          <FlameGraph
            page={board.page}
            nodes={nodes}
            label={title}
            valueText={(bytes) => sizeText(bytes, board.page.locale.value)}
          />
        )}
      </Answered>
    </Figure>
  );
}

interface SegmentsProps extends MomentProps {
  readonly colorOf: (purpose: string) => string;
  readonly purposeOf: (purpose: string) => string;
}

function Segments({ board, device, at, when, colorOf, purposeOf }: SegmentsProps): JSX.Element {
  const asked = useProfileAnswer<PoolAnswer>(board, 'pool', { device, at });
  const { t: say } = board.page;
  const locale = board.page.locale.value;
  const title = say('memory.pool', { when });
  return (
    <Figure board={board} name={`pool-${device}`} title={title} hint={say('memory.pool.hint')} busy={asked.busy}>
      <Answered board={board} asked={asked}>
        {({ facts, ...pool }) => (
          <>
            <p class="hint" data-testid="pool-facts">
              {say('memory.pool.facts', {
                reserved: sizeText(facts.reserved, locale),
                allocated: sizeText(facts.allocated, locale),
                share: shareText(facts.reserved > 0 ? facts.allocated / facts.reserved : 0, locale),
                free: sizeText(facts.reserved - facts.allocated - facts.pending, locale),
                blocks: facts.free_blocks.toLocaleString(locale),
                largest: sizeText(facts.largest_free, locale),
                empty: sizeText(facts.unused_segments, locale),
              })}
            </p>
            {pool.streams.map((one) => (
              <p class="hint" key={one.stream}>
                {say('memory.pool.stream', {
                  stream: String(one.stream),
                  reserved: sizeText(one.reserved, locale),
                  allocated: sizeText(one.allocated, locale),
                  largest: sizeText(one.largest_free, locale),
                })}
              </p>
            ))}
            <Pool board={board} pool={pool} colorOf={colorOf} purposeOf={purposeOf} label={title} />
          </>
        )}
      </Answered>
    </Figure>
  );
}

/** What grows with every step, if anything does. */
export function Leaks({ board }: { readonly board: ProfilerParts }): JSX.Element {
  const asked = useProfileAnswer<LeaksAnswer>(board, 'leaks');
  const { t: say } = board.page;
  return (
    <Answered board={board} asked={asked}>
      {({ leaks }) =>
        leaks.length === 0 ? (
          <></>
        ) : (
          <LocalTable
            board={board}
            name="leaks"
            title={say('memory.leaks')}
            note={say('memory.leaks.note')}
            columns={{
              name: 'text',
              step_bytes: 'bytes',
              steps: 'count',
              since: 'count',
              bytes: 'bytes',
              count: 'count',
            }}
            widths={{ name: 320 }}
            rows={leaks.map((leak) => ({ ...leak, step_bytes: leak.per_step }))}
            sort="-bytes"
          />
        )
      }
    </Answered>
  );
}
