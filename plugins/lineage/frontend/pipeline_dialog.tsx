import { Dialog, Select, type Page } from '@insight-host/kit';
import { useAnswer } from '@insight-host/kit/lab';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { PipelineAnswer, PipelineNode, PipelineValues } from './answers';
import type { LineageParts } from './board';

const MOST_OTHERS = 500; // runs to compare with

/** The data pipeline of a run, operator by operator, from the sources to the end. */
export function PipelineDialog({ board, run }: { readonly board: LineageParts; readonly run: string }): JSX.Element {
  const { t: say } = board.page;
  const { value: answer, error } = useAnswer(run, (signal) =>
    board.page.ctx.data.json<PipelineAnswer>('pipeline', { run }, { signal }),
  );
  const pipeline = answer?.pipeline;
  const against = useSignal('');
  const other = useAnswer(against.value || null, (signal) =>
    board.page.ctx.data.json<PipelineAnswer>('pipeline', { run: against.value }, { signal }),
  );
  const others = othersOf(board, run);
  const same = answer?.mark == null ? [] : sameMark(board, answer.mark, run);
  return (
    <Dialog
      name="pipeline"
      title={say('pipeline.title', { run: board.page.nameOf(run) })}
      onClose={() => (board.dialog.value = null)}
    >
      {error && <p class="problem">{error}</p>}
      {answer && !pipeline && <p class="hint">{say('pipeline.none')}</p>}
      {same.length > 0 && (
        <p class="hint">
          {say('pipeline.same', {
            count: same.length,
            runs: same
              .slice(0, 5)
              .map((name) => board.page.nameOf(name))
              .join(say('list.separator')),
          })}
        </p>
      )}
      {pipeline && others.length > 0 && (
        <label class="target">
          <span>{say('pipeline.against')}</span>
          <Select
            name="pipeline-against"
            label={say('pipeline.against')}
            value={against.value}
            options={[
              { value: '', text: say('pipeline.against.none') },
              ...others.map((name) => ({ value: name, text: board.page.nameOf(name) })),
            ]}
            onPick={(name) => (against.value = name)}
          />
        </label>
      )}
      {other.error && <p class="problem">{other.error}</p>}
      {pipeline && pipeline.edges.length !== pipeline.nodes.length - 1 && (
        <p class="hint">{say('pipeline.combined')}</p>
      )}
      {pipeline && against.value !== '' && other.value?.pipeline ? (
        <PipelineChanges before={pipeline} after={other.value.pipeline} say={say} />
      ) : (
        <ol class="pipeline" data-testid="pipeline">
          {pipeline?.nodes.map((node) => (
            <Operator key={node.id} node={node} inputs={inputsOf(pipeline, node)} say={say} />
          ))}
        </ol>
      )}
    </Dialog>
  );
}

/** Runs that have a pipeline, those with another one first; ticked ones before others. */
function othersOf(board: LineageParts, run: string): readonly string[] {
  const { value: frame } = board.frame;
  const numbers = frame?.columns.get('dataset_mark')?.numbers;
  if (!frame || !numbers) return [];
  const own = numbers[frame.rowOf.get(run) ?? -1];
  const rank = (name: string): number =>
    2 * Number(numbers[frame.rowOf.get(name) ?? -1] === own) + Number(!board.selection.names.value.has(name));
  return frame.runs
    .filter((name, row) => name !== run && Number.isFinite(numbers[row]))
    .sort((one, other) => rank(one) - rank(other))
    .slice(0, MOST_OTHERS);
}

function sameMark(board: LineageParts, mark: number, run: string): readonly string[] {
  const { value: frame } = board.frame;
  const numbers = frame?.columns.get('dataset_mark')?.numbers;
  return frame && numbers ? frame.runs.filter((other, row) => numbers[row] === mark && other !== run) : [];
}

/** Names of what comes into a node, where that is not just the one above. */
function inputsOf({ nodes, edges }: NonNullable<PipelineAnswer['pipeline']>, node: PipelineNode): readonly string[] {
  const above = nodes[nodes.indexOf(node) - 1]?.id;
  const from = edges.filter(({ to }) => to === node.id).map((edge) => edge.from);
  if (from.length === 1 && from[0] === above) return [];
  return from.map((id) => nodes.find((other) => other.id === id)?.name ?? id);
}

interface OperatorProps {
  readonly node: PipelineNode;
  readonly inputs: readonly string[];
  readonly say: Page['t'];
}

function Operator({ node, inputs, say }: OperatorProps): JSX.Element {
  return (
    <li class={node.kind} data-operator={node.name}>
      <h4>
        {node.name}
        {inputs.length > 0 && (
          <span class="hint">{say('pipeline.inputs', { names: inputs.join(say('list.separator')) })}</span>
        )}
      </h4>
      <Values values={node} />
      {[...node.operations, ...(node.sampler ? [node.sampler] : [])].map((part, at) => (
        <section key={`${part.name}${at}`}>
          <h5>{part.name}</h5>
          <Values values={part} />
        </section>
      ))}
    </li>
  );
}

function Values({ values: { parameters } }: { readonly values: PipelineValues }): JSX.Element | null {
  if (parameters.length === 0) return null;
  return (
    <dl>
      {parameters.map(({ name, value }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

type Pipeline = NonNullable<PipelineAnswer['pipeline']>;

interface PipelineChangesProps {
  readonly before: Pipeline;
  readonly after: Pipeline;
  readonly say: Page['t'];
}

/** Two data pipelines as one list: operators that came, went or changed, with the values that differ. */
function PipelineChanges({ before, after, say }: PipelineChangesProps): JSX.Element {
  const operators = pipelineDiff(before.nodes, after.nodes);
  const count = operators.filter(({ kind }) => kind !== 'same').length;
  return (
    <>
      <p class="hint" data-testid="pipeline-changes">
        {say(count === 0 ? 'pipeline.equal' : 'pipeline.changes', { count, all: operators.length })}
      </p>
      <ol class="pipeline" data-testid="pipeline">
        {operators.map((operator, at) => (
          <ChangedOperator key={at} operator={operator} say={say} />
        ))}
      </ol>
    </>
  );
}

function ChangedOperator({
  operator: { node, kind, changes },
  say,
}: {
  readonly operator: OperatorChange;
  readonly say: Page['t'];
}): JSX.Element {
  return (
    <li class={kind} data-operator={node.name} data-change={kind}>
      <h4>
        {node.name}
        {kind !== 'same' && <span class="hint">{say(`pipeline.${kind}`)}</span>}
      </h4>
      {changes.length > 0 && (
        <dl>
          {changes.map(({ name, before, after }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <del>{valueText(before)}</del> → <ins>{valueText(after)}</ins>
              </dd>
            </div>
          ))}
        </dl>
      )}
    </li>
  );
}

/** An operation without values is there or not. */
const valueText = (value: string | null): string => (value === null ? '—' : value === '' ? '✓' : value);

/** What differs between two data pipelines, operator by operator. */
interface ValueChange {
  readonly name: string;
  /** Null where one of them does not have it. */
  readonly before: string | null;
  readonly after: string | null;
}

/** An operator of one pipeline or of both; `changes` are the values that differ, of its operations and sampler too. */
interface OperatorChange {
  readonly node: PipelineNode;
  readonly kind: 'same' | 'changed' | 'added' | 'removed';
  readonly changes: readonly ValueChange[];
}

/** Operators in their order, those of the same name paired so that most of them are (longest common subsequence). */
export function pipelineDiff(
  before: readonly PipelineNode[],
  after: readonly PipelineNode[],
): readonly OperatorChange[] {
  const [rows, columns] = [before.length, after.length];
  const longest = Array.from({ length: rows + 1 }, () => new Uint16Array(columns + 1));
  const at = (row: number, column: number): number => (longest[row] as Uint16Array)[column] as number;
  const isPair = (row: number, column: number): boolean => before[row]?.name === after[column]?.name;
  for (let row = rows - 1; row >= 0; row--)
    for (let column = columns - 1; column >= 0; column--)
      (longest[row] as Uint16Array)[column] = isPair(row, column)
        ? at(row + 1, column + 1) + 1
        : Math.max(at(row + 1, column), at(row, column + 1));
  const found: OperatorChange[] = [];
  let [row, column] = [0, 0];
  while (row < rows || column < columns) {
    if (row < rows && column < columns && isPair(row, column)) {
      const [one, other] = [before[row++] as PipelineNode, after[column++] as PipelineNode];
      const changes = changesOf(one, other);
      found.push({ node: other, kind: changes.length > 0 ? 'changed' : 'same', changes });
    } else if (column >= columns || (row < rows && at(row + 1, column) >= at(row, column + 1)))
      found.push({ node: before[row++] as PipelineNode, kind: 'removed', changes: [] });
    else found.push({ node: after[column++] as PipelineNode, kind: 'added', changes: [] });
  }
  return found;
}

function changesOf(before: PipelineNode, after: PipelineNode): readonly ValueChange[] {
  const [one, other] = [valuesOf(before), valuesOf(after)];
  return [...new Set([...one.keys(), ...other.keys()])]
    .map((name) => ({ name, before: one.get(name) ?? null, after: other.get(name) ?? null }))
    .filter((change) => change.before !== change.after);
}

function valuesOf(node: PipelineNode): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const add = (part: PipelineValues, prefix: string): void =>
    part.parameters.forEach(({ name, value }) => found.set(`${prefix}${name}`, value));
  add(node, '');
  const counts = new Map<string, number>();
  for (const part of [...node.operations, ...(node.sampler ? [node.sampler] : [])]) {
    const count = (counts.get(part.name) ?? 0) + 1;
    counts.set(part.name, count);
    const name = count === 1 ? part.name : `${part.name} ${count}`;
    found.set(name, ''); // an operation without values counts, too
    add(part, `${name} / `);
  }
  return found;
}
