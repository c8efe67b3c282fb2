import type { PipelineOperator } from '../answers/pipeline';

export interface Placed {
  readonly operator: PipelineOperator;
  /** How many branches it is away from the main line. */
  readonly level: number;
}

/** From the sources to what the training reads: whoever makes data stands above whoever takes them. */
export function inDataOrder(operators: readonly PipelineOperator[]): readonly Placed[] {
  const byId = new Map(operators.map((operator) => [operator.id, operator]));
  const found: Placed[] = [];
  const seen = new Set<number>();
  const visit = (operator: PipelineOperator, level: number): void => {
    if (seen.has(operator.id)) return;
    seen.add(operator.id);
    (operator.children ?? []).forEach((id, i) => {
      const child = byId.get(id);
      if (child) visit(child, level + i);
    });
    found.push({ operator, level });
  };
  for (const operator of operators)
    if (operator.parent === null || operator.parent === undefined || !byId.has(operator.parent)) visit(operator, 0);
  for (const operator of operators) visit(operator, 0); // a ring has no beginning
  return found;
}

const [FULL, EMPTY] = [0.8, 0.6]; // of a queue; MindInsight's

/** Operators that have enough to take and give too little: their inputs are full, their output is not. */
export function bottlenecks(operators: readonly PipelineOperator[]): ReadonlySet<number> {
  const byId = new Map(operators.map((operator) => [operator.id, operator]));
  const found = new Set<number>();
  for (const { id, children, queue } of operators) {
    const inputs = (children ?? []).map((child) => byId.get(child)?.queue?.usage ?? null);
    const output = queue?.usage ?? null;
    if (
      output !== null &&
      output < EMPTY &&
      inputs.length > 0 &&
      inputs.every((usage) => usage !== null && usage > FULL)
    )
      found.add(id);
  }
  return found;
}
