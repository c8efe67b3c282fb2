/** The operators of a stage as a tree of scopes, of which some are open: what is in sight, from top to bottom. */
import type { StrategyOperator } from '../answers/strategy';

const MOST_AT_FIRST = 40; // boxes of a stage

export interface Scope {
  readonly path: string;
  readonly title: string;
  readonly children: readonly (Scope | StrategyOperator)[];
  /** Operators below it. */
  readonly operators: readonly StrategyOperator[];
}

/** One box of the drawing. An open scope is a heading: its parts follow, one level deeper. */
export interface Box {
  readonly key: string;
  readonly level: number;
  readonly scope: Scope | null;
  readonly operator: StrategyOperator | null;
  readonly isOpen: boolean;
  /** Boxes below an open scope. */
  readonly below: number;
}

interface Making {
  readonly path: string;
  readonly children: (Making | StrategyOperator)[];
  readonly scopes: Map<string, Making>;
}

const isOperator = (child: Making | StrategyOperator): child is StrategyOperator => 'id' in child;

/** Parts are in the order in which the log names the first operator of each. A scope of one part is that part. */
export function scopeTree(operators: readonly StrategyOperator[]): Scope {
  const root: Making = { path: '', children: [], scopes: new Map() };
  for (const operator of operators) {
    let at = root;
    for (const name of operator.scope.split('/').filter(Boolean)) {
      let next = at.scopes.get(name);
      if (!next) {
        next = { path: at.path ? `${at.path}/${name}` : name, children: [], scopes: new Map() };
        at.scopes.set(name, next);
        at.children.push(next);
      }
      at = next;
    }
    at.children.push(operator);
  }
  return finished(root, '');
}

function finished(made: Making, outer: string): Scope {
  const only = made.children.length === 1 ? made.children[0] : undefined;
  if (only && !isOperator(only)) return finished(only, outer);
  const children = made.children.map((child) => {
    if (isOperator(child)) return child;
    const scope = finished(child, made.path);
    const alone = scope.children.length === 1 ? scope.children[0] : undefined;
    return alone && !('children' in alone) ? alone : scope;
  });
  return {
    path: made.path,
    title: outer && made.path.startsWith(`${outer}/`) ? made.path.slice(outer.length + 1) : made.path,
    children,
    operators: children.flatMap((child) => ('children' in child ? child.operators : [child])),
  };
}

/** Scopes that are open until the user says otherwise: level by level, as long as few boxes are in sight. */
export function openAtFirst(root: Scope): ReadonlySet<string> {
  const open = new Set<string>();
  let count = root.children.length;
  let level = [root];
  while (level.length > 0) {
    const next: Scope[] = [];
    for (const scope of level.flatMap(({ children }) => children)) {
      if (!('children' in scope) || count + scope.children.length > MOST_AT_FIRST) continue;
      count += scope.children.length;
      open.add(scope.path);
      next.push(scope);
    }
    level = next;
  }
  return open;
}

/** What is in sight. `toggled` are scopes that are not as they were at first. */
export function boxesOf(root: Scope, atFirst: ReadonlySet<string>, toggled: ReadonlySet<string>): readonly Box[] {
  const boxes: Box[] = [];
  const visit = (children: Scope['children'], level: number): void => {
    for (const child of children) {
      if (!('children' in child)) {
        boxes.push({ key: child.id, level, scope: null, operator: child, isOpen: false, below: 0 });
        continue;
      }
      const isOpen = atFirst.has(child.path) !== toggled.has(child.path);
      const at = boxes.length;
      const box = { key: child.path, level, scope: child, operator: null, isOpen };
      boxes.push({ ...box, below: 0 });
      if (isOpen) visit(child.children, level + 1);
      boxes[at] = { ...box, below: boxes.length - at - 1 };
    }
  };
  visit(root.children, 0);
  return boxes;
}
