/** Names that tell operators apart. MindSpore numbers operators by scope, so that many are called `MatMul-op0`. */
export interface ScopedName {
  readonly name: string;
  readonly scope: string;
}

/** Of each: its name, behind as much of the end of its scope as tells it from others of that name. */
export function namesApart(operators: readonly ScopedName[]): readonly string[] {
  const alike = new Map<string, Set<string>>();
  for (const { name, scope } of operators) {
    const scopes = alike.get(name) ?? new Set<string>();
    alike.set(name, scopes.add(scope));
  }
  return operators.map(({ name, scope }) => {
    const others = [...(alike.get(name) ?? [])].filter((other) => other !== scope).map((other) => other.split('/'));
    const parts = scope.split('/');
    let kept = 0;
    while (others.length > 0 && kept < parts.length && others.some((other) => endsAlike(parts, other, kept))) kept++;
    return kept > 0 && scope ? [...parts.slice(-kept), name].join('/') : name;
  });
}

const endsAlike = (one: readonly string[], other: readonly string[], count: number): boolean =>
  Array.from({ length: count }, (_, i) => one[one.length - 1 - i] === other[other.length - 1 - i]).every(Boolean);
