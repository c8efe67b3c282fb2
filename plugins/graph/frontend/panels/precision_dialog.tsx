/** Compares the statistics of tensors in two dumps: where two runs begin to compute differently. */
import { useSignal } from '@preact/signals';
import { Dialog, message, Select } from '@insight-host/kit';
import type { JSX } from 'preact';
import type { Figure, GraphRecord, PrecisionAnswer, TensorPair } from '../answers';
import type { GraphParts } from '../board';
import { Awaited, useCompared } from './compared';

type Translate = GraphParts['page']['t'];

const TOLERANCES = [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1] as const;

export function PrecisionDialog({ board }: { readonly board: GraphParts }): JSX.Element {
  const { t: say } = board.page;
  const dumps = board.records.dumps.value;
  const [before, after] = [useSignal(0), useSignal(Math.min(1, dumps.length - 1))];
  const tolerance = useSignal<number>(1e-3);
  const options = dumps.map((dump, value) => ({ value, text: `${board.page.nameOf(dump.run)} · ${dump.tag}` }));
  const [one, two] = [dumps[before.value], dumps[after.value]];
  return (
    <Dialog name="precision" title={say('precision.title')} onClose={() => void (board.dialog.value = null)}>
      <div class="diff-choice" hidden={dumps.length < 2}>
        <Select
          name="dump-before"
          label={say('diff.before')}
          value={before.value}
          options={options}
          onPick={(picked) => (before.value = picked)}
        />
        <span aria-hidden="true">→</span>
        <Select
          name="dump-after"
          label={say('diff.after')}
          value={after.value}
          options={options}
          onPick={(picked) => (after.value = picked)}
        />
        <Select
          name="tolerance"
          label={say('precision.tolerance')}
          value={tolerance.value}
          options={TOLERANCES.map((value) => ({ value, text: `> ${value}` }))}
          onPick={(picked) => (tolerance.value = picked)}
        />
      </div>
      {one && two && <Tensors board={board} before={one} after={two} tolerance={tolerance.value} />}
    </Dialog>
  );
}

interface TensorsProps {
  readonly board: GraphParts;
  readonly before: GraphRecord;
  readonly after: GraphRecord;
  readonly tolerance: number;
}

function Tensors({ board, before, after, tolerance }: TensorsProps): JSX.Element {
  const { t: say } = board.page;
  const isOne = before === after;
  const { value: found, error } = useCompared<PrecisionAnswer>(board, 'precision', before, after, {
    tolerance,
    differing: isOne ? 0 : 1,
  });
  if (error || !found) return <Awaited error={error} />;
  const alone = found.before_only + found.after_only > 0;
  return (
    <div class="removed" data-testid="precision">
      <p class="hint">
        {isOne
          ? say('precision.count', { count: found.compared })
          : say(found.beyond > 0 ? 'precision.beyond' : 'precision.none', {
              count: found.beyond,
              compared: found.compared,
            })}{' '}
        {alone && say('precision.alone', { before: found.before_only, after: found.after_only })}
      </p>
      {found.first && (
        <p data-testid="first-tensor">
          {say('precision.first')} <b>{tensorName(found.first, say)}</b>
        </p>
      )}
      {found.tensors.length > 0 && (
        <table class="diff precision">
          <thead>
            <tr>
              <th scope="col">{say('table.name')}</th>
              <th scope="col">{say(isOne ? 'precision.statistics' : 'diff.before')}</th>
              {!isOne && (
                <>
                  <th scope="col">{say('diff.after')}</th>
                  <th scope="col" class="number">
                    {say('precision.difference')}
                  </th>
                </>
              )}
            </tr>
          </thead>
          <tbody>
            {found.tensors.map((tensor) => (
              <tr key={[tensor.name, tensor.side, tensor.slot, tensor.call].join('\n')} class={isOne ? '' : 'changed'}>
                <th scope="row">
                  {board.sources.graph.value ? (
                    <button type="button" class="link" onClick={() => void showNode(board, tensor.name)}>
                      {tensorName(tensor, say)}
                    </button>
                  ) : (
                    tensorName(tensor, say)
                  )}
                  <span class="what">{`${tensor.type} ${tensor.dtype[1]}${tensor.shape[1]}`}</span>
                </th>
                <td>{statistics(tensor, 0, say)}</td>
                {!isOne && (
                  <>
                    <td>{statistics(tensor, 1, say)}</td>
                    <td class="number">{figure(tensor.difference, 3)}</td>
                  </>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {found.tensors.length < found.total && (
        <p class="count">{say('node.some', { shown: found.tensors.length, count: found.total })}</p>
      )}
    </div>
  );
}

/** The operator, and which of its tensors it is. */
function tensorName({ name, side, slot }: TensorPair, say: Translate): string {
  return `${name} · ${side === 'input' || side === 'output' ? say(`precision.${side}`, { slot }) : `${side} ${slot}`}`;
}

/** Opens the graph at the operator, if the graph that is shown has it. */
async function showNode(board: GraphParts, name: string): Promise<void> {
  const { ctx, t: say } = board.page;
  try {
    const found = await board.sources.graph.value?.search({ q: name, regex: false, limit: 1 }, ctx.signal);
    const id = found?.results[0]?.id;
    if (id === undefined) return ctx.notify('info', say('precision.absent', { name }));
    board.dialog.value = null;
    await board.explorer.reveal(id);
  } catch (error) {
    ctx.notify('error', message(error));
  }
}

/** The statistics that the dumps have, one a line. */
function statistics({ values, counts }: TensorPair, at: 0 | 1, say: Translate): string {
  const there = [
    ...Object.entries(values).filter(([, pair]) => !pair.every(isMissing)),
    ...Object.entries(counts).filter(([, pair]) => pair.some((one) => Number(one) > 0)),
  ];
  return there.map(([name, pair]) => `${say(`precision.${name}`)} ${figure(pair[at])}`).join('\n');
}

const isMissing = (value: Figure): boolean => value === null || Number.isNaN(Number(value));

function figure(value: Figure, digits = 6): string {
  if (value === null || typeof value === 'string') return value ?? '–';
  return String(Number(value.toPrecision(digits)));
}
