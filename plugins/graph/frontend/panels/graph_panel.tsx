import { useAnswer } from '@insight-host/kit/lab';
import type { JSX } from 'preact';
import type { Statistics } from '../answers';
import type { GraphParts } from '../board';
import { shapeText, storedRows } from '../texts';
import { Awaited } from './compared';
import { Section, Types } from './node_panel';

/** What there is in the whole graph: while nothing is selected. */
export function GraphPanel({ board }: { readonly board: GraphParts }): JSX.Element {
  const { t: say } = board.page;
  const source = board.sources.graph.value;
  const graph = board.records.graph.value;
  // the drawing first: both take seconds of a graph of a million nodes
  const isFirst = board.explorer.scene.value === null && board.explorer.failure.value === null;
  const { value: found, error } = useAnswer(
    isFirst ? null : (source?.key ?? null),
    () => source?.statistics() ?? Promise.reject(new Error('')),
  );
  if (error || !found) return <Awaited error={error} />;
  return (
    <div class="graph-panel" data-testid="graph-panel">
      {graph && (
        <>
          <p class="hint" title={graph.run}>
            {board.page.nameOf(graph.run)}
          </p>
          <h3>{graph.name}</h3>
          <p class="hint">{say(`graph.${graph.kind}`)}</p>
        </>
      )}
      <p class="hint">{say('panel.hint')}</p>
      <Numbers board={board} found={found} />
      {found.types.length > 0 && (
        <Section title={say('node.types')} count={found.types.length}>
          <Types board={board} types={found.types} />
        </Section>
      )}
      {found.devices.some(({ device }) => device !== '') && (
        <Section title={say('node.device')} count={found.devices.length}>
          <Types board={board} types={found.devices.map(({ device, ...rest }) => ({ type: device, ...rest }))} />
        </Section>
      )}
      {found.largest_parameters.length > 0 && (
        <Section title={say('statistics.largest')} count={found.largest_parameters.length}>
          <ul class="links" data-testid="largest">
            {found.largest_parameters.map((parameter) => (
              <li key={parameter.id}>
                <button
                  type="button"
                  class="link"
                  data-id={parameter.id}
                  title={parameter.id}
                  onClick={() => void board.explorer.reveal(parameter.id)}
                >
                  {parameter.name}
                </button>
                <span class="what">{shapeText(parameter)}</span>
              </li>
            ))}
          </ul>
        </Section>
      )}
    </div>
  );
}

function Numbers({ board, found }: { readonly board: GraphParts; readonly found: Statistics }): JSX.Element {
  const { t: say } = board.page;
  const number = (value: number): string => value.toLocaleString(board.page.locale.value);
  const layers = board.records.graph.value?.kind === 'layers';
  const rows: readonly (readonly [text: string, value: string])[] = [
    ['node.operators', number(found.operators)],
    ['node.parameters', number(found.parameters)],
    ['node.constants', number(found.constants)],
    ['statistics.scopes', number(found.scopes)],
    ['statistics.depth', number(found.depth)],
    ['statistics.data_edges', number(found.data_edges)],
    ['statistics.control_edges', found.control_edges > 0 ? number(found.control_edges) : ''],
    ...storedRows(board.page, found.stored, { whole: true, layers }).map(
      ([role, text]) => [`node.${role}`, text] as const,
    ),
  ];
  return (
    <dl class="facts" data-testid="statistics">
      {rows
        .filter(([, value]) => value !== '')
        .map(([text, value]) => (
          <div key={text} data-fact={text.split('.')[1]}>
            <dt>{say(text)}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
