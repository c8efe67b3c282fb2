/** Where the ranks of a job stopped: who waits in which collective, who is missing, and who asked differently. */
import type { JSX } from 'preact';
import type { HangsAnswer, RankLast } from '../answers/calls';
import type { ProfilerParts, ViewProps } from '../board';
import { Figure } from '../figures/figure';
import { LocalTable } from '../table/local_table';
import { Answered, useProfileAnswer } from '../use_answer';
import { sentence, word } from '../words';

type Group = HangsAnswer['groups'][number];

export default function Hangs({ board }: ViewProps): JSX.Element {
  const asked = useProfileAnswer<HangsAnswer>(board, 'hangs');
  return (
    <div class="scroll">
      <Answered board={board} asked={asked}>
        {({ groups }) => (
          <>
            {groups.map((group) => (
              <GroupPart key={group.group} board={board} group={group} />
            ))}
          </>
        )}
      </Answered>
    </div>
  );
}

function GroupPart({ board, group }: { readonly board: ProfilerParts; readonly group: Group }): JSX.Element {
  const { t: say } = board.page;
  const { missing, waiting, unread, late, differences, sequence, name } = group;
  const verdict =
    missing.length > 0
      ? say('hangs.missing', { ranks: listed(missing.map(({ rank }) => rank)), name, number: sequence })
      : late.length > 0
        ? say('hangs.late', { ranks: listed(late.map(({ rank }) => rank)), name, number: sequence })
        : sequence > 0
          ? say(unread.length > 0 ? 'hangs.running_read' : 'hangs.running', { name, number: sequence })
          : say('hangs.done');
  const rows = [
    ...missing.map((one) => rowOf(one, say('hangs.is_missing'))),
    ...unread.map(({ rank, cause }) => ({
      rank,
      standing: say(cause ? 'hangs.is_unreadable' : 'hangs.has_no_dump'),
      last: '',
      sequence: null,
      place: cause ? sentence(board, 'failure', cause) : '',
    })),
    ...waiting.map((one) => rowOf(one, say('hangs.waits'))),
  ];
  return (
    <Figure
      board={board}
      name={`group-${group.group}`}
      title={say('hangs.group', { group: group.group, count: group.ranks.length + unread.length })}
      content="table"
    >
      <p class={missing.length > 0 || differences.length > 0 ? 'problem' : 'hint'} data-testid="hang-verdict">
        {verdict}
      </p>
      {unread.length > 0 && (
        <p class="hint" data-testid="hang-unread">
          {say('hangs.unread', { ranks: listed(unread.map(({ rank }) => rank)) })}
        </p>
      )}
      {rows.length > 0 && (
        <LocalTable
          board={board}
          name="hang-ranks"
          title={say('hangs.ranks')}
          columns={{ rank: 'count', standing: 'text', last: 'text', sequence: 'count', place: 'text' }}
          widths={{ last: 200, place: 420 }}
          rows={rows}
          sort="rank"
        />
      )}
      {missing.slice(0, 4).map((one) => (
        <details key={one.rank}>
          <summary>{say('hangs.stack', { rank: one.rank })}</summary>
          <pre>{one.stack.join('\n')}</pre>
        </details>
      ))}
      {differences.length > 0 && (
        <LocalTable
          board={board}
          name="hang-differences"
          title={say('hangs.differences')}
          columns={{ sequence: 'count', what: 'text', said: 'text' }}
          widths={{ said: 520 }}
          rows={differences.map(({ sequence: number, what, said }) => ({
            sequence: number,
            what: word(board, 'hangs.what', what),
            said: Object.entries(said)
              .map(([text, ranks]) => `${text || '–'}: ${listed(ranks)}`)
              .join(' · '),
          }))}
          sort="sequence"
        />
      )}
    </Figure>
  );
}

const rowOf = ({ rank, name, sequence, place }: RankLast, standing: string) => ({
  rank,
  standing,
  last: name,
  sequence: sequence < 0 ? null : sequence,
  place,
});

const MOST = 16;
const listed = (ranks: readonly number[]): string =>
  ranks.length > MOST ? `${ranks.slice(0, MOST).join(', ')} … (${ranks.length})` : ranks.join(', ');
