/** What differs between two data pipelines, operator by operator. */
import type { PipelineNode, PipelineValues } from './answers';

export interface ValueChange {
  readonly name: string;
  /** Null where one of them does not have it. */
  readonly before: string | null;
  readonly after: string | null;
}

/** An operator of one pipeline or of both; `changes` are the values that differ, of its operations and sampler too. */
export interface OperatorChange {
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
