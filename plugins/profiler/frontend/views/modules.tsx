/** Modules of the network by the time of their operators: a flame graph from the whole network to its scopes. */
import { FlameGraph, type CallNodes } from '@insight-host/kit/flame';
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { ViewProps } from '../board';
import type { OperatorsAnswer } from '../answers/operators';
import { Figure } from '../figures/figure';
import { Sides } from '../operators/sides';
import { valueOf } from '../table/server_table';
import { timeText } from '../units';
import { Answered, useProfileAnswer } from '../use_answer';

const MOST = 5000; // scopes

export default function Modules({ board }: ViewProps): JSX.Element {
  const { t: say } = board.page;
  const locale = board.page.locale.value;
  const asked = useProfileAnswer<OperatorsAnswer>(board, 'operators', {
    by: 'scope',
    side: board.side.value || null,
    steps: board.stepsQuery.value,
    limit: MOST,
  });
  const { value: answer } = asked;
  if (answer) board.profiles.sides.value = answer.sides;
  const nodes = useMemo(() => nodesOf(answer ? scopesOf(answer) : []), [answer]);
  return (
    <div class="scroll">
      <Answered board={board} asked={asked}>
        {() => (
          <Figure
            board={board}
            name="modules"
            title={say('modules.title')}
            busy={asked.busy}
            tools={<Sides board={board} />}
            data={() => ({
              head: ['module', 'time_ns', 'own_time_ns'],
              rows: nodes.name.map((_, i) => [pathOf(nodes, i), nodes.whole[i] ?? null, nodes.own[i] ?? null]),
            })}
          >
            <FlameGraph
              page={board.page}
              nodes={nodes}
              label={say('modules.title')}
              valueText={(time) => timeText(time, locale)}
            />
          </Figure>
        )}
      </Answered>
    </div>
  );
}

interface Scope {
  /** With slashes; "" is outside of all modules. */
  readonly scope: string;
  /** ns of operators that are in no module within. */
  readonly time: number;
  readonly calls: number;
}

function scopesOf(answer: OperatorsAnswer): readonly Scope[] {
  return answer.rows.map((row) => ({
    scope: String(valueOf(answer, row, 'scope') ?? ''),
    time: Number(valueOf(answer, row, 'self') ?? valueOf(answer, row, 'total') ?? 0),
    calls: Number(valueOf(answer, row, 'calls') ?? 0),
  }));
}

/** Scopes as a tree: each module with the time of what is in it. What is in no module counts in the total alone. */
export function nodesOf(scopes: readonly Scope[]): CallNodes {
  const rows: { readonly parent: number; readonly name: string; own: number; whole: number; count: number }[] = [];
  const places = new Map<string, number>();
  for (const { scope, time, calls } of scopes) {
    let [path, at] = ['', -1];
    for (const name of scope.split('/').filter(Boolean)) {
      path += `/${name}`;
      const place = places.get(path) ?? rows.push({ parent: at, name, own: 0, whole: 0, count: 0 }) - 1;
      places.set(path, place);
      at = place;
      const row = rows[at];
      if (row) row.whole += time;
    }
    const inside = rows[at];
    if (!inside) continue;
    inside.own += time;
    inside.count += calls;
  }
  return {
    parent: rows.map(({ parent }) => parent),
    name: rows.map((_, i) => i),
    own: rows.map(({ own }) => own),
    whole: rows.map(({ whole }) => whole),
    count: rows.map(({ count }) => count),
    before: [],
    names: rows.map(({ name }) => name),
    total: scopes.reduce((sum, { time }) => sum + time, 0),
    nodes: rows.length,
  };
}

/** The scope of a node. */
function pathOf(nodes: CallNodes, node: number): string {
  const above = nodes.parent[node] ?? -1;
  const own = nodes.names[node] ?? '';
  return above < 0 ? own : `${pathOf(nodes, above)}/${own}`;
}
