/** What was allocated in a span of time and is still held at its end: by calls, and block by block. */
import { FlameGraph, type CallNodes } from '@insight-host/kit/flame';
import type { JSX } from 'preact';
import type { BlocksAnswer } from '../answers/calls';
import type { ProfilerParts } from '../board';
import { Figure } from '../figures/figure';
import { LocalTable } from '../table/local_table';
import { countText, sizeText, timeText } from '../units';
import { Answered, useProfileAnswer } from '../use_answer';

export interface SpanProps {
  readonly board: ProfilerParts;
  readonly device: number;
  readonly since: number;
  readonly at: number;
  readonly purposeOf: (purpose: string) => string;
}

export function Span({ board, device, since, at, purposeOf }: SpanProps): JSX.Element {
  const query = { device, at, since };
  const tree = useProfileAnswer<CallNodes>(board, 'call_tree', { of: 'memory', ...query });
  const blocks = useProfileAnswer<BlocksAnswer>(board, 'blocks', query);
  const { t: say } = board.page;
  const locale = board.page.locale.value;
  const ends = { from: timeText(since, locale), to: timeText(at, locale) };
  const title = say('memory.span', ends);
  return (
    <>
      <Figure board={board} name={`span-${device}`} title={title} busy={tree.busy}>
        <Answered board={board} asked={tree}>
          {(nodes) =>
            nodes.total > 0 ? (
              <FlameGraph
                page={board.page}
                nodes={nodes}
                label={title}
                valueText={(bytes) => sizeText(bytes, locale)}
              />
            ) : (
              <p class="hint">{say('memory.blocks.none', ends)}</p>
            )
          }
        </Answered>
      </Figure>
      <Answered board={board} asked={blocks}>
        {(answer) =>
          answer.count === 0 ? (
            <></>
          ) : (
            <LocalTable
              board={board}
              name={`blocks-${device}`}
              title={say(answer.count > answer.name.length ? 'memory.blocks.largest' : 'memory.blocks', {
                ...ends,
                count: countText(answer.count, locale),
                shown: countText(answer.name.length, locale),
                bytes: sizeText(answer.total, locale),
              })}
              columns={{ name: 'text', bytes: 'bytes', age: 'ns', start: 'ns', purpose: 'text', module: 'text' }}
              widths={{ name: 300, module: 260, purpose: 120 }}
              rows={answer.name.map((name, i) => ({
                name: name || say('memory.unknown'),
                bytes: answer.bytes[i] ?? null,
                age: at - (answer.start[i] ?? at),
                start: answer.start[i] ?? null,
                purpose: purposeOf(answer.purpose[i] ?? ''),
                module: answer.module[i] ?? '',
              }))}
              sort="-bytes"
            />
          )
        }
      </Answered>
    </>
  );
}
